"""Tasks, limits and barriers of differential inverse kinematics."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from _effort import examples
from _tasked import TASKS, Array, arm, pose

import kido
from kido import _core
from kido.errors import EditError, RemovedError, UnknownNameError
from kido.ik import (
    AccelerationLimit,
    AxisAlignmentTask,
    BodySphereBarrier,
    CartesianPositionLimit,
    CartesianVelocityLimit,
    CenterOfMassTask,
    CollisionAvoidance,
    ConfigurationLimit,
    ConvergenceStatus,
    CustomTask,
    DampingTask,
    DifferentialBarrier,
    DifferentialIK,
    DifferentialIKStatus,
    FrameTask,
    FrameVelocityTask,
    JointCouplingTask,
    LookAtTask,
    ManipulabilityTask,
    MomentumTask,
    PositionTask,
    PostureTask,
    RowsLimit,
    VelocityLimit,
)
from kido.optimize import QuadraticProgram
from kido.skeleton import RevoluteJoint, Skeleton, WeldJoint


def moved(robot: Skeleton, velocities: Any, dt: float) -> None:
    robot.positions = robot.tree.integrate(robot.positions, np.asarray(velocities), dt)


@pytest.mark.parametrize("kind", TASKS)
def test_a_step_takes_away_its_part_of_the_error(kind: str) -> None:
    """To first order: what is left is of the size of the error squared."""
    rng = np.random.default_rng(len(kind))
    for _ in range(examples(10)):
        robot = arm(rng)
        task = TASKS[kind](robot, rng, 1e-3)
        task.gain = 0.25
        ik = DifferentialIK(robot, [task], [])
        before = ik.solve(dt=0.1)
        assert before.success
        moved(robot, before, 0.1)
        after = ik.solve(dt=0.1).error(task)
        error = before.error(task)
        counts = task.weight > 0.0
        assert np.abs(error[counts]).max() > 1e-5
        np.testing.assert_allclose(after[counts], 0.75 * error[counts], atol=2e-5)


@pytest.mark.parametrize("kind", TASKS)
def test_errors_vanish_at_the_target(kind: str) -> None:
    rng = np.random.default_rng(1)
    robot = arm(rng)
    task = TASKS[kind](robot, rng, 0.0)
    step = DifferentialIK(robot, [task], []).solve(dt=0.1)
    np.testing.assert_allclose(step.error(task)[task.weight > 0.0], 0.0, atol=1e-12)
    np.testing.assert_allclose(step.velocities, 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", TASKS)
def test_many_states_give_the_same_bits_as_one(kind: str) -> None:
    rng = np.random.default_rng(2)
    robot = arm(rng)
    task = TASKS[kind](robot, rng, 0.3)
    limits = [VelocityLimit(0.5), ConfigurationLimit(-1.0, 1.0, gain=0.5), AccelerationLimit(3.0)]
    tasks = [task, PostureTask(np.zeros(robot.num_dofs), weight=0.1)]
    ik = DifferentialIK(robot, tasks, limits, warm_start=False)
    q, v = rng.uniform(-1.1, 1.1, (21, robot.num_dofs)), rng.uniform(-0.5, 0.5, (21, robot.num_dofs))
    many = ik.solve_batch(q, v, 0.05)
    for i in range(len(q)):
        one = ik.solve(q[i], v[i], 0.05)
        assert one.velocities.tobytes() == many.velocities[i].tobytes()
        assert one.error(task).tobytes() == many.error(task)[i].tobytes()
        assert one.success == many.success[i]


def reference(robot: Skeleton, q: Array, hand: Any, T: Array, dt: float, program: dict[str, Any]) -> Array:
    """Frame, posture and boxes in NumPy, by another solver."""
    robot.positions = q
    J = robot.jacobian(hand, in_coordinates_of=kido.WORLD)
    now = np.asarray(hand.transform())
    from scipy.spatial.transform import Rotation

    angular = Rotation.from_matrix(now[:3, :3] @ T[:3, :3].T).as_rotvec()
    wanted = -program["gain"] / dt * np.concatenate([angular, now[:3, 3] - T[:3, 3]])
    W = np.diag(program["weights"] ** 2)
    n, w = robot.num_dofs, program["posture"] ** 2
    posture = -(q - program["home"]) / dt
    left = float(wanted @ W @ wanted) * (dt / program["gain"]) ** 2
    H = J.T @ W @ J + (w + 1e-8) * np.eye(n) + program["damping"] * left * np.diag(J.any(axis=0))
    g = -J.T @ W @ wanted - w * posture
    lower = np.maximum(-program["speed"], (program["lower"] - q) / dt)
    upper = np.minimum(program["speed"], (program["upper"] - q) / dt)
    return np.asarray(QuadraticProgram(H, g, lower=lower, upper=upper).solve(method="daqp").x)


def test_velocities_are_those_of_the_program_written_out() -> None:
    rng = np.random.default_rng(3)
    for _ in range(examples(30)):
        robot = arm(rng, ball=False)
        n, hand, dt = robot.num_dofs, robot.body("b6"), 0.05
        q, home, weights = rng.uniform(-0.8, 0.8, n), rng.uniform(-1.0, 1.0, n), rng.uniform(0.1, 2.0, 6)
        T = pose(rng.normal(size=3), rng.normal(size=3) * 0.3)
        task = FrameTask(hand, T, orientation_weight=weights[:3], position_weight=weights[3:])
        task.gain, task.damping = 0.3, float(rng.uniform(0.0, 0.5))
        limits = [VelocityLimit(0.7), ConfigurationLimit(-0.85, 0.85)]
        step = DifferentialIK(robot, [task, PostureTask(home, weight=0.3)], limits).solve(q, np.zeros(n), dt)
        program = {"gain": 0.3, "weights": weights, "posture": 0.3, "home": home}
        program |= {"damping": task.damping, "speed": 0.7, "lower": -0.85, "upper": 0.85}
        np.testing.assert_allclose(step.velocities, reference(robot, q, hand, T, dt, program), atol=1e-6)


def test_lower_levels_leave_higher_ones_alone() -> None:
    rng = np.random.default_rng(4)
    for _ in range(examples(20)):
        robot = arm(rng)
        hand, n = robot.body("b6"), robot.num_dofs
        first = PositionTask(hand, np.asarray(hand.transform())[:3, 3] + 0.2 * rng.normal(size=3))
        second = LookAtTask(robot.body("second"), (1.0, 0.0, 0.0), rng.normal(size=3), level=1)
        third = PostureTask(rng.normal(size=n), level=2)
        limits = [VelocityLimit(1.0)]
        alone = DifferentialIK(robot, [first], limits).solve(dt=0.1)
        two = DifferentialIK(robot, [second, first], limits).solve(dt=0.1)
        all_three = DifferentialIK(robot, [third, second, first], limits).solve(dt=0.1)
        J = robot.jacobian(hand, in_coordinates_of=kido.WORLD)[3:]
        np.testing.assert_allclose(J @ two.velocities, J @ alone.velocities, atol=1e-6)
        np.testing.assert_allclose(J @ all_three.velocities, J @ alone.velocities, atol=1e-6)
        gaze = _gaze_jacobian(robot, second)
        np.testing.assert_allclose(gaze @ all_three.velocities, gaze @ two.velocities, atol=1e-5)


def _gaze_jacobian(robot: Skeleton, task: LookAtTask) -> Array:
    """By finite differences of the error."""
    ik, q, rows = DifferentialIK(robot, [task], []), np.array(robot.positions), []
    for d in range(robot.num_dofs):
        step = 1e-6 * np.eye(robot.num_dofs)[d]
        ends = [ik.solve(robot.tree.integrate(q, s * step), None, 1.0).error(task) for s in (1, -1)]
        rows.append((ends[0] - ends[1]) / 2e-6)
    return np.array(rows).T


def test_equations_hold_and_may_have_no_solution() -> None:
    robot = arm(np.random.default_rng(5))
    hand = robot.body("b6")
    target = np.asarray(hand.transform())[:3, 3] + (0.1, 0.0, 0.0)
    task = PositionTask(hand, target, equality=True)
    other = PostureTask(np.zeros(robot.num_dofs), weight=10.0)
    step = DifferentialIK(robot, [other, task], []).solve(dt=1.0)
    v = robot.jacobian(hand, in_coordinates_of=kido.WORLD)[3:] @ step.velocities
    np.testing.assert_allclose(v, (0.1, 0.0, 0.0), atol=1e-9)
    step = DifferentialIK(robot, [task], [VelocityLimit(1e-3)]).solve(dt=1.0)
    assert step.status is DifferentialIKStatus.NO_SOLUTION
    assert not step.velocities.any()


def test_closed_loops_stay_closed() -> None:
    """Two frames of one robot that are held together, while the hand moves."""
    rng = np.random.default_rng(6)
    robot = arm(rng, 9)
    a, b = robot.body("b5"), robot.body("second")
    start = np.array(a.transform(relative_to=b))
    loop = PositionTask(a, start[:3, 3], relative_to=b, equality=True)
    hand = robot.body("b8")
    pull = PositionTask(hand, np.asarray(hand.transform())[:3, 3] + (0.1, 0.1, 0.0), gain=0.1)
    ik = DifferentialIK(robot, [loop, pull], [])
    for _ in range(30):
        moved(robot, ik.solve(dt=0.1), 0.1)
    np.testing.assert_allclose(a.transform(relative_to=b)[:3, 3], start[:3, 3], atol=1e-3)


class Walk:
    """A walk towards random targets, which reports positions and velocities after each step."""

    def __init__(self, seed: int, limits: list[Any], dt: float, ball: bool = False) -> None:
        self.rng = np.random.default_rng(seed)
        self.robot = arm(self.rng, ball=ball)
        self.dt = dt
        hand = self.robot.body("b6")
        self.task = PositionTask(hand)
        self.ik = DifferentialIK(self.robot, [self.task, DampingTask(1e-3)], limits)

    def step(self) -> Any:
        if self.rng.random() < 0.1:
            self.task.position = 2.0 * self.rng.normal(size=3)
        step = self.ik.solve(dt=self.dt)
        moved(self.robot, step, self.dt)
        self.robot.velocities = step.velocities
        return step


@pytest.mark.parametrize("gain", [0.3, 1.0])
@pytest.mark.parametrize("accelerates", [False, True])
def test_limits_hold_after_every_step(gain: float, accelerates: bool) -> None:
    limits: list[Any] = [ConfigurationLimit(-0.6, 0.7, gain=gain), VelocityLimit(1.5)]
    limits += [AccelerationLimit(4.0)] if accelerates else []
    for seed in range(examples(5)):
        walk = Walk(seed, limits, 0.02)
        before = np.zeros(walk.robot.num_dofs)
        for _ in range(200):
            step = walk.step()
            assert step.success
            q, v = np.asarray(walk.robot.positions), np.asarray(step.velocities)
            assert np.all(q >= -0.6 - 1e-14) and np.all(q <= 0.7 + 1e-14)
            assert np.all(np.abs(v) <= 1.5)
            if accelerates:
                assert np.all(np.abs(v - before) <= 4.0 * 0.02 * (1.0 + 1e-9))
            before = v


def test_a_start_outside_the_limits_comes_back_as_fast_as_it_may() -> None:
    walk = Walk(3, [ConfigurationLimit(-0.6, 0.7), VelocityLimit(1.0), AccelerationLimit(20.0)], 0.02)
    q = np.array(walk.robot.positions)
    q[0], q[1] = 1.5, -1.5
    walk.robot.positions = q
    far = np.array([0.8, 0.9])
    for count in range(200):
        assert walk.step().success
        now = np.asarray(walk.robot.positions)
        left = np.array([now[0] - 0.7, -0.6 - now[1]])
        assert np.all(left <= np.maximum(far, 1e-12))
        if count > 5:
            assert np.all((far - left >= 0.019) | (left <= 1e-12))
        far = left
    assert np.all(far <= 1e-12)


def test_limits_of_ball_joints_are_rows() -> None:
    walk = Walk(4, [ConfigurationLimit(-0.9, 0.9, gain=0.2), VelocityLimit(0.5)], 0.02, ball=True)
    for _ in range(300):
        assert walk.step().success
        assert np.abs(walk.robot.positions).max() <= 0.9 + 1e-3


def test_limits_that_contradict_each_other_are_widened_least() -> None:
    robot = arm(np.random.default_rng(7))
    hand = robot.body("b6")
    at = np.asarray(hand.transform())[:3, 3]
    box = CartesianPositionLimit(hand, at + np.array([0.3, -1.0, -1.0]), at + 1.0)
    limits = [box, VelocityLimit(0.2)]
    ik = DifferentialIK(robot, [PostureTask(robot.positions)], limits)
    step = ik.solve(dt=0.01)
    assert step.success and step.is_relaxed
    v = robot.jacobian(hand, in_coordinates_of=kido.WORLD)[3] @ step.velocities
    assert v > 0.05
    for _ in range(2000):
        step = ik.solve(dt=0.01)
        moved(robot, step, 0.01)
        if not step.is_relaxed:
            break
    assert np.asarray(hand.transform())[0, 3] >= at[0] + 0.3 - 1e-3


def test_frames_keep_to_their_limits_of_speed() -> None:
    rng = np.random.default_rng(8)
    robot = arm(rng)
    hand, second = robot.body("b6"), robot.body("second")
    most = np.array([0.2, 0.2, 0.2, 0.05, 0.05, np.inf])
    limit = CartesianVelocityLimit(hand, -most, most, relative_to=second)
    step = DifferentialIK(robot, [PostureTask(rng.normal(size=robot.num_dofs))], [limit]).solve(dt=0.1)
    R = np.kron(np.eye(2), np.asarray(hand.transform(relative_to=second))[:3, :3])
    V = R @ robot.jacobian(hand, relative_to=second) @ step.velocities
    assert np.all(np.abs(V) <= most + 1e-9)
    assert np.any(np.abs(V[:5]) >= most[:5] - 1e-9)
    assert any(active.kind == "CartesianVelocityLimit" for active in step.active_limits)


def test_a_velocity_of_a_frame_is_reached() -> None:
    rng = np.random.default_rng(9)
    robot = arm(rng, 8)
    hand, V = robot.body("b7"), 0.1 * rng.normal(size=6)
    step = DifferentialIK(robot, [FrameVelocityTask(hand, V)], []).solve(dt=0.1)
    J = robot.jacobian(hand, in_coordinates_of=kido.WORLD)
    np.testing.assert_allclose(J @ step.velocities, V, atol=1e-5)


def test_couplings_momentum_and_manipulability() -> None:
    rng = np.random.default_rng(10)
    robot = arm(rng)
    coupling = JointCouplingTask({"j0": 1.0, "j1": -2.0}, 0.3, equality=True)
    task = PositionTask(robot.body("b6"), rng.normal(size=3) * 0.3)
    ik = DifferentialIK(robot, [task, coupling], [])
    moved(robot, ik.solve(dt=0.1), 0.1)
    assert robot.dof("j0").position - 2.0 * robot.dof("j1").position == pytest.approx(0.3)
    momentum = MomentumTask(0.1 * rng.normal(size=6))
    step = DifferentialIK(robot, [momentum], [], damping=1e-12).solve(dt=0.1)
    has = robot.tree.centroidal_momentum(robot.positions, step.velocities)
    np.testing.assert_allclose(has, momentum.target, atol=1e-6)
    grow = ManipulabilityTask(robot.body("b6"))
    before = grow.manipulability(robot)
    moved(robot, DifferentialIK(robot, [grow], [VelocityLimit(0.1)]).solve(dt=0.01), 0.01)
    assert grow.manipulability(robot) > before


class Height(CustomTask):
    """A user's: the height of a body."""

    def __init__(self, body: Any, height: float) -> None:
        super().__init__(1)
        self._body, self._height = body, height

    __slots__ = ("_body", "_height")

    def compute_error(self, robot: Skeleton) -> Array:
        return np.array([np.asarray(self._body.transform())[2, 3] - self._height])

    def compute_jacobian(self, robot: Skeleton) -> Array:
        return robot.jacobian(self._body, in_coordinates_of=kido.WORLD)[5:]


