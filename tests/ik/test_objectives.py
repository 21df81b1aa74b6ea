"""Objectives of modules and hierarchies: targets are kept, objectives at a minimum to first order."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable

import numpy as np
import pytest
from _poses import Array
from scipy.optimize import lsq_linear

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import JacobianPseudoinverse, LookAt, PositionError, TaskSpaceRegion, WholeBodyIK
from kido.optimize import Function, ModularFunction


class Distance(Function):
    """Half the squared distance from positions, times a weight."""

    def __init__(self, wanted: Array, weight: float = 1.0) -> None:
        self.wanted, self.weight = wanted, weight

    def value(self, x: Array) -> float:
        return float(0.5 * self.weight * np.sum((x - self.wanted) ** 2))

    def gradient(self, x: Array) -> Array:
        return self.weight * (x - self.wanted)


class Manipulability(Function):
    """Minus the logarithm of Yoshikawa's measure of an arm at positions; its gradient by differences."""

    def __init__(self, ik: InverseKinematics) -> None:
        self._tree, self._body, self._dofs = ik.node.skeleton.tree, ik.body.index, ik.dof_indices
        self._q = ik.node.skeleton.positions.copy()

    def value(self, x: Array) -> float:
        self._q[self._dofs] = x
        J = self._tree.jacobian(self._q, self._body)[:, self._dofs]
        return -0.5 * float(np.log(np.linalg.det(J @ J.T)))


def seven() -> InverseKinematics:
    """An arm of seven joints with limits."""
    robot = kido.Skeleton("seven")
    body = None
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    for i, axis in enumerate(axes):
        joint = kido.RevoluteJoint(f"q{i}", axis=axis, T_parent_joint=(0.0, 0.0, 0.2) if i else None)
        body = robot.add_body(f"link{i}", body, joint)
        body.mass = 1.0
    assert body is not None
    tip = body.add_end_effector("tip", (0.0, 0.0, 0.1))
    robot.position_lower_limits, robot.position_upper_limits = -2.0, 2.0
    return InverseKinematics.of(tip)


def residual(ik: InverseKinematics, x: Array, gradient: Array, rows: Array | None = None) -> float:
    """The largest component of the gradient of the Lagrangian with the best multipliers, those of limits of
    the right sign, relative to the largest of the gradient."""
    lower, upper = ik.position_limits
    with ik.at(x):
        J = ik.jacobian() if rows is None else rows
    at_lower, at_upper = x <= lower + 1e-6, x >= upper - 1e-6
    eye = np.eye(len(x))
    A = np.concatenate([J, eye[at_lower], -eye[at_upper]]).T
    free = np.full(len(J), -np.inf)
    low = np.concatenate([free, np.zeros(A.shape[1] - len(J))])
    found = lsq_linear(A, gradient, (low, np.full(len(low), np.inf)), tol=1e-14, lsmr_tol=1e-14)
    return float(np.abs(gradient - A @ found.x).max() / np.abs(gradient).max())


def reachable(ik: InverseKinematics, count: int, seed: int = 0) -> list[Array]:
    lower, upper = ik.position_limits
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        with ik.at(rng.uniform(lower, upper)):
            found.append(ik.transform())
    return found


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("space", ["objective", "null_space_objective"])
def test_a_posture_is_as_near_as_the_target_lets_it(space: str, weight: float) -> None:
    ik = seven()
    posture = Distance(np.linspace(-0.6, 0.9, 7), weight)
    setattr(ik, space, posture)
    for target in reachable(ik, 30):
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success and result.is_optimal, result.message
        assert max(result.angular_error, result.linear_error) < 1e-6
        assert residual(ik, result.positions, posture.gradient(result.positions)) < 1e-6
        assert "the objective at a minimum" in result.message


def test_steps_know_how_the_objective_bends_at_their_end() -> None:
    class Counted(Distance):
        asked = 0

        def value(self, x: Array) -> float:
            Counted.asked += 1
            return super().value(x)

    ik = seven()
    ik.objective = Counted(np.linspace(-0.6, 0.9, 7))
    targets = [target for seed in range(3) for target in reachable(ik, 60, seed)]
    for target in targets:
        ik.target.set_transform(target)
        assert ik.solve().is_optimal
    assert Counted.asked < 5 * len(targets)  # 5.3 where steps know the curvature in their middle alone


