from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import kido.math as km

Array = np.ndarray[Any, np.dtype[np.float64]]

SWAP = np.r_[3:6, 0:3]
"""Angular first to linear first, and back."""


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def se3(transform: Array) -> pin.SE3:
    return pin.SE3(transform[:3, :3].copy(), transform[:3, 3].copy())


def swapped(matrix: Array) -> Array:
    return np.asarray(matrix)[np.ix_(SWAP, SWAP)]


def assert_close(actual: Array, expected: Array, tolerance: float = 5e-15) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def test_hat_is_the_cross_product(rng: np.random.Generator) -> None:
    v, u = rng.normal(size=(2, 5, 3))
    assert_close((km.hat(v) @ u[..., np.newaxis])[..., 0], np.cross(v, u), 1e-15)


def test_vee_undoes_hat(rng: np.random.Generator) -> None:
    v = rng.normal(size=(2, 5, 3))
    np.testing.assert_array_equal(km.vee(km.hat(v)), v)
    np.testing.assert_array_equal(km.vee(np.zeros((3, 3))), np.zeros(3))


def test_the_adjoint_is_that_of_pinocchio(rng: np.random.Generator) -> None:
    for T in km.se3_exp(rng.normal(size=(20, 6))):
        assert_close(km.adjoint(T), swapped(se3(T).action))
        assert_close(km.coadjoint(T), swapped(se3(T).dualAction))


def test_transformed_motions_and_forces_are_those_of_pinocchio(rng: np.random.Generator) -> None:
    for T, v in zip(km.se3_exp(rng.normal(size=(20, 6))), rng.normal(size=(20, 6)), strict=True):
        assert_close(km.transform_motion(T, v), se3(T).act(pin.Motion(v[SWAP])).vector[SWAP])
        assert_close(km.transform_force(T, v), se3(T).act(pin.Force(v[SWAP])).vector[SWAP])


def test_the_adjoints_are_the_transformations(rng: np.random.Generator) -> None:
    T, v = km.se3_exp(rng.normal(size=(4, 6))), rng.normal(size=(4, 6))
    assert_close((km.adjoint(T) @ v[..., np.newaxis])[..., 0], km.transform_motion(T, v))
    assert_close((km.coadjoint(T) @ v[..., np.newaxis])[..., 0], km.transform_force(T, v))


def test_a_transform_leaves_power_alone(rng: np.random.Generator) -> None:
    T, v, f = km.se3_exp(rng.normal(size=(4, 6))), rng.normal(size=(4, 6)), rng.normal(size=(4, 6))
    power = (km.transform_force(T, f) * km.transform_motion(T, v)).sum(axis=-1)
    assert_close(power, (f * v).sum(axis=-1), 2e-14)


def test_the_angular_part_comes_first() -> None:
    shift = np.eye(4)
    shift[:3, 3] = [0.0, 0.0, 2.0]
    spin_about_x = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    push_along_x = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    np.testing.assert_array_equal(km.transform_motion(shift, spin_about_x), [1, 0, 0, 0, 2, 0])
    np.testing.assert_array_equal(km.transform_force(shift, push_along_x), [0, 2, 0, 1, 0, 0])


def test_crosses_are_those_of_pinocchio(rng: np.random.Generator) -> None:
    for v, w in rng.normal(size=(20, 2, 6)):
        motion, other = pin.Motion(v[SWAP]), pin.Motion(w[SWAP])
        assert_close(km.motion_cross(v, w), motion.cross(other).vector[SWAP])
        assert_close(km.force_cross(v, w), motion.cross(pin.Force(w[SWAP])).vector[SWAP])


def test_cross_matrices_are_the_crosses(rng: np.random.Generator) -> None:
    v, w = rng.normal(size=(2, 5, 6))
    assert_close((km.motion_cross_matrix(v) @ w[..., np.newaxis])[..., 0], km.motion_cross(v, w))
    assert_close((km.force_cross_matrix(v) @ w[..., np.newaxis])[..., 0], km.force_cross(v, w))


def test_cross_matrices_are_the_derivatives_of_the_adjoints(rng: np.random.Generator) -> None:
    step = 1e-6
    for v in rng.normal(size=(10, 6)):
        ahead, behind = km.se3_exp(step * v), km.se3_exp(-step * v)
        motion = (km.adjoint(ahead) - km.adjoint(behind)) / (2 * step)
        force = (km.coadjoint(ahead) - km.coadjoint(behind)) / (2 * step)
        assert_close(km.motion_cross_matrix(v), motion, 1e-9)
        assert_close(km.force_cross_matrix(v), force, 1e-9)


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [((), (4,), (4,)), ((3, 1), (4,), (3, 4)), ((2, 3), (), (2, 3)), ((1,), (0,), (0,)), ((5,), (1,), (5,))],
)
def test_leading_axes_broadcast(
    first: tuple[int, ...], second: tuple[int, ...], result: tuple[int, ...], rng: np.random.Generator
) -> None:
    x, w = rng.normal(size=(*first, 6)), rng.normal(size=(*second, 6))
    T = km.se3_exp(x)
    full_T = np.broadcast_to(T, (*result, 4, 4)).copy()
    full_x, full_w = (np.broadcast_to(a, (*result, 6)).copy() for a in (x, w))
    for function, one, full_one in (
        (km.transform_motion, T, full_T),
        (km.transform_force, T, full_T),
        (km.motion_cross, x, full_x),
        (km.force_cross, x, full_x),
    ):
        actual = function(one, w)
        assert actual.shape == (*result, 6)
        np.testing.assert_array_equal(actual, function(full_one, full_w))
