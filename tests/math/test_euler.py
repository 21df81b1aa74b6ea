from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kido.math as km

every_order = pytest.mark.parametrize("order", km.EULER_ORDERS)


def middle(order: str) -> float:
    """The middle of the second angle's range; gimbal lock is a quarter turn away."""
    return np.pi / 2 if order[0] == order[2] else 0.0


def test_there_are_twelve_orders() -> None:
    assert len(set(km.EULER_ORDERS)) == 12
    assert "XYZ" in km.EULER_ORDERS and "ZXZ" in km.EULER_ORDERS


@every_order
def test_matrices_are_those_of_scipy_intrinsic_angles(order: str) -> None:
    angles = np.random.default_rng(1).uniform(-7.0, 7.0, size=(4, 5, 3))
    expected = Rotation.from_euler(order, angles.reshape(-1, 3)).as_matrix().reshape(4, 5, 3, 3)
    np.testing.assert_allclose(km.euler_to_matrix(angles, order), expected, rtol=0, atol=2e-15)


@every_order
def test_angles_are_those_of_scipy(order: str) -> None:
    rotation = Rotation.random(50, rng=np.random.default_rng(2))
    angles = km.matrix_to_euler(rotation, order)
    np.testing.assert_allclose(angles, rotation.as_euler(order), rtol=0, atol=2e-14)


@every_order
def test_angles_stay_in_their_ranges_and_come_back(order: str) -> None:
    rng = np.random.default_rng(3)
    angles = rng.uniform(-1.0, 1.0, size=(200, 3)) * [np.pi, np.pi / 2 - 1e-3, np.pi]
    angles[:, 1] += middle(order)
    back = km.matrix_to_euler(km.euler_to_matrix(angles, order), order)
    np.testing.assert_allclose(back, angles, rtol=0, atol=2e-12)
    assert np.all(np.abs(back[:, 1] - middle(order)) <= np.pi / 2)


@every_order
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_in_gimbal_lock_the_third_angle_is_zero_and_the_matrix_comes_back(order: str, side: float) -> None:
    angles = np.array([0.4, middle(order) + side * np.pi / 2, -1.3])
    matrix = km.euler_to_matrix(angles, order)
    back = km.matrix_to_euler(matrix, order)
    assert back[2] == 0.0
    np.testing.assert_allclose(km.euler_to_matrix(back, order), matrix, rtol=0, atol=2e-15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        expected = Rotation.from_matrix(matrix).as_euler(order)
    np.testing.assert_allclose(back, expected, rtol=0, atol=5e-8)


@every_order
@pytest.mark.parametrize("off", [0.95e-14, 1.05e-14, 1e-12, 1e-8])
def test_near_gimbal_lock_the_matrix_comes_back(order: str, off: float) -> None:
    matrix = km.euler_to_matrix([2.5, middle(order) + np.pi / 2 - off, -1.3], order)
    back = km.matrix_to_euler(matrix, order)
    assert (back[2] == 0.0) == (off < 1e-14)
    np.testing.assert_allclose(km.euler_to_matrix(back, order), matrix, rtol=0, atol=2e-14)


def test_fixed_axis_roll_pitch_yaw_are_the_reversed_zyx() -> None:
    roll, pitch, yaw = 0.3, -0.4, 0.5
    expected = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    np.testing.assert_allclose(km.euler_to_matrix([yaw, pitch, roll], "ZYX"), expected, rtol=0, atol=1e-15)