def test_a_posture_is_nearer_than_without_it() -> None:
    ik = seven()
    posture = Distance(np.full(7, 0.3))
    gained = 0.0
    for target in reachable(ik, 20, seed=3):
        ik.target.set_transform(target)
        plain = ik.solve()
        ik.objective = posture
        best = ik.solve()
        ik.objective = None
        assert (
            plain.stationarity is None
            and posture.value(best.positions) <= posture.value(plain.positions) + 1e-9
        )
        gained += posture.value(plain.positions) - posture.value(best.positions)
    assert gained > 1.0


# Two arms that are nearly straight: their positions turn sharply where the target is kept.
NEARLY_STRAIGHT = (
    (
        0.4220401686977131,
        -0.1931193079635687,
        1.391960390443904,
        0.0004023643515798647,
        0.7451515560228339,
        -0.14914705059541244,
        1.8288035133826823,
    ),
    (
        -0.7740595300398767,
        -1.8231343238864377,
        -1.9162472809803792,
        0.0028370259810432397,
        -1.7187780767032006,
        -0.054680948333286405,
        -0.8207903411700941,
    ),
)


@pytest.mark.parametrize("weight", [1.0, 1e4])
@pytest.mark.parametrize("place", range(len(NEARLY_STRAIGHT)))
def test_the_minimum_is_found_beside_singular_positions(place: int, weight: float) -> None:
    ik = seven()
    lower, upper = ik.position_limits
    objective = Distance(0.3 * lower + 0.2 * upper, weight)
    ik.objective = objective
    with ik.at(np.array(NEARLY_STRAIGHT[place])):
        ik.target.set_transform(ik.node.transform())
    result = ik.solve()
    assert result.success and result.is_optimal
    assert residual(ik, result.positions, objective.gradient(result.positions)) <= 1e-6


def test_large_objectives_end_at_limits_as_small_ones_do() -> None:
    ik = seven()
    lower, upper = ik.position_limits
    with ik.at(
        np.array(
            (
                1.0683569929545236,
                0.8162166451445803,
                -1.8428482364095227,
                -0.9664666476013419,
                1.6545290393315848,
                -1.325076522217361,
                -1.0531625580220227,
            )
        )
    ):
        ik.target.set_transform(ik.node.transform())
    for weight in (1.0, 1e6):
        ik.objective = Distance(0.9 * upper, weight)
        result = ik.solve()
        room = np.minimum(result.positions - lower, upper - result.positions)
        assert result.is_optimal
        assert np.min(room) < 1e-9


def test_an_arm_goes_where_it_is_nimble() -> None:
    ik = seven()
    ik.objective = measure = Manipulability(ik)
    for target in reachable(ik, 15, seed=1):
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success and result.is_optimal, result.message
        gradient = measure.gradient_within(result.positions, *ik.position_limits)
        assert residual(ik, result.positions, gradient) < 1e-5  # of differences


def test_arms_without_freedom_keep_their_target() -> None:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.objective = Distance(np.zeros(6), 1e3)
    for target in reachable(ik, 20):
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success and result.stationarity is not None
        assert max(result.angular_error, result.linear_error) < 1e-6


def test_positions_alone_leave_four_dofs_to_the_objective() -> None:
    ik = seven()
    ik.error_method = PositionError()
    ik.objective = posture = Distance(np.linspace(0.5, -0.5, 7))
    for target in reachable(ik, 20, seed=2):
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success and result.is_optimal
        with ik.at(result.positions):
            rows = ik.jacobian()[3:]
        assert residual(ik, result.positions, posture.gradient(result.positions), rows) < 1e-6


def test_the_first_step_for_an_objective_is_as_long_along_the_target_whatever_its_gradient() -> None:
    """A fifth of a radian, though most of the gradient may be across."""
    ik = seven()
    ik.error_method = PositionError()
    posture, asked = Distance(np.linspace(0.5, -0.5, 7)), list[Array]()

    def value(x: Array) -> float:
        asked.append(x)
        return posture.value(x)

    ik.objective = ModularFunction(value, posture.gradient)
    for target in reachable(ik, 20, seed=2):
        asked.clear()
        ik.target.set_transform(target)
        assert ik.solve().is_optimal
        assert 0.15 < np.abs(asked[1] - asked[0]).max() < 0.25


