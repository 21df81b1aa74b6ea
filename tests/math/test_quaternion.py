from __future__ import annotations

import mpmath
import numpy as np
from _effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

import kido.math as km


def test_the_order_is_x_y_z_w() -> None:
    half = np.sqrt(0.5)
    quarter_turn_about_z = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    np.testing.assert_allclose(km.quaternion_to_matrix([0, 0, half, half]), quarter_turn_about_z, atol=4e-16)
    np.testing.assert_allclose(km.matrix_to_quaternion(quarter_turn_about_z), [0, 0, half, half], atol=2e-16)


ROUNDING = 2.0**-53
"""Relative error of one operation. A normalised component has up to 4 of them, an element of the matrix two
squares of components, of which the rounding of the length is common to all."""


def exact_matrix(quaternion: np.ndarray) -> np.ndarray:
    """The matrix (3, 3) of a quaternion of any length, rounded once."""
    x, y, z, w = (mpmath.mpf(float(part)) for part in quaternion)
    xx, yy, zz, ww = (part * part for part in (x, y, z, w))
    rows = [
        [xx - yy - zz + ww, 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), yy - xx - zz + ww, 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), zz - xx - yy + ww],
    ]
    return np.array([[float(number / (xx + yy + zz + ww)) for number in row] for row in rows])


@settings(max_examples=examples(100), deadline=None)
@given(arrays(np.float64, (3, 4), elements=st.floats(-1.0, 1.0)))
def test_matrices_are_exact_but_for_rounding(quaternions: np.ndarray) -> None:
    quaternions = quaternions[np.linalg.norm(quaternions, axis=1) > 1e-3]
    with mpmath.workdps(40):
        expected = np.array([exact_matrix(quaternion) for quaternion in quaternions]).reshape(-1, 3, 3)
    np.testing.assert_allclose(km.quaternion_to_matrix(quaternions), expected, rtol=0, atol=12 * ROUNDING)
    if len(quaternions):
        scipys = Rotation.from_quat(quaternions).as_matrix()
        np.testing.assert_allclose(scipys, expected, rtol=0, atol=12 * ROUNDING)


def test_quaternions_are_the_canonical_ones_of_scipy() -> None:
    rotation = Rotation.random(200, rng=np.random.default_rng(1))
    actual = km.matrix_to_quaternion(rotation)
    np.testing.assert_allclose(actual, rotation.as_quat(canonical=True), rtol=0, atol=1e-15)
    assert np.all(actual[:, 3] >= 0.0)


def test_the_length_does_not_matter_from_the_smallest_to_the_largest_numbers() -> None:
    rotation = km.quaternion_to_matrix([0.5, -0.5, 0.5, 0.5])
    for size in (5e-324, 1e-300, 1e-160, 3.0, 1e160, 1.7e308):
        np.testing.assert_array_equal(km.quaternion_to_matrix([size, -size, size, size]), rotation)


def test_opposite_quaternions_are_one_rotation() -> None:
    q = np.random.default_rng(2).normal(size=(20, 4))
    np.testing.assert_array_equal(km.quaternion_to_matrix(q), km.quaternion_to_matrix(-q))