class Floor(DifferentialBarrier):
    """A user's: a body stays above a height."""

    __slots__ = ("_body", "_height")

    def __init__(self, body: Any, height: float) -> None:
        super().__init__(gain=0.5)
        self._body, self._height = body, height

    def compute_values(self, robot: Skeleton) -> Array:
        return np.array([np.asarray(self._body.transform())[2, 3] - self._height])

    def compute_jacobian(self, robot: Skeleton) -> Array:
        return robot.jacobian(self._body, in_coordinates_of=kido.WORLD)[5:]


def test_tasks_and_barriers_of_the_users() -> None:
    robot = arm(np.random.default_rng(11))
    hand = robot.body("b6")
    z = float(np.asarray(hand.transform())[2, 3])
    ik = DifferentialIK(robot, [Height(hand, z - 0.3)], [Floor(hand, z - 0.1), VelocityLimit(5.0)])
    q0 = np.array(robot.positions)
    many = ik.solve_batch(np.stack([q0, q0 + 0.05]), None, 0.05)
    np.testing.assert_array_equal(robot.positions, q0)
    np.testing.assert_allclose(many.velocities[0], ik.solve(dt=0.05).velocities, atol=1e-12)
    for _ in range(100):
        moved(robot, ik.solve(dt=0.05), 0.05)
        assert np.asarray(hand.transform())[2, 3] >= z - 0.1 - 1e-4
    assert np.asarray(hand.transform())[2, 3] == pytest.approx(z - 0.1, abs=1e-3)


