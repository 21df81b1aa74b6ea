"""Errors against mpmath to 60 digits, on both sides of every branch; ACCURACY is the table of tolerances."""

from __future__ import annotations

from itertools import count, pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import kido.math as km

Array = np.ndarray[Any, np.dtype[np.float64]]

ACCURACY = {
    "so3_exp": 1e-15,
    "so3_log": 1e-15,
    "so3_left_jacobian": 1e-15,
    "so3_left_jacobian_inverse": 1e-15,
    "se3_exp": 1e-15,
    "se3_log": 2e-15,
    "se3_left_jacobian": 1e-15,
    "se3_left_jacobian_inverse": 1e-15,
    "matrix_to_quaternion": 1e-15,
    "quaternion_to_matrix": 1e-15,
    "euler_to_matrix": 1e-15,
}
"""Largest error over all angles below, relative to the norm of the exact result."""

BRANCHES = (1e-2, 1.0, 2.0, 4e-9**0.5)
"""Angles [rad] at which a formula changes."""

ANGLES = sorted(
    {angle * factor for angle in BRANCHES for factor in (0.99, 1.0 - 1e-15, 1.0, 1.0 + 1e-15, 1.01)}
    | {1e-300, 1e-160, 1e-100, 1e-20, 1e-12, 1e-8, 1e-6, 1e-3, 0.1, 0.5, 1.5, 2.5, 3.0}
    | {np.pi - 1e-3, np.pi - 1e-8, np.pi - 1e-12, np.pi - 1e-15, np.pi}
)
BEYOND_PI = [np.pi + 1e-15, np.pi + 1e-12, np.pi + 1e-8, np.pi + 1e-3, 3.5, 4.0]

every_angle = pytest.mark.parametrize("angle", ANGLES)
across_pi = pytest.mark.parametrize("angle", ANGLES + BEYOND_PI)


@pytest.fixture(autouse=True)
def sixty_digits() -> Any:
    with mp.workdps(60):
        yield


def axes() -> Array:
    rng = np.random.default_rng(7)
    some = np.vstack([np.eye(3)[0], -np.eye(3)[1], [0.6, 0.0, -0.8], rng.normal(size=(4, 3))])
    return some / np.linalg.norm(some, axis=1, keepdims=True)


def twists(angle: float) -> Array:
    rng = np.random.default_rng(8)
    return np.hstack([axes() * angle, rng.normal(size=(len(axes()), 3))])


def skew(v: Any) -> Any:
    x, y, z = v
    return mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def twist_matrix(x: Any) -> Any:
    result = mp.zeros(4)
    result[:3, :3] = skew(x[:3])
    for i in range(3):
        result[i, 3] = x[3 + i]
    return result


def small_adjoint(x: Any) -> Any:
    result = mp.zeros(6)
    result[:3, :3] = result[3:, 3:] = skew(x[:3])
    result[3:, :3] = skew(x[3:])
    return result


def both_series(generator: Any, offset: int) -> tuple[Any, Any]:
    """Sums of generator^n / (n + offset)! and of (-generator)^n / (n + offset)!: exp for offset 0, the left
    and right Jacobian for 1.

    Added up in numpy's arrays of mpmath's numbers: products of mpmath's matrices take much longer.
    """
    step = np.array(generator.tolist(), dtype=object)
    term = np.array((mp.eye(generator.rows) / mp.factorial(offset)).tolist(), dtype=object)
    even, odd = term.copy(), 0 * term
    smallest = mp.mnorm(generator, 1) * mp.mpf(10) ** -65
    for n in count(1):
        term = term @ step / (n + offset)
        total = odd if n % 2 else even
        total += term
        if abs(term).sum(axis=0).max() <= smallest:
            break
    return mp.matrix((even + odd).tolist()), mp.matrix((even - odd).tolist())


def series(generator: Any, offset: int) -> Any:
    """Sum of generator^n / (n + offset)!."""
    return both_series(generator, offset)[0]


def exact(row: Array) -> list[Any]:
    return [mp.mpf(float(a)) for a in row]


def doubles(matrix: Any) -> Array:
    return np.array([float(a) for a in matrix]).reshape(matrix.rows, matrix.cols)


def relative_error(actual: Array, expected: Any) -> float:
    """Norm of the difference to an mpmath matrix over the norm of that matrix, no digit lost."""
    difference = [mp.mpf(float(a)) - b for a, b in zip(actual.ravel(), expected, strict=True)]
    return float(mp.norm(difference) / mp.norm(list(expected)))


def either_sign(angle: float) -> tuple[float, ...]:
    """Where the angle rounds to pi, the two signs of the axis are one rotation to the last bit."""
    return (1.0, -1.0) if angle == np.pi else (1.0,)