def test_where_values_hide_which_positions_are_lower_the_answer_is_the_calmest_of_all() -> None:
    """Beside 1e8, differences of a posture are rounding, and its gradient trembles: the residual decides."""
    ik = seven()
    ik.error_method = PositionError()
    posture, asked = Distance(np.linspace(0.5, -0.5, 7)), list[Array]()

    def trembling(x: Array) -> Array:
        asked.append(x.copy())
        return np.asarray(posture.gradient(x) + 1e-6 * np.sin(1e9 * x))

    ik.objective = ModularFunction(lambda x: posture.value(x) + 1e8, trembling)

    def left(x: Array) -> float:
        with ik.at(x):
            rows = ik.jacobian()[3:]
        return residual(ik, x, posture.gradient(x) + 1e-6 * np.sin(1e9 * x), rows)

    for target in reachable(ik, 10, seed=2):
        asked.clear()
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success and np.abs(asked[-1] - result.positions).max() < 1e-12  # asked there once more
        assert left(result.positions) <= 1.001 * min(map(left, asked))


def test_a_region_is_left_where_the_objective_wants_it_and_kept_where_not() -> None:
    ik = seven()
    inside = np.array([0.4, -0.5, 0.3, 0.9, -0.2, 0.7, 0.1])
    with ik.at(inside):
        ik.target.set_transform(ik.transform())
    ik.error_method = TaskSpaceRegion(linear=(0.05, 0.05, 0.05), angular=(0.2, 0.2, 0.2))
    ik.positions = inside + 0.03
    ik.objective = Distance(inside)
    result = ik.solve()
    assert result.success and result.is_optimal
    np.testing.assert_allclose(result.positions, inside, atol=1e-6)  # bounds hold nothing back
    ik.objective = far = Distance(np.zeros(7))
    result = ik.solve()
    assert result.success and result.is_optimal
    assert far.value(result.positions) < far.value(inside)
    with ik.at(result.positions):
        moved = ik.transform()[:3, 3] - ik.target.transform()[:3, 3]
    assert np.abs(moved).max() < 0.05 + 1e-6 and np.abs(moved).max() > 0.05 - 1e-6


def test_a_gaze_stays_in_its_cone() -> None:
    ik = seven()
    ik.error_method = LookAt((0.0, 0.0, 1.0), 0.3)
    ik.positions = np.linspace(0.2, 0.8, 7)
    ik.target.set_translation((1.0, 0.8, 0.5))
    ik.objective = Distance(np.zeros(7))
    result = ik.solve()
    assert result.success and result.is_optimal
    with ik.at(result.positions):
        T, goal = ik.transform(), ik.target.transform()[:3, 3]
        sight = (goal - T[:3, 3]) / np.linalg.norm(goal - T[:3, 3])
        angle = math.acos(np.clip(T[:3, 2] @ sight, -1.0, 1.0))
    np.testing.assert_allclose(angle, 0.3, atol=2e-6)


def test_frozen_dofs_stay_and_the_others_lower_the_objective() -> None:
    ik = seven()
    ik.error_method = PositionError()
    ik.positions = start = np.array([0.3, 0.4, -0.2, 0.8, 0.1, -0.5, 0.6])
    ik.target.set_translation(ik.transform()[:3, 3] + (0.03, -0.02, 0.01))
    ik.objective = posture = Distance(np.zeros(7))
    result = ik.solve(frozen=[ik.dofs[2]])
    assert result.success and result.is_optimal and result.positions[2] == start[2]
    with ik.at(result.positions):
        rows = ik.jacobian()[3:]
    rows[:, 2], gradient = 0.0, posture.gradient(result.positions)
    gradient[2] = 0.0
    assert residual(ik, result.positions, gradient, rows) < 1e-6