def test_what_users_return_is_checked() -> None:
    robot = arm(np.random.default_rng(12))

    class Wrong(Height):
        __slots__ = ()

        def compute_jacobian(self, robot: Skeleton) -> Array:
            return np.zeros((2, 3))

    class NoRows(RowsLimit):
        __slots__ = ()

        def compute_rows(self, robot: Skeleton, dt: float) -> Any:
            return np.zeros((1, robot.num_dofs)), [1.0], [0.0]

    q = np.array(robot.positions)
    with pytest.raises(ValueError, match=r"Wrong\.compute_jacobian"):
        DifferentialIK(robot, [Wrong(robot.bodies[-1], 0.0)]).solve(q + 0.1, dt=0.1)
    with pytest.raises(ValueError, match=r"NoRows\.compute_rows: expected lower at most upper"):
        DifferentialIK(robot, [PostureTask(q)], [NoRows()]).solve(dt=0.1)
    np.testing.assert_array_equal(robot.positions, q)


def test_balls_and_shapes_stay_apart() -> None:
    robot = arm(np.random.default_rng(13))
    hand, other = robot.body("b6"), robot.body("second")
    shape = kido.shape.Sphere(0.05)
    nodes = [body.add_shape_node(shape) for body in (hand, other)]
    goal = PositionTask(hand, np.zeros(3), relative_to=other, gain=0.2)
    for barrier in (BodySphereBarrier(hand, other, 0.2), CollisionAvoidance([(nodes[0], nodes[1])], 0.1)):
        twin = np.array(robot.positions)
        ik = DifferentialIK(robot, [goal, DampingTask(1e-3)], [barrier, VelocityLimit(1.0)])
        for _ in range(100):
            moved(robot, ik.solve(dt=0.02), 0.02)
            apart = np.linalg.norm(hand.transform(relative_to=other)[:3, 3])
            assert apart >= 0.2 - 1e-3
        assert apart < 0.25
        robot.positions = twin


