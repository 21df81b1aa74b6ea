"""Targets of differential inverse kinematics: many at once, and what is no target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _looped import looped
from _tasked import TASKS, Array, arm
from scipy.spatial.transform import RigidTransform

from kido.ik import (
    AxisAlignmentTask,
    CustomTask,
    DifferentialIK,
    DifferentialIKIntegrator,
    DifferentialIKParameters,
    FrameTask,
    FrameVelocityTask,
    JointCouplingTask,
    ManipulabilityTask,
    MomentumTask,
    PostureTask,
    differential_ik,
)
from kido.skeleton import Skeleton

DT = 0.05


class Height(CustomTask):
    """A frame comes to a height [m]."""

    __slots__ = ("_body", "target")

    def __init__(self, body: Any, height: float) -> None:
        super().__init__(1)
        self._body, self.target = body, height

    def compute_error(self, robot: Skeleton) -> Array:
        return np.array([np.asarray(self._body.transform())[2, 3] - self.target])

    def compute_jacobian(self, robot: Skeleton) -> Array:
        return robot.jacobian(self._body, in_coordinates_of=None)[5:]


OWN: dict[str, Any] = {
    "velocity": lambda robot: FrameVelocityTask(robot.body("b6"), np.full(6, 0.1)),
    "momentum": lambda robot: MomentumTask(np.full(6, 0.1)),
    "height": lambda robot: Height(robot.body("b6"), 0.3),
}


def made(kind: str, robot: Skeleton, rng: np.random.Generator) -> Any:
    return OWN[kind](robot) if kind in OWN else TASKS[kind](robot, rng, 0.3)


@looped("kind", [*TASKS, *OWN])
def test_targets_of_a_batch_are_those_of_single_steps(kind: str) -> None:
    """With a target for each state, and one for all states in a row of their grid."""
    rng = np.random.default_rng(5)
    robot = arm(rng)
    others = [np.array(made(kind, robot, rng).target) for _ in range(4)]
    task = made(kind, robot, rng)
    own = np.array(task.target)
    ik = DifferentialIK(robot, [task, PostureTask(np.zeros(robot.num_dofs), weight=0.1)], warm_start=False)
    q = rng.uniform(-0.5, 0.5, (4, robot.num_dofs))
    many = ik.solve_batch(q, dt=DT, targets={task: np.stack(others)})
    grid = ik.solve_batch(np.stack([q, q[::-1]]), dt=DT, targets={task: np.stack(others)})
    np.testing.assert_array_equal(task.target, own)
    for k, target in enumerate(others):
        task.target = target
        np.testing.assert_allclose(many.velocities[k], ik.solve(q[k], dt=DT).velocities, atol=1e-9)
        np.testing.assert_allclose(grid.velocities[1, k], ik.solve(q[3 - k], dt=DT).velocities, atol=1e-9)


def test_targets_of_tasks_that_cannot_have_them_are_refused_by_name() -> None:
    robot = arm(np.random.default_rng(5))
    hand, q = robot.body("b6"), np.zeros((2, robot.num_dofs))
    coupling, grows = JointCouplingTask({"j0": 1.0, "j1": -1.0}), ManipulabilityTask(hand)
    axis, frame = AxisAlignmentTask(hand, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), FrameTask(hand)
    ik = DifferentialIK(robot, [coupling, grows, axis, frame])
    for task, target, message in (
        (coupling, [0.0], "targets: JointCouplingTask has no target"),
        (grows, [0.0], "targets: ManipulabilityTask has no target"),
        (axis, [(0.0, 0.0, 1.0), (0.0, 0.0, 0.0)], "targets: expected directions other than zero"),
        (axis, np.zeros((3, 3)), r"targets: expected leading axes \(2,\) as of q"),
        (axis, (0.0, np.nan, 1.0), "targets: expected finite numbers"),
        (frame, np.stack([np.eye(4), 2.0 * np.eye(4)]), "targets: expected the last row"),
        (FrameTask(hand), np.eye(4), "targets: expected tasks of the problem"),
    ):
        with pytest.raises(ValueError, match=message):
            ik.solve_batch(q, dt=DT, targets={task: target})


def test_a_target_that_fails_leaves_a_task_as_it_was() -> None:
    robot = arm(np.random.default_rng(5))
    task = Height(robot.body("b6"), 0.3)
    ik, q = DifferentialIK(robot, [task]), np.array(robot.positions)
    with pytest.raises(ValueError, match="Height: expected a finite error"):
        ik.solve_batch(np.stack([q, np.full_like(q, 1e200)]), dt=DT, targets={task: [0.1, 1e308]})
    assert task.target == 0.3
    np.testing.assert_array_equal(robot.positions, q)


SHEARED = np.eye(4)
SHEARED[0, 1] = 1e-3


@looped("bad", [2.0 * np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0]), SHEARED, np.zeros((4, 4))])
def test_what_is_no_pose_is_refused_and_nothing_moves(bad: Array) -> None:
    robot = arm(np.random.default_rng(6))
    hand, n = robot.body("b6"), robot.num_dofs
    parameters, q = DifferentialIKParameters(n, time_step=DT), np.array(robot.positions)
    follower = DifferentialIKIntegrator(robot, hand, parameters)
    for call in (
        lambda: differential_ik(robot, hand, bad, parameters),
        lambda: differential_ik(robot, [hand], [bad], parameters),
        lambda: follower.step(bad),
    ):
        with pytest.raises(ValueError, match="target: expected a rigid transform"):
            call()
    np.testing.assert_array_equal(robot.positions, q)
    assert follower.steps == 0


def test_transforms_of_scipy_are_poses_too() -> None:
    robot = arm(np.random.default_rng(7), ball=False)
    hand, n = robot.body("b6"), robot.num_dofs
    parameters = DifferentialIKParameters(n, time_step=DT)
    T = np.array(hand.transform())
    T[:3, 3] += 1e-3
    given = RigidTransform.from_matrix(T)
    T = given.as_matrix()
    expected = differential_ik(robot, hand, T, parameters)
    assert differential_ik(robot, hand, given, parameters) == expected
    assert differential_ik(robot, [hand], [given], parameters) == expected
    task = FrameTask(hand, given)
    np.testing.assert_allclose(task.target, T, atol=1e-15)
    ik, many = DifferentialIK(robot, [task]), RigidTransform.from_matrix(np.stack([T, T]))
    q = np.tile(robot.positions, (2, 1))
    one = ik.solve_batch(q, dt=DT).velocities
    np.testing.assert_allclose(ik.solve_batch(q, dt=DT, targets={task: many}).velocities, one, atol=1e-12)