@across_pi
def test_so3_exp(angle: float) -> None:
    for r in axes() * angle:
        assert relative_error(km.so3_exp(r), series(skew(exact(r)), 0)) <= ACCURACY["so3_exp"]


@every_angle
def test_so3_log_returns_to_the_rotation_vector(angle: float) -> None:
    for r in axes() * angle:
        log = km.so3_log(doubles(series(skew(exact(r)), 0)))
        error = min(relative_error(log, exact(s * r)) for s in either_sign(angle))
        assert error <= ACCURACY["so3_log"]


@pytest.mark.parametrize("angle", BEYOND_PI)
def test_so3_log_beyond_pi_comes_from_the_other_side(angle: float) -> None:
    for axis in axes():
        r = axis * angle
        length = mp.norm(exact(r))
        expected = [a * (length - 2 * mp.pi) / length for a in exact(r)]
        assert relative_error(km.so3_log(doubles(series(skew(exact(r)), 0))), expected) <= ACCURACY["so3_log"]


@across_pi
def test_so3_jacobians(angle: float) -> None:
    for r in axes() * angle:
        left = series(skew(exact(r)), 1)
        assert relative_error(km.so3_left_jacobian(r), left) <= ACCURACY["so3_left_jacobian"]
        assert relative_error(km.so3_right_jacobian(r), left.T) <= ACCURACY["so3_left_jacobian"]
        inverse, tolerance = left**-1, ACCURACY["so3_left_jacobian_inverse"]
        assert relative_error(km.so3_left_jacobian_inverse(r), inverse) <= tolerance
        assert relative_error(km.so3_right_jacobian_inverse(r), inverse.T) <= tolerance


@across_pi
def test_se3_exp(angle: float) -> None:
    for x in twists(angle):
        assert relative_error(km.se3_exp(x), series(twist_matrix(exact(x)), 0)) <= ACCURACY["se3_exp"]


@every_angle
def test_se3_log_returns_to_the_twist(angle: float) -> None:
    for x in twists(min(angle, np.pi - 1e-15)):
        log = km.se3_log(doubles(series(twist_matrix(exact(x)), 0)))
        assert relative_error(log, exact(x)) <= ACCURACY["se3_log"]


@across_pi
def test_se3_jacobians(angle: float) -> None:
    for x in twists(angle)[::2]:
        left, right = both_series(small_adjoint(exact(x)), 1)
        assert relative_error(km.se3_left_jacobian(x), left) <= ACCURACY["se3_left_jacobian"]
        assert relative_error(km.se3_right_jacobian(x), right) <= ACCURACY["se3_left_jacobian"]
        tolerance = ACCURACY["se3_left_jacobian_inverse"]
        assert relative_error(km.se3_left_jacobian_inverse(x), left**-1) <= tolerance
        assert relative_error(km.se3_right_jacobian_inverse(x), right**-1) <= tolerance


@every_angle
def test_quaternions(angle: float) -> None:
    for axis in axes():
        length = mp.norm(exact(axis))
        vector = [a / length * mp.sin(mp.mpf(angle) / 2) for a in exact(axis)]
        quaternion = [*vector, mp.cos(mp.mpf(angle) / 2)]
        turned = series(skew([a / length * mp.mpf(angle) for a in exact(axis)]), 0)
        back = km.matrix_to_quaternion(doubles(turned))
        error = min(relative_error(s * back, quaternion) for s in either_sign(angle))
        assert error <= ACCURACY["matrix_to_quaternion"]
        rounded = np.array([float(a) for a in quaternion])
        assert relative_error(km.quaternion_to_matrix(rounded), turned) <= ACCURACY["quaternion_to_matrix"]


def turn(axis: int, angle: Any) -> Any:
    result, (i, j) = mp.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
    result[i, i] = result[j, j] = mp.cos(angle)
    result[j, i] = mp.sin(angle)
    result[i, j] = -result[j, i]
    return result


@pytest.mark.parametrize("order", km.EULER_ORDERS)
def test_euler_angles_make_the_product_of_three_turns(order: str) -> None:
    rng = np.random.default_rng(9)
    for angles in rng.uniform(-7.0, 7.0, size=(20, 3)):
        expected = mp.eye(3)
        for axis, angle in zip(order, angles, strict=True):
            expected = expected * turn("XYZ".index(axis), mp.mpf(angle))
        assert relative_error(km.euler_to_matrix(angles, order), expected) <= ACCURACY["euler_to_matrix"]


def test_the_logarithm_has_no_step_at_any_branch() -> None:
    """Neighbouring angles across a branch give rotation vectors that grow with the angle."""
    axis = axes()[-1]
    for angle in BRANCHES:
        near = angle * (1.0 + np.arange(-4, 5) * 1e-14)
        lengths = np.linalg.norm(km.so3_log(km.so3_exp(near[:, np.newaxis] * axis)), axis=1)
        assert all(later > earlier for earlier, later in pairwise(lengths))