def test_frozen_dofs_stand_still_and_followers_follow() -> None:
    rng = np.random.default_rng(14)
    robot = arm(rng, ball=False)
    robot.joint("j5").mimic = kido.description.Mimic("j3", multiplier=-0.5, offset=0.1)
    robot.joint("j5").actuator = kido.skeleton.ActuatorType.MIMIC
    robot.mimic_enforced = True
    hand = robot.body("b6")
    task = PositionTask(hand, np.asarray(hand.transform())[:3, 3] + 0.05 * rng.normal(size=3), gain=0.5)
    ik = DifferentialIK(robot, [task], [VelocityLimit(10.0)], frozen=["j1"])
    step = ik.solve(dt=0.1)
    v = step.velocities
    assert v[robot.dof("j1").index] == 0.0
    assert v[robot.dof("j5").index] == -0.5 * v[robot.dof("j3").index] != 0.0
    error = step.error(task)[3:]
    moved(robot, v, 0.1)
    np.testing.assert_allclose(ik.solve(dt=0.1).error(task)[3:], 0.5 * error, atol=5e-3)
    only = DifferentialIK(robot, [task], [], dofs=["j0", "j2"]).solve(dt=0.1).velocities
    assert set(np.flatnonzero(only)) == {robot.dof("j0").index, robot.dof("j2").index}


