"""Modules and hierarchies without a solver whose problem asks more than the search knows: constraints,
bounds, seeds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from _effort import examples
from _ik_situations import panda
from _planar import redundant, tip, tip_jacobian
from _poses import Array
from scipy.optimize import lsq_linear

from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import IKResult, PositionError, Posture, WholeBodyIK
from kido.optimize import Function, ModularFunction, ModularMultiFunction, Problem

EYE = np.eye(7)


class Straight(Function):
    """Half the square of the positions, times a weight."""

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight

    def value(self, x: Array) -> float:
        return 0.5 * self.weight * float(x @ x)

    def gradient(self, x: Array) -> Array:
        return self.weight * x


# ---- what is added: positions that meet it, and the problem with it


def locked_joint(problem: Problem) -> None:
    problem.equality_constraints.add(ModularFunction(lambda x: x[2] - 0.3, lambda x: EYE[2], name="locked"))


def coupled_joints(problem: Problem) -> None:
    problem.equality_constraints.add(
        ModularFunction(lambda x: x[2] + x[4] - 0.5, lambda x: EYE[2] + EYE[4], name="coupled")
    )


def low_elbow(problem: Problem) -> None:
    problem.inequality_constraints.add(
        ModularFunction(lambda x: x[1] + x[3] + 1.5, lambda x: EYE[1] + EYE[3], name="elbow")
    )


def ball(problem: Problem) -> None:
    """Within 2 rad of the middle; its derivative is left to differences."""
    problem.inequality_constraints.add(ModularFunction(lambda x: distance(x), name="ball"))


def two_rows(problem: Problem) -> None:
    problem.inequality_constraints.add(
        ModularMultiFunction(
            lambda x: [x[0] - x[6], x[5] - 2.5], lambda x: np.stack([EYE[0] - EYE[6], EYE[5]])
        )
    )


def narrow(problem: Problem) -> None:
    middle, half = middle_and_half()
    problem.set_bounds(middle - 0.4 * half, middle + 0.4 * half)


def one_sided(problem: Problem) -> None:
    lower, upper = problem.lower_bounds.copy(), problem.upper_bounds.copy()
    upper[0], lower[4] = 0.0, 0.0
    problem.set_bounds(lower, upper)


@cache
def middle_and_half() -> tuple[Array, Array]:
    lower, upper = panda().position_limits
    return 0.5 * (lower + upper), 0.5 * (upper - lower)


def distance(x: Array) -> float:
    return float(np.sum((x - middle_and_half()[0]) ** 2)) - 4.0


ADDED: dict[str, tuple[Callable[[Problem], None], Callable[[Array], Array]]] = {
    "locked joint": (locked_joint, lambda q: np.where(EYE[2], 0.3, q)),
    "coupled joints": (coupled_joints, lambda q: np.where(EYE[4], 0.5 - q[2], q)),
    "low elbow": (low_elbow, lambda q: q),
    "ball": (ball, lambda q: q),
    "two rows": (two_rows, lambda q: q),
    "narrow bounds": (narrow, lambda q: 0.4 * q + 0.6 * middle_and_half()[0]),
    "one-sided bounds": (one_sided, lambda q: np.where(EYE[0], -abs(q[0]), np.where(EYE[4], abs(q[4]), q))),
}


def reachable(
    ik: InverseKinematics, problem: Problem, mend: Callable[[Array], Array], count: int
) -> list[Array]:
    """Poses that positions reach which break nothing."""
    lower, upper = ik.position_limits
    rng, found = np.random.default_rng(5), []
    while len(found) < count:
        q = mend(rng.uniform(lower, upper))
        if (q >= lower).all() and (q <= upper).all() and problem.is_feasible(q, 1e-12):
            with ik.at(q):
                found.append(ik.transform())
    return found


def posed(name: str, count: int) -> tuple[InverseKinematics, Problem, list[Array]]:
    """A panda with something added, what was added alone, and poses that can be reached with it."""
    ik, (add, mend) = panda(), ADDED[name]
    ik.settings = replace(ik.settings, time_budget=60.0)  # whatever else the machine does
    alone = Problem(7, lower_bounds=ik.position_limits[0], upper_bounds=ik.position_limits[1])
    add(alone)
    add(ik.problem)
    return ik, alone, reachable(ik, alone, mend, count)


def assert_reached(ik: InverseKinematics, alone: Problem, target: Array, result: IKResult) -> None:
    assert result.success, result.message
    assert alone.violation(result.positions) <= 1e-6, alone.violations(result.positions)
    assert (alone.clamp(result.positions) == result.positions).all()
    with ik.at(result.positions):
        T = ik.transform()
    np.testing.assert_allclose(T, target, atol=3e-6)


@pytest.mark.parametrize("name", ADDED)
def test_every_target_that_can_be_reached_with_what_was_added_is_reached(name: str) -> None:
    ik, alone, targets = posed(name, examples(50))
    before = ik.positions
    for target in targets:
        ik.target.set_transform(target)
        result = ik.solve()
        assert_reached(ik, alone, target, result)
        np.testing.assert_array_equal(ik.positions, before)
        assert result.method in ("search", "LevenbergMarquardtSolver")
    assert result == ik.solve()


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", ["locked joint", "low elbow", "two rows", "one-sided bounds"])
def test_an_objective_is_at_a_minimum_beside_what_was_added(name: str, weight: float) -> None:
    ik, alone, targets = posed(name, 10)
    ik.objective = Straight(weight)
    start = np.abs(ik.objective.gradient(ik.positions)).max()
    for target in targets:
        ik.target.set_transform(target)
        result = ik.solve()
        assert_reached(ik, alone, target, result)
        assert result.is_optimal, result.message
        x = result.positions
        with ik.at(x):
            J = ik.jacobian()
        free = np.concatenate([J, alone.equality_jacobian(x)])
        axes, above = np.eye(7), alone.inequality_values(x) >= -1e-6
        pushing = np.concatenate(
            [
                alone.inequality_jacobian(x)[above],
                -axes[x <= alone.lower_bounds + 1e-6],
                axes[x >= alone.upper_bounds - 1e-6],
            ]
        )
        rows = np.concatenate([free, pushing])
        low = np.concatenate([np.full(len(free), -np.inf), np.zeros(len(pushing))])
        gradient = weight * x
        fit = lsq_linear(rows.T, -gradient, (low, np.inf), tol=1e-15, lsmr_tol=1e-15)
        scale = max(np.abs(gradient).max(), start)
        assert np.abs(gradient + rows.T @ fit.x).max() / scale <= 2e-6


def test_a_minimum_on_a_constraint_is_that_of_geometry() -> None:
    """Of a planar arm whose first joint must not exceed a bound, by a scan of all positions at the target."""
    ik = redundant()
    rest = np.array([0.2, 0.5, 0.9])
    ik.objective = ModularFunction(lambda x: 0.5 * float((x - rest) @ (x - rest)), lambda x: x - rest)
    free = ik.solve()
    limit = float(free.positions[0]) - 0.15
    ik.problem.inequality_constraints.add(ModularFunction(lambda x: x[0] - limit, lambda x: np.eye(3)[0]))
    held = ik.solve()
    assert held.success and held.is_optimal
    np.testing.assert_allclose(tip(held.positions), [0.9, 1.1], atol=1e-6)
    turn = np.linspace(-np.pi, np.pi, 400_001)  # of the last link
    x, y = 0.9 - 0.6 * np.cos(turn), 1.1 - 0.6 * np.sin(turn)
    cosine = (x**2 + y**2 - 1.64) / 1.6
    known = np.abs(cosine) <= 1.0
    costs = []
    for side in (1.0, -1.0):
        elbow = side * np.arccos(cosine[known])
        first = np.arctan2(y, x)[known] - np.arctan2(0.8 * np.sin(elbow), 1.0 + 0.8 * np.cos(elbow))
        q = np.stack([first, elbow, turn[known] - first - elbow], axis=1)
        q = (q + np.pi) % (2 * np.pi) - np.pi
        costs.extend(0.5 * np.sum((q[q[:, 0] <= limit] - rest) ** 2, axis=1))
    np.testing.assert_allclose(ik.objective.value(held.positions), min(costs), atol=1e-4)


def test_what_the_searchs_answer_meets_is_its_answer() -> None:
    ik = panda()
    with ik.at(ik.positions + 0.2):
        ik.target.set_transform(ik.transform())
    plain = ik.solve()
    ik.problem.inequality_constraints.add(ModularFunction(lambda x: x[0] - 10.0, lambda x: EYE[0]))
    assert not ik.is_searched and ik.solve() == plain and plain.method == "search"


# ---- not reached


def test_constraints_that_contradict_the_target_are_kept_and_named() -> None:
    ik = panda()
    with ik.at(ik.positions + 0.2):
        ik.target.set_transform(ik.transform())
    wall = ModularFunction(lambda x: 1.0 - x[0], lambda x: -EYE[0], name="wall")
    other = ModularFunction(lambda x: x[0] + 0.5, lambda x: EYE[0], name="other wall")
    ik.problem.inequality_constraints.add(wall)
    begin = time.process_time()
    ik.problem.inequality_constraints.add(other)
    result = ik.solve()
    assert time.process_time() - begin < 6.0
    assert not result.success and "wall) = " in result.message and "starts met target" in result.message
    ik.settings = replace(ik.settings, time_budget=60.0)
    ik.reset_problem()
    ik.dofs = ik.dofs[:3]
    ik.problem.inequality_constraints.add(ModularFunction(lambda x: x[0] + 0.5, lambda x: np.eye(3)[0]))
    ik.problem.inequality_constraints.add(ModularFunction(lambda x: -2.0 - x[0]))
    low = ik.solve()
    assert not low.success and low.positions[0] <= -0.5 + 1e-6
    with ik.at(low.positions):
        reached = np.linalg.norm(ik.transform()[:3, 3] - ik.target.transform()[:3, 3])
    np.testing.assert_allclose(low.linear_error, reached, rtol=1e-6)


def test_out_of_reach_the_nearest_positions_keep_what_was_added() -> None:
    ik = redundant()
    ik.settings = replace(ik.settings, time_budget=60.0)
    ik.target.set_translation((4.0, 0.0, 0.0))
    ik.problem.inequality_constraints.add(
        ModularFunction(lambda x: tip(x)[0] - 1.5, lambda x: tip_jacobian(x)[0], name="wall")
    )
    begin = time.process_time()
    result = ik.solve()
    assert time.process_time() - begin < 2.0
    assert not result.success and tip(result.positions)[0] <= 1.5 + 1e-6
    np.testing.assert_allclose(result.linear_error, 2.5, atol=1e-3)  # straight before the wall
    np.testing.assert_allclose(tip(result.positions), [1.5, 0.0], atol=0.05)


@pytest.mark.parametrize("budget", [None, 0.2])
def test_the_time_ends(budget: float | None) -> None:
    ik, asked = redundant(), []

    def slow(x: Array) -> float:
        asked.append(x)
        time.sleep(0.002)
        return 1.0 + float(x @ x)

    ik.settings = SearchSettings(time_budget=budget, max_starts=10_000)
    ik.problem.equality_constraints.add(ModularFunction(slow, name="slow"))
    result = ik.solve()
    assert not result.success and 0 < len(asked) < ((budget or 2.0) + 1.0) / 0.002
    assert result.timed_out and "the time budget ended the search" in result.message


def test_the_number_of_starts_counts() -> None:
    ik = redundant()
    ik.problem.equality_constraints.add(ModularFunction(lambda x: 1.0, lambda x: np.zeros(3), name="never"))
    ik.settings = SearchSettings(max_starts=3)
    result = ik.solve()
    assert "none of 3 starts met target, bounds and constraints" in result.message
    assert "equality constraint 1 (never) = 1, broken by 1" in result.message


# ---- numbers


def test_frozen_dofs_stay_beside_constraints() -> None:
    ik = panda()
    q = ik.positions + 0.1
    q[2] = ik.positions[2]
    with ik.at(q):
        ik.target.set_transform(ik.transform())
    coupled = ModularFunction(lambda x: x[4] - q[4], lambda x: EYE[4])
    ik.error_method = PositionError()
    ik.problem.equality_constraints.add(coupled)
    result = ik.solve(frozen=[ik.dofs[2]])
    assert result.success and result.positions[2] == ik.positions[2]
    np.testing.assert_allclose(result.positions[4], q[4], atol=1e-6)
    fixed = ik.solve(frozen=ik.dofs)
    assert not fixed.success
    np.testing.assert_array_equal(fixed.positions, ik.positions)


def test_an_initial_guess_and_seeds_are_starts() -> None:
    ik = panda()
    goal = ik.positions + np.array([0.9, -0.3, 1.1, 0.4, -1.2, 0.5, 1.0])
    with ik.at(goal):
        ik.target.set_transform(ik.transform())
    ik.problem.initial_guess = goal + 1e-3
    np.testing.assert_allclose(ik.solve().positions, goal, atol=5e-3)
    ik.reset_problem()
    ik.problem.equality_constraints.add(ModularFunction(lambda x: float(np.sum((x - goal) ** 2))))
    ik.problem.add_seed(goal)
    result = ik.solve()
    assert result.success
    np.testing.assert_allclose(result.positions, goal, atol=2e-3)


def test_small_weights_do_not_end_it_before_the_target() -> None:
    ik = redundant()
    ik.error_method = PositionError(linear_weights=(1e-6, 1e-6, 1e-6))
    ik.problem.inequality_constraints.add(ModularFunction(lambda x: x[0] + 0.1, lambda x: np.eye(3)[0]))
    result = ik.solve()
    assert result.success and result.positions[0] <= -0.1 + 1e-6
    np.testing.assert_allclose(tip(result.positions), [0.9, 1.1], atol=1e-6)


def test_tracking_follows_with_what_was_added() -> None:
    ik = panda()
    start = ik.positions
    ik.problem.inequality_constraints.add(
        ModularFunction(lambda x: x[0] - start[0] - 0.02, lambda x: EYE[0], name="edge")
    )
    with ik.at(start + 0.01):
        pose = ik.transform()
    steps = ik.track(np.repeat(pose[None], 6, axis=0), largest_change=0.05, time_budget=0.2)
    moved = np.abs(np.diff(np.concatenate([start[None], steps.positions]), axis=0))
    assert moved.max() <= 0.05 + 1e-12 and steps.success[-1]
    assert (steps.positions[:, 0] <= start[0] + 0.02 + 1e-6).all()


def test_a_problem_without_the_modules_errors_is_solved_for_what_it_has() -> None:
    ik = redundant()
    ik.problem.equality_constraints.clear()
    ik.problem.equality_constraints.add(
        ModularMultiFunction(lambda x: tip(x) - [0.2, 1.3], tip_jacobian, name="elsewhere")
    )
    ik.objective = Straight()
    result = ik.solve()
    assert result.success and result.is_optimal
    np.testing.assert_allclose(tip(result.positions), [0.2, 1.3], atol=1e-6)
    assert result.linear_error > 0.5


def test_what_a_constraint_raises_comes_out_and_leaves_the_skeleton() -> None:
    ik = redundant()

    def broken(x: Array) -> float:
        raise ZeroDivisionError("mine")

    ik.problem.inequality_constraints.add(ModularFunction(broken))
    before = ik.positions
    with pytest.raises(ZeroDivisionError, match="mine"):
        ik.solve_and_apply()
    np.testing.assert_array_equal(ik.positions, before)
    ik.reset_problem()
    ik.problem.inequality_constraints.add(ModularFunction(lambda x: x, name="several"))
    with pytest.raises(ValueError, match=r"inequality constraint 0: several\.value: expected a number"):
        ik.solve()
    assert ik.problem.lower_bounds[0] == ik.position_limits[0][0]


# ---- hierarchies


def hierarchy() -> tuple[Any, Any]:
    robot = gallery.humanoid()
    for name in ("left_foot", "right_foot"):
        foot = InverseKinematics.of(robot.end_effector(name))
        foot.use_whole_body()
    hand = InverseKinematics.of(robot.end_effector("left_hand"))
    hand.use_whole_body()
    hand.hierarchy_level, hand.error_method = 1, PositionError()
    hand.target.set_translation(hand.transform()[:3, 3] + [0.25, 0.0, 0.2])
    return robot, WholeBodyIK(robot, settings=SearchSettings(max_starts=30, time_budget=60.0))


def test_a_hierarchy_meets_constraints_beside_its_targets() -> None:
    robot, whole = hierarchy()
    plain = whole.solve()
    knee = robot.dof("left_knee").index if robot.has_dof("left_knee") else 8
    bent = plain.positions[knee] + 0.15
    row = np.eye(robot.num_dofs)[knee]
    whole.problem.inequality_constraints.add(ModularFunction(lambda x: bent - x[knee], lambda x: -row))
    result = whole.solve()
    assert plain.success and result.success, result.message
    assert result.positions[knee] >= bent - 1e-6
    assert all(task.linear_error < 1e-6 for task in result.tasks)
    whole.objective = Straight()
    lowered = whole.solve()
    assert lowered.success and lowered.positions[knee] >= bent - 1e-6
    assert Straight().value(lowered.positions) < Straight().value(result.positions)
    assert lowered.stationarity is not None


def test_wishes_are_lowered_beside_constraints() -> None:
    ik = redundant()
    robot = ik.node.skeleton
    wish = InverseKinematics.of(robot.bodies[1])
    wish.dofs, wish.error_method = robot.dofs, Posture([0.2, 0.5, 0.9])
    whole = WholeBodyIK(robot)
    whole.settings = replace(whole.settings, time_budget=60.0)
    whole.problem.inequality_constraints.add(ModularFunction(lambda x: x[0] + 0.3, lambda x: np.eye(3)[0]))
    result = whole.solve()
    assert result.success and result.positions[0] <= -0.3 + 1e-6
    np.testing.assert_allclose(tip(result.positions), [0.9, 1.1], atol=1e-6)
    J = np.concatenate([tip_jacobian(result.positions), np.eye(3)[:1]])
    pull = result.positions - [0.2, 0.5, 0.9]
    fit = lsq_linear(J.T, -pull, ([-np.inf, -np.inf, 0.0], np.inf), tol=1e-14)
    assert np.abs(pull + J.T @ fit.x).max() < 1e-5


def test_constraints_that_contradict_a_hierarchy_are_named() -> None:
    whole = WholeBodyIK(redundant().node.skeleton)
    whole.problem.equality_constraints.add(ModularFunction(lambda x: 1.0 + x[0] ** 2, name="never"))
    result = whole.solve()
    assert not result.success and "(never) = " in result.message and "starts met target" in result.message
