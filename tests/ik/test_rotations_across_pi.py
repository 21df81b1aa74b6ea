"""Gradient methods on ball and free joints whose rotation vectors pass pi."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics
from kido.ik import (
    DampedLeastSquares,
    GradientMethod,
    JacobianPseudoinverse,
    JacobianTranspose,
    SelectivelyDampedLeastSquares,
)
from kido.ik._coordinates import nearest_rotation_vector

METHODS = (
    JacobianTranspose(),
    JacobianPseudoinverse(),
    DampedLeastSquares(damping=0.1),
    SelectivelyDampedLeastSquares(),
)


def turned_body(joint: type[kido.Joint], rotation: np.ndarray) -> InverseKinematics:
    scene = kido.Skeleton("scene")
    body = scene.add_body("body", None, joint("joint"))
    q = np.zeros(scene.num_dofs)
    q[:3] = rotation
    scene.positions = q
    return InverseKinematics.of(body)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("joint", [kido.BallJoint, kido.FreeJoint])
@pytest.mark.parametrize("size", [1.0, 3.0, 3.14, 6.2])
def test_a_target_beyond_pi_is_as_near_as_any(
    method: GradientMethod, joint: type[kido.Joint], size: float
) -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        axis = rng.normal(size=3)
        ik = turned_body(joint, size * axis / np.linalg.norm(axis))
        ik.gradient_method = method
        target = ik.transform()
        target[:3, :3] = target[:3, :3] @ Rotation.from_rotvec(0.5 * rng.normal(size=3)).as_matrix()
        ik.target.set_transform(target)
        assert ik.solve_and_apply().success
        np.testing.assert_allclose(ik.transform(), target, atol=1e-4)


def test_the_gradient_across_pi_is_that_of_the_same_pose_below() -> None:
    axis = np.array([0.36, -0.48, 0.8])
    for size in (3.0, 3.1, 3.1415):
        ik = turned_body(kido.BallJoint, size * axis)
        target = ik.transform()
        target[:3, :3] = Rotation.from_rotvec((size + 0.1) * axis).as_matrix()
        ik.target.set_transform(target)
        ik.gradient_method = JacobianPseudoinverse()
        gradient = ik.gradient()
        np.testing.assert_allclose(gradient @ axis, -0.1, atol=1e-3)
        assert np.linalg.norm(gradient) < 0.12


def test_the_nearest_rotation_vector_is_the_nearest_of_all_that_stand_for_the_rotation() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        vector = rng.normal(size=3)
        vector *= rng.uniform(0.0, np.pi) / np.linalg.norm(vector)
        near = 4.0 * rng.normal(size=3)
        found = nearest_rotation_vector(vector, near)
        axis = vector / np.linalg.norm(vector)
        others = [vector + 2.0 * np.pi * k * axis for k in range(-5, 6)]
        best = min(others, key=lambda x: float(np.linalg.norm(x - near)))
        np.testing.assert_allclose(found, best, atol=1e-12)
        there = Rotation.from_rotvec(found).inv() * Rotation.from_rotvec(vector)
        assert there.magnitude() < 1e-12
    whole = 2.0 * np.pi
    for close, nearest in ((0.1, 0.0), (6.0, whole), (-20.0, -3.0 * whole)):
        found = nearest_rotation_vector(np.zeros(3), np.array([0.0, close, 0.0]))
        np.testing.assert_allclose(found, [0.0, nearest, 0.0], atol=1e-12)
