from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import kido.math as km

SWAP = np.r_[3:6, 0:3]


def bodies(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    half = rng.normal(size=(count, 3, 3))
    return rng.uniform(0.1, 5.0, count), rng.normal(size=(count, 3)), half @ half.swapaxes(-1, -2)


def test_the_matrix_is_that_of_pinocchio() -> None:
    for mass, com, moment in zip(*bodies(10), strict=True):
        expected = pin.Inertia(float(mass), com, moment).matrix()[np.ix_(SWAP, SWAP)]
        np.testing.assert_allclose(km.spatial_inertia(mass, com, moment), expected, rtol=0, atol=1e-13)


def test_a_transformed_inertia_is_that_of_pinocchio() -> None:
    transforms = km.se3_exp(np.random.default_rng(6).normal(size=(10, 6)))
    for T, mass, com, moment in zip(transforms, *bodies(10), strict=True):
        moved = pin.SE3(T[:3, :3].copy(), T[:3, 3].copy()).act(pin.Inertia(float(mass), com, moment))
        actual = km.transform_inertia(T, km.spatial_inertia(mass, com, moment))
        np.testing.assert_allclose(actual, moved.matrix()[np.ix_(SWAP, SWAP)], rtol=0, atol=1e-12)


def test_a_transformed_inertia_is_the_congruence_by_the_adjoint() -> None:
    T = km.se3_exp(np.random.default_rng(7).normal(size=(3, 6)))
    inertia = km.spatial_inertia(*bodies(3))
    back = km.adjoint(km.inverse_transform(T))
    expected = back.swapaxes(-1, -2) @ inertia @ back
    np.testing.assert_allclose(km.transform_inertia(T, inertia), expected, rtol=0, atol=1e-12)


def test_a_point_mass_has_its_moment_from_its_place_alone() -> None:
    inertia = km.spatial_inertia(2.0, [0.0, 0.0, 3.0], np.zeros((3, 3)))
    np.testing.assert_array_equal(np.diag(inertia), [18.0, 18.0, 0.0, 2.0, 2.0, 2.0])
    momentum = inertia @ [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    np.testing.assert_array_equal(momentum, [18.0, 0.0, 0.0, 0.0, -6.0, 0.0])


@pytest.mark.parametrize("batch", [(), (4,), (2, 3), (0,)])
def test_mass_center_and_moment_broadcast(batch: tuple[int, ...]) -> None:
    mass = np.full(batch, 2.0)
    inertia = km.spatial_inertia(mass, [0.1, 0.2, 0.3], np.eye(3))
    assert inertia.shape == (*batch, 6, 6)
    single = km.spatial_inertia(2.0, [0.1, 0.2, 0.3], np.eye(3))
    np.testing.assert_array_equal(inertia, np.broadcast_to(single, inertia.shape))


def test_a_massless_body_is_allowed() -> None:
    np.testing.assert_array_equal(km.spatial_inertia(0.0, [1, 2, 3], np.zeros((3, 3))), np.zeros((6, 6)))