def test_a_floating_base_and_ball_joints_lower_objectives_along_the_group() -> None:
    robot = kido.Skeleton("kite")
    base = robot.add_body("base", joint=kido.FreeJoint("free"))
    arm = robot.add_body("arm", base, kido.BallJoint("ball", T_parent_joint=(0.4, 0.0, 0.1)))
    robot.positions = [0.3, -0.2, 0.5, 0.1, 0.2, 0.3, -0.4, 0.6, 0.2]
    ik = InverseKinematics.of(arm)
    ik.use_whole_body()
    ik.error_method = PositionError()
    ik.offset = (0.3, 0.1, 0.0)
    ik.target.set_translation((0.8, 0.5, 0.2))
    ik.objective = posture = Distance(np.linspace(-0.4, 0.4, 9))
    result = ik.solve()
    assert result.success and result.is_optimal
    tree, q = robot.tree, np.array(result.positions)
    gradient = np.array(
        [
            (posture.value(tree.integrate(q, h, 1.0)) - posture.value(tree.integrate(q, -h, 1.0))) / 2e-6
            for h in 1e-6 * np.eye(9)
        ]
    )
    with ik.at(q):
        rows = ik.jacobian()[3:]
    left = gradient - rows.T @ np.linalg.lstsq(rows.T, gradient, rcond=None)[0]
    assert np.abs(left).max() < 1e-6 * np.abs(gradient).max() + 1e-8


def test_what_is_not_reached_has_no_objective() -> None:
    ik = seven()
    ik.target.set_translation((5.0, 0.0, 0.0))
    plain = ik.solve()
    ik.objective = Distance(np.zeros(7))
    result = ik.solve()
    assert not result.success and result.stationarity is None and not result.is_optimal
    np.testing.assert_allclose(result.linear_error, plain.linear_error, rtol=1e-3)


def test_an_objective_without_a_minimum_is_told() -> None:
    robot = kido.Skeleton("cart")
    cart = robot.add_body("cart", joint=kido.PrismaticJoint("x", axis=(1.0, 0.0, 0.0)))
    arm = robot.add_body("arm", cart, kido.RevoluteJoint("turn"))
    ik = InverseKinematics.of(arm)
    ik.use_whole_body()
    ik.error_method = PositionError(linear_weights=(0.0, 1.0, 1.0))
    ik.objective = ModularFunction(lambda x: float(-x[0]), lambda x: np.array([-1.0, 0.0]))
    begin = time.process_time()
    result = ik.solve()
    assert result.success and not result.is_optimal and time.process_time() - begin < 5.0
    assert "not at a minimum" in result.message


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (ModularFunction(lambda x: "1", lambda x: x), TypeError),
        (ModularFunction(lambda x: 1.0, lambda x: x[:3]), ValueError),
        (ModularFunction(lambda x: 1.0 / 0.0, lambda x: x), ZeroDivisionError),
    ],
)
def test_objectives_that_are_none_are_named(function: Function, error: type[Exception]) -> None:
    ik = seven()
    ik.objective = function
    before = ik.positions
    with pytest.raises(error):
        ik.solve()
    np.testing.assert_array_equal(ik.positions, before)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_objective_that_is_no_number_is_not_at_a_minimum(value: float) -> None:
    ik = seven()
    ik.objective = ModularFunction(lambda x: value, lambda x: np.zeros(7))
    result = ik.solve()
    assert result.success and not result.is_optimal


def test_objectives_go_with_gradient_methods_batches_tracks_and_pickles() -> None:
    ik = seven()
    posture = Distance(np.full(7, 0.2))
    ik.objective = posture
    targets = np.array(reachable(ik, 3, seed=7))
    batch = ik.solve_batch(targets)
    assert batch.success.all() and len(batch.stationarity) == 3
    for target, row in zip(targets, batch, strict=True):
        ik.target.set_transform(target)
        assert ik.solve() == row and row.is_optimal
    copy = InverseKinematics.of(pickle.loads(pickle.dumps(ik.node.skeleton)).end_effector("tip"))
    assert copy.solve() == ik.solve()
    ik.gradient_method = JacobianPseudoinverse()
    assert ik.solve().is_optimal
    before = ik.positions
    steps = ik.track(targets[:1], largest_change=0.05, time_budget=1.0)
    assert np.abs(steps.positions[0] - before).max() <= 0.05 + 1e-12


