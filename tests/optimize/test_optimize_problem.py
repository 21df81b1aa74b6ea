"""Problems: what they hold, refuse, and say about a point."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kido.optimize import (
    Evaluator,
    GradientDescentSolver,
    ModularFunction,
    ModularMultiFunction,
    MultiObjectiveProblem,
    MultiObjectiveSolver,
    NullFunction,
    ParetoSet,
    Problem,
    Result,
    SciPySolver,
    Solver,
    Status,
    stationarity,
)

Array = NDArray[np.float64]

CIRCLE = ModularFunction(lambda x: x @ x - 4, lambda x: 2 * x, name="circle")
HALF_PLANES = ModularMultiFunction(
    lambda x: [x[0] - 1, -x[1]], lambda x: [[1, 0], [0, -1]], name="half-planes"
)


def constrained() -> Problem:
    f = ModularFunction(lambda x: x[0] + 3 * x[1], lambda x: [1, 3], name="slope")
    problem = Problem(2, f, lower_bounds=[-3, -np.inf], upper_bounds=[3, 2.5])
    problem.equality_constraints.add(CIRCLE)
    problem.inequality_constraints.add(HALF_PLANES)
    return problem


def test_a_problem_starts_without_bounds_guess_constraints_and_optimum() -> None:
    problem = Problem(3)
    assert problem.dimension == 3
    assert np.array_equal(problem.initial_guess, np.zeros(3))
    assert np.array_equal(problem.lower_bounds, np.full(3, -np.inf))
    assert np.array_equal(problem.upper_bounds, np.full(3, np.inf))
    assert isinstance(problem.objective, NullFunction)
    assert problem.seeds == () and problem.result is None
    assert len(problem.equality_constraints) == len(problem.inequality_constraints) == 0
    assert problem.optimum_solution is None and problem.optimum_value is None


def test_another_dimension_starts_the_numbers_over() -> None:
    problem = constrained()
    problem.initial_guess = [1.0, 2.0]
    problem.add_seed([0.5, 0.5])
    GradientDescentSolver(max_iterations=1).solve(problem)
    problem.dimension = 3
    assert np.array_equal(problem.initial_guess, np.zeros(3))
    assert np.array_equal(problem.upper_bounds, np.full(3, np.inf))
    assert problem.seeds == () and problem.result is None
    assert list(problem.equality_constraints) == [CIRCLE]


def test_what_is_set_is_copied_and_read_only() -> None:
    given = np.array([1.0, 2.0])
    problem = Problem(2, initial_guess=given, upper_bounds=given)
    problem.seeds = [given]
    given[:] = 7.0
    for kept in (problem.initial_guess, problem.upper_bounds, problem.seeds[0]):
        assert np.array_equal(kept, [1.0, 2.0])
        assert not kept.flags.writeable


def test_constraints_are_added_removed_and_cleared() -> None:
    problem = constrained()
    other = ModularFunction(lambda x: x[0], name="other")
    constraints = problem.equality_constraints
    constraints.add(other)
    constraints.add(CIRCLE)
    assert [c.name for c in constraints] == ["circle", "other", "circle"]
    assert constraints[1] is other
    assert repr(constraints) == "<3 equality constraints: circle, other, circle>"
    constraints.remove(CIRCLE)
    assert list(constraints) == [other, CIRCLE]
    constraints.clear()
    assert len(constraints) == 0 and len(problem.inequality_constraints) == 1
    with pytest.raises(ValueError, match=r"^equality constraint: circle is not among the 0 of the problem$"):
        constraints.remove(CIRCLE)
    with pytest.raises(
        TypeError, match=r"^equality constraint: expected a Function or MultiFunction, got int"
    ):
        constraints.add(3)  # type: ignore[arg-type]


def test_values_and_derivatives_of_all_rows() -> None:
    problem, x = constrained(), [1.5, -0.5]
    assert problem.value(x) == 0.0
    assert np.array_equal(problem.gradient(x), [1, 3])
    assert np.allclose(problem.equality_values(x), [-1.5])
    assert np.allclose(problem.equality_jacobian(x), [[3, -1]])
    assert np.allclose(problem.inequality_values(x), [0.5, 0.5])
    assert np.array_equal(problem.inequality_jacobian(x), [[1, 0], [0, -1]])
    assert np.allclose(problem.hessian(x), np.zeros((2, 2)), atol=1e-6)
    assert Problem(2).equality_jacobian(x).shape == (0, 2)


@pytest.mark.parametrize(
    ("x", "worst"),
    [
        ([0.0, 2.0], 0.0),
        ([1.2, 1.6], 0.2),
        ([0.0, -2.0], 2.0),
        ([0.0, 2.4], 1.76),
        ([-3.5, 0.0], 8.25),
    ],
)
def test_violation_is_that_of_what_is_broken_most(x: list[float], worst: float) -> None:
    problem = constrained()
    assert np.isclose(problem.violation(x), worst, atol=1e-15)
    assert problem.is_feasible(x, worst + 1e-9)
    assert worst == 0.0 or not problem.is_feasible(x, worst - 1e-9)


def test_every_broken_bound_and_row_is_listed() -> None:
    assert constrained().violations([0.0, 2.0]) == ()
    assert constrained().violations([3.5, -1.0]) == (
        "x[0] = 3.5 outside [-3, 3], broken by 0.5",
        "equality constraint 0 (circle) = 9.25, broken by 9.25",
        "inequality constraint 0 (half-planes), row 0 = 2.5, broken by 2.5",
        "inequality constraint 0 (half-planes), row 1 = 1, broken by 1",
    )
    assert len(constrained().violations([3.5, -1.0], tolerance=1.0)) == 2


def test_constraints_are_asked_once_for_their_violations() -> None:
    asked = []

    def rows(x: Array) -> Array:
        asked.append(x)
        return x - 5.0

    problem = Problem(2)
    problem.equality_constraints.add(ModularMultiFunction(rows))
    problem.inequality_constraints.add(ModularMultiFunction(rows))
    assert problem.violation(np.ones(2)) == 4.0 and len(asked) == 2
    assert len(problem.violations(np.ones(2))) == 2 and len(asked) == 4


def test_a_constraint_without_a_value_is_broken() -> None:
    problem = Problem(1)
    problem.inequality_constraints.add(ModularFunction(lambda x: np.nan, name="nowhere"))
    assert problem.violation([0.0]) == np.inf and not problem.is_feasible([0.0])


def test_points_are_clamped_into_the_bounds() -> None:
    assert np.array_equal(constrained().clamp([-4.0, 7.0]), [-3.0, 2.5])
    assert np.array_equal(constrained().clamp([1.0, -70.0]), [1.0, -70.0])


def test_a_clone_changes_on_its_own() -> None:
    problem = constrained()
    problem.add_seed([1.0, 1.0])
    copy = problem.clone()
    copy.equality_constraints.clear()
    copy.lower_bounds = [0, 0]
    copy.clear_seeds()
    assert list(problem.equality_constraints) == [CIRCLE]
    assert problem.lower_bounds[0] == -3 and len(problem.seeds) == 1
    assert copy.objective is problem.objective and list(copy.inequality_constraints) == [HALF_PLANES]


def test_a_problem_shows_what_it_is() -> None:
    assert repr(constrained()) == (
        "<Problem of 2 numbers: slope, "
        "<1 equality constraint: circle>, <1 inequality constraint: half-planes>>"
    )


# ---- first-order conditions


def test_stationarity_vanishes_at_optima_only() -> None:
    problem = constrained()
    at = np.array([-1.0, -3.0]) * 2 / np.sqrt(10)  # minimum on the circle alone
    problem.inequality_constraints.clear()
    assert stationarity(problem, at) < 1e-9
    assert stationarity(problem, -at) < 1e-9  # the maximum is stationary too
    assert stationarity(problem, [2.0, 0.0]) > 0.5
    problem.inequality_constraints.add(HALF_PLANES)
    assert stationarity(problem, [-2.0, 0.0]) < 1e-9  # held by the circle and by x1 >= 0
    assert stationarity(problem, [0.0, 2.0]) > 0.3


def test_multipliers_push_inward_only() -> None:
    f = ModularFunction(lambda x: x[0], lambda x: [1.0])
    problem = Problem(1, f, lower_bounds=[-1], upper_bounds=[1])
    assert stationarity(problem, [-1.0]) < 1e-12
    assert np.isclose(stationarity(problem, [1.0]), 1.0)


# ---- results


def solved() -> tuple[Problem, Result]:
    problem = Problem(1, ModularFunction(lambda x: (x[0] - 3) ** 2, name="f"), upper_bounds=[2])
    return problem, Result([2.0], 1.0, Status.SOLVED, "done")


def test_a_true_result_passes_its_check() -> None:
    problem, result = solved()
    assert result.success and result.check(problem) == ()
    assert result.check(problem, stationarity=1e-6) == ()


@pytest.mark.parametrize(
    ("result", "faults"),
    [
        (Result([2.0], 1.1, Status.SOLVED), ("value: recorded as 1.1, is 1",)),
        (Result([2.5], 0.25, Status.SOLVED), ("x[0] = 2.5 outside [-inf, 2], broken by 0.5",)),
        (Result([2.0], 1.0, Status.STALLED, "stuck"), ("status: STALLED: stuck",)),
        (Result([1.0], 4.0, Status.SOLVED), ("stationarity: expected at most 1e-06, is 1",)),
    ],
    ids=["value", "bound", "status", "optimality"],
)
def test_a_result_that_is_wrong_says_what(result: Result, faults: tuple[str, ...]) -> None:
    assert result.check(solved()[0], stationarity=1e-6 if "stat" in faults[0][:4] else None) == faults


def test_the_optimum_is_that_of_a_result_that_solves() -> None:
    problem, result = solved()
    problem.record(result)
    assert problem.optimum_value == 1.0 and np.array_equal(problem.optimum_solution, [2.0])
    problem.record(Result([2.0], 1.0, Status.STALLED))
    assert problem.optimum_value is None and problem.optimum_solution is None


def test_results_are_checked_against_problems_of_their_size() -> None:
    with pytest.raises(ValueError, match=r"^x: expected shape \(2,\), got \(1,\)$"):
        solved()[1].check(Problem(2))
    with pytest.raises(TypeError, match=r"^status: expected a Status, got 'solved'$"):
        Result([0.0], 0.0, "solved")  # type: ignore[arg-type]


def test_results_that_were_saved_without_stationarity_load(tmp_path: Path) -> None:
    result = Result([2.0], 1.0, Status.SOLVED, "done", stationarity=0.25)
    result.save(tmp_path / "result.json")
    assert Result.load(tmp_path / "result.json") == result != solved()[1]
    text = (tmp_path / "result.json").read_text()
    before = re.sub(r',?\s*"stationarity": [0-9.]+', "", text)
    assert before != text
    (tmp_path / "before.json").write_text(before)
    old = Result.load(tmp_path / "before.json")
    assert old.stationarity is None and old == solved()[1]


def test_a_claim_is_not_believed_where_no_optimum_is() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Says(Solver):
        x: float

        def run(self, evaluator: Evaluator, start: Array) -> tuple[Array, Status, str]:
            return np.array([self.x]), Status.SOLVED, "here"

    problem = solved()[0]
    problem.lower_bounds = [-1.0]
    for x, left in ((2.0, 0.0), (1.9, 1.0), (-1.0, 1.0)):  # bounds hold outward pulls only
        result = Says(x=x).solve(problem)
        assert result.success is (left == 0.0)
        assert result.stationarity is not None
        np.testing.assert_allclose(result.stationarity, left, atol=1e-12)
    assert (
        result.status is Status.STALLED
        and result.message == "here; x is no optimum, 1 of the gradient is left"
    )
    inside = Says(x=2.0 - 5e-4).solve(problem)  # an interior point: nearer than 1e-3
    assert inside.success and inside.stationarity == 1e-3
    problem.upper_bounds = [3.5]
    near = Says(x=3.0 + 1e-3).solve(problem)
    assert near.success
    np.testing.assert_allclose(near.stationarity, 2e-3, rtol=1e-6)


def test_huge_bounds_are_none_and_a_slope_is_not_taken_for_an_optimum() -> None:
    problem = Problem(2, ModularFunction(lambda x: np.sqrt(x[1])), lower_bounds=[-1e100, 0])
    problem.initial_guess = [1.234, 5.678]
    for a, b in ((2.0, 0.0), (-1.0, 1.0)):
        problem.inequality_constraints.add(
            ModularFunction(lambda x, a=a, b=b: (a * x[0] + b) ** 3 - x[1], name="cubic")
        )
    result = SciPySolver(method="trust-constr").solve(problem)
    assert not result.success or abs(result.value - np.sqrt(8 / 27)) < 1e-3


# ---- bad input


def set_to(name: str, value: Any) -> Callable[[Problem], None]:
    return lambda problem: setattr(problem, name, value)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (set_to("lower_bounds", [0, 0, 0]), ValueError, r"^lower_bounds: expected shape \(2,\), got \(3,\)$"),
        (set_to("upper_bounds", [0, np.nan]), ValueError, "^upper_bounds: expected numbers, not NaN, got"),
        (
            set_to("lower_bounds", [0, 2.6]),
            ValueError,
            r"^lower_bounds\[1\]: expected at most upper_bounds\[1\] = 2.5, got 2.6$",
        ),
        (
            set_to("upper_bounds", [-3.5, 0]),
            ValueError,
            r"^lower_bounds\[0\]: expected at most upper_bounds\[0\] = -3.5, got -3.0$",
        ),
        (
            lambda p: p.set_bounds([np.inf, 0], [np.inf, 1]),
            ValueError,
            r"^lower_bounds\[0\]: expected at most",
        ),
        (
            lambda p: p.set_bounds([0, -np.inf], [1, -np.inf]),
            ValueError,
            r"^lower_bounds\[1\]: expected at most",
        ),
        (set_to("initial_guess", [0.0, np.inf]), ValueError, "^initial_guess: expected finite numbers, got"),
        (set_to("initial_guess", "abc"), TypeError, r"^initial_guess: expected numbers of shape \(2,\)"),
        (set_to("seeds", [[0, 0], [0]]), ValueError, r"^seeds\[1\]: expected shape \(2,\), got \(1,\)$"),
        (lambda p: p.add_seed([0.0]), ValueError, r"^seed: expected shape \(2,\), got \(1,\)$"),
        (
            set_to("objective", np.sum),
            TypeError,
            "^objective: expected a Function, got .*; a callable goes into",
        ),
        (set_to("dimension", -1), ValueError, "^dimension: expected 0 or above, got -1$"),
        (set_to("dimension", 2.0), TypeError, "^dimension: expected a whole number, got 2.0$"),
        (lambda p: p.value([1.0]), ValueError, r"^x: expected shape \(2,\), got \(1,\)$"),
        (lambda p: p.violation([[1.0, 2.0]]), ValueError, r"^x: expected shape \(2,\), got \(1, 2\)$"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(
    change: Callable[[Problem], None], error: type[Exception], message: str
) -> None:
    problem = constrained()
    with pytest.raises(error, match=message):
        change(problem)
    assert problem.dimension == 2 and problem.seeds == () and problem.objective.name == "slope"
    assert np.array_equal(problem.lower_bounds, [-3, -np.inf])
    assert np.array_equal(problem.upper_bounds, [3, 2.5])
    assert np.array_equal(problem.initial_guess, [0, 0])


def test_functions_at_fault_are_named_with_their_place() -> None:
    problem = constrained()
    problem.inequality_constraints.add(ModularFunction(lambda x: x, name="wide"))
    problem.inequality_constraints.add(ModularFunction(lambda x: 0.0, lambda x: [1.0], name="short"))
    with pytest.raises(
        ValueError, match=r"^inequality constraint 1: wide.value: expected a number, got shape"
    ):
        problem.inequality_values([0, 0])
    problem.inequality_constraints.remove(problem.inequality_constraints[1])
    with pytest.raises(ValueError, match=r"^short.gradient: expected shape \(2,\), got \(1,\)$"):
        problem.inequality_jacobian([0, 0])
    problem.objective = ModularFunction(lambda x: None, name="nothing")
    with pytest.raises(TypeError, match=r"^objective: nothing.value: expected a number, got None$"):
        problem.value([0, 0])


# ---- several objectives


class Corners(MultiObjectiveSolver):
    """The minima of the single objectives, on a grid."""

    def solve(self, problem: MultiObjectiveProblem) -> ParetoSet:
        grid = np.linspace(problem.lower_bounds, problem.upper_bounds, 21)
        values = np.array([problem.objectives.values(x) for x in grid])
        best = values.argmin(axis=0)
        return ParetoSet(grid[best], values[best])


def test_problems_with_several_objectives_are_solved_by_the_users_own_solver() -> None:
    two = ModularMultiFunction(lambda x: [(x[0] - 1) ** 2, (x[0] + 1) ** 2])
    problem = MultiObjectiveProblem(1, two, lower_bounds=[-2], upper_bounds=[2])
    found = Corners().solve(problem)
    assert np.allclose(found.solutions, [[1], [-1]])
    assert np.allclose(found.values, [[0, 4], [4, 0]])
    copy = problem.clone()
    assert copy.objectives is two and copy.upper_bounds[0] == 2.0
    with pytest.raises(TypeError, match=r"^objectives: expected a MultiFunction, got ModularFunction$"):
        MultiObjectiveProblem(1, CIRCLE)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^values: expected shape"):
        ParetoSet([[1.0]], [[1.0], [2.0]])


@pytest.mark.parametrize("far", [1e20, 1e100, 1.7e308])
def test_bounds_that_are_far_away_are_none(far: float) -> None:
    problem = Problem(2, lower_bounds=[-far, -1e19], upper_bounds=[1e19, far])
    assert problem.lower_bounds.tolist() == [-np.inf, -1e19]
    assert problem.upper_bounds.tolist() == [1e19, np.inf]
    with pytest.raises(ValueError):
        problem.lower_bounds[0] = 0.0


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "L-BFGS-B"])
def test_a_bound_far_away_does_not_keep_a_solver_from_the_optimum(method: str) -> None:
    def valley(x: np.ndarray) -> float:
        return float((x[0] - 1.0) ** 2 + 10.0 * (x[1] - x[0] ** 2) ** 2 + 0.5)

    problem = Problem(2, ModularFunction(valley), lower_bounds=[-1e100, -1e30], upper_bounds=[0.8, 1e100])
    problem.initial_guess = [-1.0, 1.0]
    result = SciPySolver(method=method).solve(problem)  # type: ignore[arg-type]
    np.testing.assert_allclose(result.x, [0.8, 0.64], atol=1e-3)