def test_converge_tells_how_it_ends() -> None:
    rng = np.random.default_rng(15)
    robot = arm(rng)
    q = np.array(robot.positions)
    hand = robot.body("b6")
    robot.positions = robot.tree.integrate(q, 0.2 * rng.normal(size=robot.num_dofs))
    T = np.array(hand.transform())
    robot.positions = q
    task = FrameTask(hand, T)
    limits = [VelocityLimit(2.0), ConfigurationLimit(q - 3.0, q + 3.0)]  # of slides too
    ik = DifferentialIK(robot, [task, PostureTask(q, level=1)], limits)
    result = ik.converge()
    assert result.status is ConvergenceStatus.SOLVED and result.error <= 1e-6
    np.testing.assert_array_equal(robot.positions, q)
    robot.positions = result.positions
    np.testing.assert_allclose(hand.transform(), T, atol=1e-5)
    task.target = pose(np.zeros(3), np.array([30.0, 0.0, 0.0]))
    assert ik.converge(max_steps=1000).status is ConvergenceStatus.STUCK
    assert ik.converge(max_steps=3).status is ConvergenceStatus.MAX_STEPS
    task.equality = True
    assert ik.converge().status is ConvergenceStatus.NO_SOLUTION


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limited", [False, True])
def test_converge_goes_to_equations_that_no_single_step_reaches(seed: int, limited: bool) -> None:
    """From a singular posture too, where no step takes away the error in some direction."""
    rng, robot = np.random.default_rng(seed), kido.gallery.arm7()
    robot.positions = robot.random_positions(rng)
    hand = robot.end_effector("tool")
    T = np.array(hand.transform())
    robot.positions = np.zeros(7)  # stretched
    task = FrameTask(hand, T, equality=True)
    ik = DifferentialIK(robot, [task], None if limited else [])
    result = ik.converge()
    assert result.status is ConvergenceStatus.SOLVED
    robot.positions = result.positions
    np.testing.assert_allclose(hand.transform(), T, atol=5e-6)
    if limited:
        assert (result.positions >= robot.position_lower_limits - 1e-9).all()
        assert (result.positions <= robot.position_upper_limits + 1e-9).all()


