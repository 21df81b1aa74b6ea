"""First steps of modules beside those of DART, where both have the same error and the same Jacobian: the axes
are those of the target, and only the place is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from _dart_skeleton import DartTwin, isometry
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics
from kido.ik import DampedLeastSquares, TaskSpaceRegion
from kido.optimize import GradientDescentSolver

Array = NDArray[np.float64]
EQUAL = np.ones(6)
"""DART weighs errors, not their derivatives; weights of 1 are the same in both."""


def chain(first: kido.Joint | None = None, seed: int = 0) -> kido.Skeleton:
    """Six bodies on revolute joints that are placed at random, behind another joint."""
    rng = np.random.default_rng(seed)
    robot, body = kido.Skeleton("chain"), None
    joints: list[kido.Joint] = [] if first is None else [first]
    for i in range(6):
        joints.append(kido.RevoluteJoint(f"r{i}", axis=rng.standard_normal(3)))
    for joint in joints:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.uniform(-0.4, 0.4, 3)
        joint.T_parent_joint = T
        body = robot.add_body(f"on {joint.name}", body, joint)
    robot.positions = rng.uniform(-1.0, 1.0, robot.num_dofs)
    return robot


def first_step_of_dart(ik: InverseKinematics, weights: Sequence[float] = ()) -> Array:
    """By how much DART moves the dofs in its first iteration. It makes one more than it is allowed."""
    robot = ik.node.skeleton
    twin = DartTwin(robot)
    twin.dart.setPositions(robot.positions)
    module = twin.body(ik.body).getOrCreateIK()
    module.getTarget().setTransform(isometry(ik.target.transform()))
    module.getErrorMethod().setAngularErrorWeights(np.ones(3))
    if len(weights):
        module.getGradientMethod().setComponentWeights(weights)
    module.getSolver().setNumMaxIterations(0)
    module.solveAndApply(True)
    return np.asarray(twin.dart.getPositions() - robot.positions)


def module(robot: kido.Skeleton, *shift: float) -> InverseKinematics:
    ik = InverseKinematics.of(robot.bodies[-1])
    ik.error_method = TaskSpaceRegion(weights=EQUAL)
    target = ik.transform()
    target[:3, 3] += shift
    ik.target.set_transform(target)
    return ik


@pytest.mark.parametrize("shift", [(0.02, -0.01, 0.03), (0.3, 0.2, -0.4), (2.0, 1.0, -3.0)])
def test_the_first_step_is_that_of_dart(shift: tuple[float, float, float]) -> None:
    for seed in range(5):
        ik = module(chain(seed=seed), *shift)
        expected = first_step_of_dart(ik)
        np.testing.assert_allclose(-ik.gradient(), expected, atol=1e-9)
        ik.solver = GradientDescentSolver(step_size=1.0, max_iterations=1)
        np.testing.assert_allclose(ik.solve().positions - ik.positions, expected, atol=1e-9)


def test_weights_and_clamp_are_those_of_dart() -> None:
    ik = module(chain(), 0.3, 0.2, -0.4)
    for weights in ((0.5, 2.0, 0.0, 1.0, 0.1, 0.3), (0.25, 3.0)):
        ik.gradient_method = DampedLeastSquares(component_weights=weights)
        np.testing.assert_allclose(-ik.gradient(), first_step_of_dart(ik, weights), atol=1e-9)


def test_the_defaults_are_those_of_dart() -> None:
    ik = module(chain(), 0.1, 0.0, 0.0)
    other = DartTwin(ik.node.skeleton).body(ik.body).getOrCreateIK()
    assert ik.gradient_method.component_clamp == other.getGradientMethod().getComponentWiseClamp() == 0.2
    region = TaskSpaceRegion()
    np.testing.assert_array_equal(region.weights[:3], other.getErrorMethod().getAngularErrorWeights())
    np.testing.assert_array_equal(region.weights[3:], other.getErrorMethod().getLinearErrorWeights())
    assert region.length_clamp == other.getErrorMethod().getErrorLengthClamp()


def test_ball_joints_turn_by_the_velocity_that_dart_turns_them_by() -> None:
    """DART takes the change of positions along the velocity, and steps against it; kido, that against it."""
    ik = module(chain(kido.BallJoint("ball")), 0.01, -0.02, 0.015)
    q = ik.node.skeleton.positions.copy()
    step = first_step_of_dart(ik)
    np.testing.assert_allclose(-ik.gradient()[3:], step[3:], atol=1e-9)
    R = Rotation.from_rotvec(q[:3])
    against = (R.inv() * Rotation.from_rotvec(q[:3] - ik.gradient()[:3])).as_rotvec()
    along = (R.inv() * Rotation.from_rotvec(q[:3] - step[:3])).as_rotvec()
    np.testing.assert_allclose(against, -along, atol=1e-9)
    assert np.linalg.norm(along) > 1e-3
