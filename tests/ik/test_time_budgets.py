"""Time budgets: results say whether there was no time to go on, and searches look at the clock often."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from _hierarchies import aim, modules_of, near
from _poses import Array, random_start
from test_objectives import Distance, reachable, seven
from test_tracked_hierarchies import human

from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import (
    CompositeIK,
    DampedLeastSquares,
    GradientMethod,
    IKQuery,
    PointToPlane,
    PositionError,
    TaskSpaceRegion,
    WholeBodyIK,
)
from kido.optimize import Function, ModularFunction, QuadraticFunction, SciPySolver

FAR = (5.0, 0.0, 0.0)
BUDGETS = [1e-9, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2, 1e3]


def arm(budget: float | None, **settings: Any) -> InverseKinematics:
    """An arm of seven joints with some starts."""
    ik = seven()
    ik.settings = SearchSettings(max_starts=8, time_budget=budget, **settings)
    return ik


def lowered(function: Function) -> Callable[[float], Any]:
    def solve(budget: float) -> Any:
        ik = arm(budget)
        ik.target.set_transform(reachable(ik, 1, seed=2)[0])
        ik.objective = function
        return ik.solve()

    return solve


def out_of_reach(budget: float, **settings: Any) -> Any:
    ik = arm(budget, **settings)
    ik.target.set_translation(FAR)
    return ik.solve()


def within_reach(budget: float, **settings: Any) -> Any:
    ik = arm(budget, **settings)
    ik.target.set_transform(reachable(ik, 1, seed=3)[0])
    return ik.solve()


def many(budget: float) -> Any:
    ik = arm(budget)
    targets = np.array(reachable(ik, 40, seed=4))
    targets[::5, :3, 3] = FAR
    return ik.solve_batch(targets)


def followed(budget: float) -> Any:
    ik = arm(None)
    targets = np.array(reachable(ik, 6, seed=5))
    return ik.track(targets, largest_change=0.3, time_budget=budget)


def asked(budget: float) -> Any:
    ik = arm(budget)
    ik.error_method, ik.gradient_method = TaskSpaceRegion((0.1, 0.1, 0.1)), DampedLeastSquares(0.05)
    ik.target.set_translation(FAR)
    return ik.solve()


def levels(budget: float, reach: float) -> Any:
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_foot": 0, "right_foot": 0, "left_hand": 1, "right_hand": 2})
    aim(modules, near(robot, 3))
    if reach:
        modules["left_hand"].target.set_translation((reach, 0.0, 1.0))
    return WholeBodyIK(robot, settings=SearchSettings(max_starts=4, time_budget=budget)).solve()


def wishes(budget: float) -> Any:
    whole, _ = human()
    whole.settings = replace(whole.settings, max_starts=3, time_budget=budget)
    return whole.solve()


SEARCHES: dict[str, Callable[[float], Any]] = {
    "out of reach": out_of_reach,
    "within reach": within_reach,
    "the nearest": lambda budget: within_reach(budget, nearest=True),
    "one start": lambda budget: out_of_reach(budget, mirrors=4),
    "many targets": many,
    "a path": followed,
    "parts in Python": asked,
    "a quadratic objective": lowered(QuadraticFunction(np.full(7, 0.2))),
    "an objective in Python": lowered(Distance(np.full(7, 0.2))),
    "levels": lambda budget: levels(budget, 0.0),
    "levels out of reach": lambda budget: levels(budget, 4.0),
    "wishes": wishes,
}


@pytest.mark.parametrize("search", SEARCHES)
def test_what_was_not_cut_short_is_the_answer_of_all_time(search: str) -> None:
    unhurried = SEARCHES[search](1e6)
    assert not np.any(unhurried.timed_out)
    for budget in BUDGETS:
        result = SEARCHES[search](budget)
        rows = zip(result, unhurried, strict=True) if search in ("many targets",) else [(result, unhurried)]
        for hurried, free in rows:
            assert np.any(hurried.timed_out) or hurried == free, budget
        if budget == 1e3:
            assert not np.any(result.timed_out)


@pytest.mark.parametrize("search", sorted(set(SEARCHES) - {"many targets", "a path", "within reach"}))
def test_without_time_it_is_told(search: str) -> None:
    result = SEARCHES[search](1e-9)
    assert result.timed_out and "the time budget ended the search" in result.message
    assert "the time budget" not in SEARCHES[search](1e6).message


def test_of_many_targets_those_are_told_that_no_time_was_left_for() -> None:
    result = many(1e-9)
    assert result.timed_out.all() and result.timed_out.shape == (40,) and not result.timed_out.flags.writeable
    assert [row.timed_out for row in result] == result.timed_out.tolist()
    assert followed(1e-9).timed_out[~followed(1e-9).success].all()
    assert not many(1e6).timed_out.any()


def test_a_target_that_is_reached_needs_no_more_time() -> None:
    ik = arm(1e-9)
    ik.target.set_transform(ik.transform())
    assert ik.solve().success and not ik.solve().timed_out
    assert not ik.solve_batch(ik.target.transform()[None]).timed_out.any()
    assert not ik.track(time_budget=1e-9).timed_out
    whole = WholeBodyIK(ik.node.skeleton, settings=SearchSettings(time_budget=1e-9))
    assert whole.solve().success and not whole.solve().timed_out


def test_an_earlier_start_that_was_cut_is_told_though_a_later_one_is_there() -> None:
    """The second of the starts begins at the target; the first would have gone on, and its answer counts."""
    ik = arm(1e-9)
    with ik.at(random_start(ik, 1)):
        target = ik.transform()
    ik.target.set_transform(target)
    for result in (ik.solve(), ik.solve_batch(target[None])[0]):
        assert result.success and result.start == 1 and result.timed_out
    ik.settings = replace(ik.settings, time_budget=60.0)
    assert ik.solve().success and not ik.solve().timed_out


def test_paths_of_parts_in_python_tell_it_too() -> None:
    ik = arm(None)
    ik.gradient_method = DampedLeastSquares(0.05)
    targets = np.repeat(np.eye(4)[None], 3, axis=0)
    targets[:, :3, 3] = FAR
    assert ik.track(targets, time_budget=1e-9).timed_out.all()
    assert ik.solve_batch(targets[:1]).timed_out.tolist() == [False]


def test_changed_problems_and_solvers_tell_it() -> None:
    def never(x: Array) -> float:
        time.sleep(1e-3)
        return 1.0 + float(x @ x)

    for owner in (arm(0.02), WholeBodyIK(seven().node.skeleton, settings=SearchSettings(time_budget=0.02))):
        owner.problem.equality_constraints.add(ModularFunction(never))
        result = owner.solve()
        assert result.timed_out and "the time budget ended the search" in result.message
        owner.settings = replace(type(owner)._default_settings, time_budget=0.02)
        owner.solver = SciPySolver()
        assert owner.solve().timed_out
        owner.reset_problem()
        owner.solver = SciPySolver(time_budget=60.0)
        owner.settings = replace(owner.settings, time_budget=60.0)
        assert not owner.solve().timed_out


class Slow(PositionError):
    """A position that takes its time, and counts how often it is asked after the time is over, which begins
    with the first question."""

    budget = float("inf")
    deadline: float | None = None
    late = 0

    def region(self, ik: IKQuery) -> None:  # type: ignore[override]
        return None

    def compute_error(self, ik: IKQuery) -> Array:
        if Slow.deadline is None:
            Slow.deadline = time.perf_counter() + Slow.budget
        Slow.late += time.perf_counter() > Slow.deadline
        time.sleep(3e-3)
        return super(PositionError, self).compute_error(ik)


class Hesitant(GradientMethod):
    """A part of the way to the least squares solution, so that a level takes many steps to its target."""

    def compute_gradient(self, ik: IKQuery, error: Array, jacobian: Array) -> Array:
        return 0.2 * np.linalg.lstsq(jacobian, error, rcond=None)[0]


def late_questions(whole: CompositeIK, budget: float) -> int:
    """How often errors are asked for when the time is over."""
    whole.settings = replace(whole.settings, time_budget=budget)
    Slow.late, Slow.budget, Slow.deadline = 0, budget, None
    whole.solve()
    return Slow.late


def slow_levels(hand: tuple[float, float, float]) -> CompositeIK:
    """A foot, then a hand, both of whose errors take their time; few iterations of one start."""
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_foot": 0, "right_hand": 1})
    for ik in modules.values():
        ik.error_method = Slow()
    modules["left_foot"].target.set_translation(modules["left_foot"].transform()[:3, 3] + (0.1, 0.1, 0.1))
    modules["right_hand"].target.set_translation(hand)
    settings = SearchSettings(max_starts=1, mirrors=0, max_iterations=3)
    return CompositeIK(robot, modules.values(), settings=settings)


@pytest.mark.parametrize("budget", [0.15, 0.2])
def test_the_clock_is_looked_at_while_levels_come_to_their_targets(budget: float) -> None:
    whole = slow_levels((2.0, 0.0, 1.0))
    for ik in whole.modules:
        ik.gradient_method = Hesitant()
    assert late_questions(whole, budget) <= 20


@pytest.mark.parametrize("budget", [0.15, 0.2])
def test_the_clock_is_looked_at_while_a_step_for_the_objective_is_halved(budget: float) -> None:
    whole = slow_levels((0.3, -0.4, 1.0))
    whole.settings = replace(whole.settings, max_iterations=100)
    whole.objective = ModularFunction(lambda x: float(np.cosh(x).sum()), lambda x: -np.sinh(x))  # uphill
    assert late_questions(whole, budget) <= 20


def test_planes_that_turn_tell_it() -> None:
    ik = arm(1e-9)
    ik.error_method = PointToPlane()
    ik.target.set_translation((0.0, 0.0, 9.0))
    assert ik.solve().timed_out and ik.solve_batch(ik.target.transform()[None]).timed_out.all()


class Counted(TaskSpaceRegion):
    """A region that Python is asked for, and that counts how often."""

    asked = 0

    def compute_error(self, ik: IKQuery) -> Array:
        Counted.asked += 1
        return super().compute_error(ik)


@pytest.mark.parametrize("nearest", [False, True])
def test_searches_that_ask_python_end_where_starts_find_the_same_again(nearest: bool) -> None:
    told = []
    for starts in (100, 400):
        ik = seven()
        ik.error_method, Counted.asked = Counted(), 0
        ik.settings = SearchSettings(max_starts=starts, nearest=nearest, time_budget=1e6)
        ik.target.set_translation(FAR)
        result = ik.solve()
        assert not result.success and not result.timed_out
        told.append((Counted.asked, result.nearest.linear_error))
    assert told[0] == told[1] and told[0][0] < 3000
    known = seven()
    known.settings = SearchSettings(max_starts=400)
    known.target.set_translation(FAR)
    np.testing.assert_allclose(told[0][1], known.solve().nearest.linear_error, rtol=1e-3)


def test_what_one_start_in_ten_reaches_is_reached_by_methods_in_python_too() -> None:
    """Where most starts end at limits: the same end again does not stop the search too early."""
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    rng, late = np.random.default_rng(5), 0
    for q in ik.node.skeleton.random_positions(rng, 40):
        with ik.at(q):
            ik.target.set_transform(ik.transform())
        ik.error_method, ik.settings = Counted(), SearchSettings(mirrors=0, time_budget=1e6)
        result = ik.solve()
        assert result.success
        late += result.start > 5
    assert late > 1