def test_the_centre_of_mass_counts_what_is_fixed_to_the_world() -> None:
    robot = arm(np.random.default_rng(0))
    robot.add_body("table", joint=WeldJoint("fixed"), inertia=kido.Inertia(3.0, (1.0, 2.0, 3.0), np.eye(3)))
    goal = robot.com() + np.array([0.01, 0.0, 0.0])
    task = CenterOfMassTask(goal)
    ik = DifferentialIK(robot, [task], [])
    np.testing.assert_allclose(ik.solve(dt=0.1).error(task), robot.com() - goal, atol=1e-12)
    moved(robot, ik.solve(dt=0.1), 0.1)
    np.testing.assert_allclose(robot.com(), goal, atol=1e-3)


def test_another_root_takes_the_place_of_one_that_was_removed() -> None:
    robot = arm(np.random.default_rng(0))
    robot.add_body("other root", joint=RevoluteJoint("hinge"))
    ik = DifferentialIK(robot, [DampingTask()])
    assert len(ik.solve(dt=0.1).velocities) == robot.num_dofs
    robot.body("b0").remove()
    assert len(ik.solve(dt=0.1).velocities) == robot.num_dofs == 1
    robot = arm(np.random.default_rng(0))
    ik = DifferentialIK(robot, [PositionTask(robot.body("b6"))])
    robot.body("b6").remove()
    with pytest.raises(RemovedError):
        ik.solve(dt=0.1)


def test_changes_of_tasks_frames_and_robot_count_at_the_next_step() -> None:
    rng = np.random.default_rng(16)
    robot = arm(rng)
    goal = kido.SimpleFrame("goal", None, np.asarray(robot.body("b6").transform()))
    task = FrameTask(robot.body("b6"), goal)
    ik = DifferentialIK(robot, [task], [VelocityLimit()])
    np.testing.assert_allclose(ik.solve(dt=0.1).velocities, 0.0, atol=1e-9)
    goal.set_translation(np.asarray(goal.transform())[:3, 3] + (0.1, 0.0, 0.0))
    first = ik.solve(dt=0.1).velocities
    assert np.abs(first).max() > 1e-3
    robot.velocity_upper_limits = np.full(robot.num_dofs, 1e-3)
    robot.velocity_lower_limits = np.full(robot.num_dofs, -1e-3)
    assert np.abs(ik.solve(dt=0.1).velocities).max() <= 1e-3
    task.position_weight = 0.0
    task.orientation_weight = 0.0
    np.testing.assert_allclose(ik.solve(dt=0.1).velocities, 0.0, atol=1e-12)
    joint = RevoluteJoint("new", axis=(1.0, 0.0, 0.0))
    robot.add_body("new", robot.body("b6"), joint)
    assert len(ik.solve(dt=0.1).velocities) == robot.num_dofs


