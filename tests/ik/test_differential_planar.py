"""Planar arms and loops in tilted planes: equations of which some depend on others, but for rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _effort import examples
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import kido
from kido.ik import (
    AxisAlignmentTask,
    CartesianPositionLimit,
    CartesianVelocityLimit,
    CenterOfMassTask,
    DampingTask,
    DifferentialIK,
    DifferentialIKParameters,
    DifferentialIKStatus,
    DifferentialLimit,
    DifferentialTask,
    FrameTask,
    FrameVelocityTask,
    LookAtTask,
    OrientationTask,
    PositionTask,
    PostureTask,
    differential_ik,
)

TURNS = [Rotation.random(random_state=k).as_matrix() for k in range(3)]


class Planar:
    """Arms of three to five links beside each other, in a plane that is turned by R."""

    def __init__(self, R: np.ndarray, seed: int) -> None:
        self.R, self.rng = R, np.random.default_rng(seed)
        self.robot = kido.Skeleton("planar")
        self.tips = [self._arm(name, side, 3 + seed % 3) for name, side in (("left", 0.2), ("right", -0.2))]
        n = self.robot.num_dofs
        self.robot.positions = self.rng.uniform(-1.0, 1.0, n)
        left, right = self.tips
        self.pose = np.array(left.transform())
        self.beside = np.linalg.inv(right.transform()) @ self.pose
        self.twist = self.robot.jacobian(left, in_coordinates_of=kido.WORLD) @ self.rng.normal(size=n)
        self.away = R @ self.rng.normal(size=3) * 0.01
        self.posture = self.rng.uniform(-1.0, 1.0, n)

    def _arm(self, name: str, side: float, links: int) -> kido.BodyNode:
        body = None
        for i in range(links):
            T = np.eye(4)
            T[:3, 3] = (0.3, 0.0, 0.0) if i else self.R @ (0.0, side, 0.0)
            T[:3, :3] = np.eye(3) if i else self.R
            joint = kido.RevoluteJoint(f"{name}_{i}", axis=(0, 0, 1), T_parent_joint=T)
            body = self.robot.add_body(f"{name}_{i}", body, joint)
        assert body is not None
        return body

    def beyond(self) -> np.ndarray:
        """A pose that the left arm does not reach."""
        T = self.pose.copy()
        T[:3, 3] += self.away
        return T


def _posture(case: Planar, level: int = 1) -> PostureTask:
    return PostureTask(case.posture, gain=0.05, level=level)


TASKS: dict[str, Callable[[Planar], list[DifferentialTask]]] = {
    "pose as an equation": lambda c: [FrameTask(c.tips[0], c.pose, equality=True), _posture(c, 0)],
    "pose above a posture": lambda c: [FrameTask(c.tips[0], c.pose), _posture(c)],
    "pose out of reach": lambda c: [FrameTask(c.tips[0], c.beyond()), _posture(c)],
    "twist as an equation": lambda c: [FrameVelocityTask(c.tips[0], c.twist, equality=True), _posture(c)],
    "three levels": lambda c: [
        PositionTask(c.tips[0], c.beyond()[:3, 3]),
        OrientationTask(c.tips[0], c.pose[:3, :3], level=1),
        _posture(c, 2),
    ],
    "gaze": lambda c: [LookAtTask(c.tips[0], (1, 0, 0), (c.pose @ (1, 0.3, 0, 1))[:3]), _posture(c)],
    "axis": lambda c: [AxisAlignmentTask(c.tips[0], (1, 0, 0), c.pose[:3, 0], equality=True), _posture(c, 0)],
    "loop": lambda c: [
        PositionTask(c.tips[0], c.beside[:3, 3], relative_to=c.tips[1], equality=True),
        _posture(c, 0),
    ],
    "loop above a posture": lambda c: [
        PositionTask(c.tips[0], c.beside[:3, 3], relative_to=c.tips[1]),
        _posture(c),
    ],
    "rigid loop and a hand": lambda c: [
        FrameTask(c.tips[0], c.beside, relative_to=c.tips[1], equality=True),
        PositionTask(c.tips[1], c.tips[1].transform()[:3, 3] + c.away),
        _posture(c),
    ],
    "rigid loop above two levels": lambda c: [
        FrameTask(c.tips[0], c.beside, relative_to=c.tips[1], equality=True),
        DampingTask(1e-3),
        DampingTask(1e-2, level=1),
    ],
    "centre of mass": lambda c: [CenterOfMassTask(c.robot.com() + c.away), _posture(c)],
}


@pytest.mark.parametrize("named", TASKS)
def test_velocities_do_not_depend_on_how_the_plane_lies(named: str) -> None:
    def asked(R: np.ndarray, seed: int, dt: float, disturbance: float) -> tuple[bool, np.ndarray]:
        case = Planar(R, seed)
        tasks = TASKS[named](case)
        q = case.robot.positions + disturbance * case.rng.normal(size=case.robot.num_dofs)
        ik = DifferentialIK(case.robot, tasks, limits=None if seed % 2 else [])
        step, many = ik.solve(q, dt=dt), ik.solve_batch(np.stack([q] * 3), dt=dt)
        assert many.success.tolist() == [step.success] * 3
        assert_allclose(
            many.velocities[1], step.velocities, atol=1e-9 * max(1.0, np.abs(step.velocities).max())
        )
        return step.success, np.array(step.velocities)

    for seed in range(examples(6)):
        for dt, disturbance in ((0.1, 1e-3), (1e-3, 0.0), (1e-3, 1e-9), (0.1, 1e-16)):
            success, flat = asked(np.eye(3), seed, dt, disturbance)
            for R in TURNS:
                turned, v = asked(R, seed, dt, disturbance)
                assert turned is success
                assert_allclose(v, flat, atol=1e-5 * max(1e-3, np.abs(flat).max()))


@pytest.mark.parametrize("rigid", [False, True])
def test_a_loop_in_a_tilted_plane_stays_closed(rigid: bool) -> None:
    for R in TURNS:
        case = Planar(R, 1)
        left, right = case.tips
        closed: DifferentialTask = PositionTask(left, case.beside[:3, 3], relative_to=right, equality=True)
        if rigid:
            closed = FrameTask(left, case.beside, relative_to=right, equality=True)
        ik = DifferentialIK(case.robot, [closed, _posture(case, 0)], limits=[])
        case.robot.positions = case.robot.positions + 1e-3
        for _ in range(400):
            step = ik.solve(dt=1e-3)
            assert step.success
            case.robot.positions = case.robot.tree.integrate(case.robot.positions, step.velocities, 1e-3)
        apart = np.linalg.inv(right.transform()) @ left.transform() - case.beside
        assert np.abs(apart if rigid else apart[:3, 3]).max() < 1e-12
        assert np.abs(case.robot.positions - case.posture).max() < 2.0  # it moved on the loop


def test_a_planar_arm_at_its_target_is_not_stuck() -> None:
    for seed in range(examples(20)):
        for R in TURNS:
            case = Planar(R, seed)
            given = DifferentialIKParameters(case.robot.num_dofs, time_step=1e-3)
            case.robot.positions = case.robot.positions + 1e-16
            found = differential_ik(case.robot, case.tips[0], case.pose, given)
            assert found.success and found.alpha == pytest.approx(1.0)
            assert np.abs(found.velocities).max() < 1e-9
            # Out of the plane it is.
            away = case.pose.copy()
            away[:3, 3] += 1e-6 * case.R[:, 2]
            assert not differential_ik(case.robot, case.tips[0], away, given).success


def test_limits_along_the_normal_of_the_plane_are_no_limits_of_it() -> None:
    """A floor in which the arm lies: rows and distances to it are 0, but for rounding."""
    quarter = Rotation.from_euler("y", np.pi / 2)
    for seed, (a, b) in enumerate(((0.3, 0.5), (1.0, 2.0), (-0.7, 0.1), (2.0, 0.4))):
        about_z = (
            Rotation.from_euler("z", a) * quarter * Rotation.from_euler("x", b) * quarter.inv()
        ).as_matrix()
        case = Planar(about_z, seed)
        tip = case.tips[0]
        J = case.robot.jacobian(tip, in_coordinates_of=kido.WORLD)
        assert 0.0 < np.abs(J[5]).max() < 1e-15
        goal = case.pose.copy()
        goal[:2, 3] += case.rng.normal(size=2) * 1e-2
        tasks = [FrameTask(tip, goal), _posture(case)]
        free = DifferentialIK(case.robot, tasks, limits=[]).solve(dt=1e-2).velocities
        floors: list[DifferentialLimit] = [
            CartesianPositionLimit(tip, lower=(-5.0, -5.0, 0.0)),
            CartesianPositionLimit(tip, upper=(5.0, 5.0, 0.0)),
            CartesianPositionLimit(tip, lower=(-5.0, -5.0, 0.0), upper=(5.0, 5.0, 0.0)),
            CartesianVelocityLimit(tip, (-900.0,) * 5 + (0.0,), (900.0,) * 5 + (0.0,)),
        ]
        for floor in floors:
            step = DifferentialIK(case.robot, tasks, limits=[floor]).solve(dt=1e-2)
            assert step.success and not step.is_relaxed
            assert_allclose(step.velocities, free, rtol=1e-6)
        given = DifferentialIKParameters(case.robot.num_dofs, velocity_flags=[False] * 3 + [True] * 3)
        given.add_linear_velocity_constraint(
            np.vstack([J[5], np.eye(case.robot.num_dofs)[0]]), [0, -9], [0, 9]
        )
        found = differential_ik(case.robot, tip, 0.1 * case.twist, given)
        assert found.success and found.alpha == pytest.approx(1.0)


@pytest.mark.parametrize("far", ["robot", "base", "both"])
@pytest.mark.parametrize("seed", range(6))
def test_a_frame_seen_from_another_is_at_rest_far_from_the_origin(seed: int, far: str) -> None:
    """Poses are known to the rounding of where they are in the world, not of how near frames are."""
    case = Planar(TURNS[seed % 3], seed)
    robot, left, away = case.robot, case.tips[0], np.array([2e3, -1e3, 3e3])
    for body in (body for body in robot.bodies if body.parent_body is None and far != "base"):
        T = body.parent_joint.T_parent_joint.copy()
        T[:3, 3] += away
        body.parent_joint.T_parent_joint = T
    right: kido.Frame = case.tips[1]
    if far != "both":
        right = kido.SimpleFrame("base", transform=right.transform())
        right.relative_translation = away if far == "base" else np.zeros(3)
    parameters = DifferentialIKParameters(time_step=0.01, num_positions=robot.num_dofs)
    wanted = left.transform(relative_to=right)
    robot.positions = robot.positions + 1e-3 * case.rng.normal(size=robot.num_dofs)
    for _ in range(10):
        step = differential_ik(robot, left, wanted, parameters, relative_to=right)
        assert step.status is DifferentialIKStatus.SOLUTION_FOUND and step.velocities is not None
        robot.positions = robot.positions + 0.01 * step.velocities
    assert_allclose(left.transform(relative_to=right), wanted, atol=1e-8)