def test_a_hierarchy_moves_all_dofs_for_its_objective_but_locked_ones() -> None:
    robot = gallery.humanoid()
    foot = InverseKinematics.of(robot.end_effector("left_foot"))
    foot.use_whole_body()
    foot.target.set_transform(foot.transform())
    robot.dof("waist_yaw").joint.actuator = "locked"
    wanted = robot.positions.copy()
    lower, upper = robot.position_lower_limits[6:], robot.position_upper_limits[6:]
    wanted[6:] = 0.5 * (np.clip(lower, -1, 1) + np.clip(upper, -1, 1)) + 0.1
    whole = WholeBodyIK(robot, settings=SearchSettings(max_starts=5, time_budget=math.inf))
    whole.objective = posture = Distance(wanted)
    result = whole.solve()
    assert result.success and result.is_optimal, result.message
    moved = np.abs(result.positions - robot.positions)
    assert moved[robot.dof("waist_yaw").index] == 0.0
    arm = [dof.index for dof in robot.dofs if "right" in dof.name and "elbow" in dof.name]
    assert arm and (moved[arm] > 1e-3).all()  # no module moves it
    assert posture.value(result.positions) < posture.value(robot.positions)


def limited_joints(seed: int) -> InverseKinematics:
    """A base with a free joint, a ball joint and a hinge, each of whose coordinates has narrow limits."""
    robot = kido.Skeleton("robot")
    base = robot.add_body("base", None, kido.FreeJoint("root"))
    arm = robot.add_body("arm", base, kido.BallJoint("ball", T_parent_joint=(0.4, 0.0, 0.1)))
    hand = robot.add_body("hand", arm, kido.RevoluteJoint("hinge", T_parent_joint=(0.5, 0.0, 0.0)))
    rng = np.random.default_rng(seed)
    middle = rng.uniform(-0.5, 0.5, robot.num_dofs)
    robot.position_lower_limits = middle - rng.uniform(0.1, 0.6, robot.num_dofs)
    robot.position_upper_limits = middle + rng.uniform(0.1, 0.6, robot.num_dofs)
    ik = InverseKinematics.of(hand)
    ik.use_whole_body()
    ik.offset = (0.3, 0.1, 0.0)
    return ik


def compound_leg(seed: int) -> InverseKinematics:
    """A leg whose hip is a ball joint."""
    return InverseKinematics.of(gallery.humanoid(compound_joints=True).end_effector("right_foot"))


class OwnPosition(PositionError):
    """An error that Python is asked for."""

    def region(self, ik: kido.ik.IKQuery) -> None:  # type: ignore[override]
        return None


@pytest.mark.parametrize("make", [limited_joints, compound_leg])
@pytest.mark.parametrize("method", [PositionError(), OwnPosition()])
def test_limits_of_ball_and_free_joints_hold_an_objective(
    make: Callable[[int], InverseKinematics], method: PositionError
) -> None:
    """In coordinates, each between its limits, conditions of Karush, Kuhn and Tucker hold."""
    at_limits = 0
    for seed in range(25):
        ik, rng = make(seed), np.random.default_rng(100 + seed)
        lower, upper = ik.position_limits
        ik.error_method = method
        with ik.at(rng.uniform(lower, upper)):
            T = ik.transform().copy()
        ik.target.set_transform(T)
        ik.positions = rng.uniform(lower, upper)
        center = 0.5 * (lower + upper) + rng.uniform(-1.0, 1.0, len(lower))
        ik.objective = Distance(center, 1.0)
        result = ik.solve()
        x = result.positions
        assert result.success and np.all(x >= lower) and np.all(x <= upper)
        assert result.is_optimal, (seed, result.message)

        def point(at: Array, ik: InverseKinematics = ik) -> Array:
            with ik.at(at):
                return ik.transform()[:3, 3]

        rows = np.array([(point(x + 1e-6 * e) - point(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))]).T
        np.testing.assert_allclose(point(x), T[:3, 3], atol=2e-6)
        assert residual(ik, x, ik.objective.gradient(x), rows) < 1e-5, seed
        ball = [i for i, dof in enumerate(ik.dofs) if dof.joint.num_dofs > 1]
        at_limits += sum(x[i] <= lower[i] or x[i] >= upper[i] for i in ball)
    assert at_limits > 5