OTHER = arm(np.random.default_rng(1))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda r: DifferentialIK(None), TypeError, "robot: expected a Skeleton"),
        (lambda r: DifferentialIK(r, [None]), TypeError, "tasks"),
        (lambda r: DifferentialIK(r, [], [VelocityLimit()] * 2), ValueError, "expected one VelocityLimit"),
        (lambda r: DifferentialIK(r, [PostureTask(np.zeros(3))]), ValueError, "target: expected"),
        (lambda r: DifferentialIK(r, [FrameTask(OTHER.bodies[-1])]), ValueError, "frame that arm moves"),
        (lambda r: DifferentialIK(r, [], frozen=["nowhere"]), UnknownNameError, "nowhere"),
        (lambda r: DifferentialIK(r, [], dofs=[]), ValueError, "dofs: expected one"),
        (lambda r: DifferentialIK(r).solve(), TypeError, "dt: expected"),
        (lambda r: DifferentialIK(r).solve(dt=0.0), ValueError, "dt: expected"),
        (lambda r: DifferentialIK(r).solve(np.zeros(3), dt=0.1), ValueError, "q: expected shape"),
        (lambda r: DifferentialIK(r).solve_batch(np.zeros((2, 3)), dt=0.1), ValueError, "q: expected shape"),
        (lambda r: DifferentialIK(r, damping=0.0), ValueError, "damping: expected"),
        (lambda r: FrameTask(r.bodies[-1], np.zeros((4, 4))), ValueError, "target: expected a rigid"),
        (lambda r: FrameTask(r.bodies[-1], gain=1.5), ValueError, "gain: expected"),
        (lambda r: FrameTask(r.bodies[-1], level=-1), ValueError, "level: expected"),
        (lambda r: FrameTask(r.bodies[-1], position_weight=-1.0), ValueError, "position_weight: expected 0"),
        (lambda r: FrameTask("hand"), TypeError, "frame: expected a Frame"),
        (lambda r: ConfigurationLimit(1.0, 0.0), ValueError, "lower: expected at most upper"),
        (lambda r: ConfigurationLimit(gain=0.0), ValueError, "gain: expected"),
        (lambda r: VelocityLimit(-1.0), ValueError, "limits: expected 0 or above"),
        (lambda r: AccelerationLimit(0.0), ValueError, "limits: expected numbers above 0"),
        (lambda r: DifferentialIK(r, [], [VelocityLimit(np.ones(2))]), ValueError, "limits: expected"),
        (lambda r: BodySphereBarrier(r.bodies[0], r.bodies[1], 0.0), ValueError, "distance: expected"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused_at_the_call(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(arm(np.random.default_rng(0)))


def test_a_task_that_is_refused_changes_nothing() -> None:
    robot = arm(np.random.default_rng(0))
    ik = DifferentialIK(robot, [PostureTask(np.zeros(robot.num_dofs))])
    before = ik.solve(dt=0.1).velocities
    with pytest.raises(ValueError, match="target: expected"):
        ik.add_task(PostureTask(np.zeros(3)))
    assert len(ik.tasks) == 1
    np.testing.assert_allclose(ik.solve(dt=0.1).velocities, before)
    with pytest.raises(ValueError, match="task: expected one of the 1"):
        ik.remove_task(DampingTask())
    limit = VelocityLimit(1e-3)
    with pytest.raises(ValueError, match="expected one VelocityLimit"):
        ik.add_limit(limit)
    np.testing.assert_allclose(ik.solve(dt=0.1).velocities, before)
    slow = CartesianVelocityLimit(robot.body("b6"), -1e-3, 1e-3)
    ik.add_limit(slow)
    velocity = robot.jacobian(robot.body("b6")) @ ik.solve(dt=0.1).velocities
    assert np.abs(velocity).max() <= 2e-3
    ik.remove_limit(slow)
    np.testing.assert_allclose(ik.solve(dt=0.1).velocities, before)
    with pytest.raises(ValueError, match="limit: expected one of the 2"):
        ik.remove_limit(limit)


def test_no_state_and_one_state_are_batches() -> None:
    robot = arm(np.random.default_rng(0))
    ik = DifferentialIK(robot, [PostureTask(np.ones(robot.num_dofs))], [VelocityLimit(1.0)])
    q = np.array(robot.positions)
    assert ik.solve_batch(np.zeros((0, robot.num_dofs)), dt=0.1).velocities.shape == (0, robot.num_dofs)
    one = ik.solve_batch(q, dt=0.1)
    assert one.success.shape == ()
    np.testing.assert_array_equal(one.velocities, ik.solve(dt=0.1).velocities)
    assert ik.solve_batch(q[None, None], dt=0.1).velocities.shape == (1, 1, robot.num_dofs)


def test_copies_have_the_same_robot_and_others_are_refused() -> None:
    robot = arm(np.random.default_rng(0))
    task = PostureTask(np.ones(robot.num_dofs))
    ik = DifferentialIK(robot, [task], [VelocityLimit(0.5)], frozen=["j1"])
    again = copy.copy(ik)
    assert again.robot is robot and again.tasks == ik.tasks
    np.testing.assert_array_equal(again.solve(dt=0.1).velocities, ik.solve(dt=0.1).velocities)
    for part in (ik, task):
        with pytest.raises(TypeError, match="make one anew of the copied robot"):
            pickle.dumps(part)
        with pytest.raises(TypeError, match="make one anew of the copied robot"):
            copy.deepcopy(part)


def test_batches_on_threads_take_turns_or_say_so() -> None:
    robot = arm(np.random.default_rng(0))
    hand = robot.body("b6")
    ik = DifferentialIK(robot, [FrameTask(hand, pose(np.ones(3), np.ones(3)))], [VelocityLimit(0.5)])
    states = np.random.default_rng(1).uniform(-0.5, 0.5, (20000, robot.num_dofs))
    expected = ik.solve_batch(states, dt=0.1).velocities
    outcomes: list[bool] = []

    def ask() -> None:
        try:
            outcomes.append(bool(np.array_equal(ik.solve_batch(states, dt=0.1).velocities, expected)))
        except EditError:
            outcomes.append(True)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [True] * 4


def test_instruction_sets_give_the_same_bits(runtime: None) -> None:
    rng = np.random.default_rng(0)
    robot = arm(rng)
    task = TASKS["relative"](robot, rng, 0.3)
    tasks = [task, PostureTask(np.zeros(robot.num_dofs), level=1)]
    ik = DifferentialIK(robot, tasks, [VelocityLimit(0.5)], warm_start=False)
    states = rng.uniform(-1.0, 1.0, (30, robot.num_dofs))
    found = []
    for name in _core.instruction_sets():
        _core.set_instruction_set(name)
        found.append(ik.solve_batch(states, dt=0.1).velocities.tobytes())
    assert len(set(found)) == 1


def test_a_step_of_a_posture_takes_a_free_body_to_its_place() -> None:
    """Positions are integrated with velocities in the body's axes."""
    robot = kido.Skeleton("free")
    robot.add_body("body", None, kido.FreeJoint("root"))
    rng = np.random.default_rng(0)
    for _ in range(examples(10)):
        q = np.concatenate([rng.uniform(-1.5, 1.5, 3), rng.normal(size=3)])
        target = np.concatenate([q[:3], rng.normal(size=3)])
        robot.positions = q
        step = DifferentialIK(robot, [PostureTask(target)], []).solve(dt=0.1)
        np.testing.assert_allclose(robot.tree.integrate(q, step.velocities, 0.1), target, atol=1e-6)


def test_a_task_of_an_axis_leaves_turns_about_it_alone() -> None:
    robot = kido.Skeleton("ball")
    body = robot.add_body("body", None, kido.BallJoint("root"))
    rng = np.random.default_rng(1)
    for _ in range(examples(10)):
        robot.positions = rng.uniform(-1.0, 1.0, 3)
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        now = np.asarray(body.transform())[:3, :3] @ axis
        spin = FrameVelocityTask(body, [*(0.7 * now), 0.0, 0.0, 0.0], weight=(1, 1, 1, 0, 0, 0))
        ik = DifferentialIK(robot, [AxisAlignmentTask(body, axis, now, equality=True), spin], [])
        robot.velocities = ik.solve(dt=0.1).velocities
        np.testing.assert_allclose(
            body.spatial_velocity(in_coordinates_of=kido.WORLD)[:3], 0.7 * now, atol=1e-6
        )


def test_levels_below_one_that_leaves_no_freedom_have_a_solution() -> None:
    """What the upper level reaches, zero up to rounding for the arms, are equations of the lower one, and
    depend on each other."""
    robot = kido.gallery.humanoid()
    hand, torso = robot.body("right_hand"), robot.body("torso")
    lower = torso.transform()[:3, 3] - np.array([0.0, 0.0, 0.05])
    tasks = [
        FrameTask(hand, relative_to=robot.body("left_hand"), equality=True),
        PositionTask(torso, lower),
        DampingTask(1e-3),
    ]
    first = DifferentialIK(robot, tasks, []).solve(dt=0.02)
    below = PostureTask(np.array(robot.positions) + 0.3, gain=0.2, level=1)
    step = DifferentialIK(robot, [*tasks, below], []).solve(dt=0.02)
    assert first.success and step.success
    np.testing.assert_allclose(step.velocities, first.velocities, atol=1e-7)
    batch = DifferentialIK(robot, [*tasks, below], []).solve_batch(np.stack([robot.positions] * 3), dt=0.02)
    assert batch.success.all()
