"""Gradient descent: beside DART's, and what goes beyond it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dartpy
import numpy as np
import pytest
from numpy.typing import NDArray

from kido.optimize import GradientDescentSolver, ModularFunction, ModularMultiFunction, Problem, Status

Array = NDArray[np.float64]
Part = tuple[Callable[[Array], float], Callable[[Array], Any]]

BOWL: Part = (lambda x: float((x - 1) @ (x - 1)), lambda x: 2 * (x - 1))
VALLEY: Part = (
    lambda x: x[0] ** 2 + 5 * x[1] ** 2 + np.sin(x[0]),
    lambda x: np.array([2 * x[0] + np.cos(x[0]), 10 * x[1]]),
)
FLAT: Part = (lambda x: 0.0, lambda x: np.zeros(2))
LINE: Part = (lambda x: x[0] - x[1] - 2, lambda x: np.array([1.0, -1.0]))
FAR_POINT: Part = (lambda x: float((x - 3) @ (x - 3)), lambda x: 2 * (x - 3))
WALL: Part = (lambda x: x[0] - 0.5, lambda x: np.array([1.0, 0.0]))
DISC: Part = (lambda x: x @ x - 0.25, lambda x: 2 * x)


@dataclass(frozen=True)
class Run:
    """A problem for both libraries."""

    objective: Part = BOWL
    start: tuple[float, float] = (0.0, 0.0)
    lower: tuple[float, float] = (-np.inf, -np.inf)
    upper: tuple[float, float] = (np.inf, np.inf)
    equalities: tuple[Part, ...] = ()
    inequalities: tuple[Part, ...] = ()
    step: float = 0.1
    tolerance: float = 1e-9
    weight: float = 1.0


RUNS = {
    "bowl": Run(),
    "bowl from afar": Run(start=(30.0, -70.0)),
    "valley": Run(VALLEY, (2.0, 1.0), step=0.15),
    "bounds": Run(lower=(-1.0, 1.5), upper=(0.5, 3.0)),
    "equality that pulls": Run(equalities=(LINE,)),
    "weighted equality": Run(equalities=(LINE,), weight=0.3),
    "equality that fades": Run(FLAT, equalities=(FAR_POINT,)),
    "inequality that pushes": Run(inequalities=(WALL,), tolerance=1e-3),
    "inequality that holds": Run(FLAT, (2.0, 1.0), inequalities=(DISC,)),
    "all": Run(VALLEY, (2.0, 0.7), (-1, -1), (3, 0.8), (LINE, FAR_POINT), (WALL, DISC), 0.02, 1e-6, 0.7),
}
every_run = pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)


def problem_of(run: Run) -> Problem:
    problem = Problem(
        2,
        ModularFunction(*run.objective),
        lower_bounds=run.lower,
        upper_bounds=run.upper,
        initial_guess=run.start,
    )
    for part in run.equalities:
        problem.equality_constraints.add(ModularFunction(*part))
    for part in run.inequalities:
        problem.inequality_constraints.add(ModularFunction(*part))
    return problem


class DartFunction(dartpy.optimizer.Function):
    def __init__(self, part: Part) -> None:
        super().__init__()
        self.part = part

    def eval(self, x: Array) -> float:
        return float(self.part[0](x))

    def evalGradient(self, x: Array, gradient: Array) -> None:
        gradient[:] = self.part[1](x)


def dart_solves(run: Run, iterations: int) -> tuple[bool, int, Array]:
    """DART's verdict, iterations and x. DART's limit lets one iteration more through than it says."""
    problem = dartpy.optimizer.Problem(2)
    kept = [DartFunction(part) for part in (run.objective, *run.equalities, *run.inequalities)]
    problem.setObjective(kept[0])
    for function in kept[1 : 1 + len(run.equalities)]:
        problem.addEqConstraint(function)
    for function in kept[1 + len(run.equalities) :]:
        problem.addIneqConstraint(function)
    problem.setInitialGuess(np.array(run.start))
    problem.setLowerBounds(np.array(run.lower))
    problem.setUpperBounds(np.array(run.upper))
    solver = dartpy.optimizer.GradientDescentSolver(problem)
    solver.setStepSize(run.step)
    solver.setTolerance(run.tolerance)
    solver.setDefaultConstraintWeight(run.weight)
    solver.setNumMaxIterations(iterations - 1)
    return solver.solve(), solver.getLastNumIterations(), solver.getLastConfiguration()


def solver_of(run: Run, **settings: Any) -> GradientDescentSolver:
    return GradientDescentSolver(
        step_size=run.step, tolerance=run.tolerance, default_constraint_weight=run.weight, **settings
    )


@every_run
@pytest.mark.parametrize("iterations", [2, 3, 17, 60, 500])
def test_steps_are_those_of_dart(run: Run, iterations: int) -> None:
    solved, count, x = dart_solves(run, iterations)
    result = solver_of(run, max_iterations=iterations, constraint_tolerance=1e3).solve(problem_of(run))
    assert np.allclose(result.x, x, rtol=0, atol=1e-12)
    assert result.iterations == count
    assert result.success == solved
    assert result.status is (Status.SOLVED if solved else Status.MAX_ITERATIONS)


def test_defaults_are_those_of_dart() -> None:
    solver, dart = GradientDescentSolver(), dartpy.optimizer.GradientDescentSolver()
    assert solver.step_size == dart.getStepSize() == 0.1
    assert solver.tolerance == dart.getTolerance() == 1e-9
    assert solver.max_iterations == dart.getNumMaxIterations() == 500
    assert solver.max_attempts == dart.getMaxAttempts() == 1
    assert solver.perturbation_step == dart.getPerturbationStep() == 0
    assert solver.max_perturbation_factor == dart.getMaxPerturbationFactor() == 1.0
    assert solver.default_constraint_weight == dart.getDefaultConstraintWeight() == 1.0
    assert solver.max_randomization_step == 1e10


@pytest.mark.parametrize("kind", ["equality", "inequality"])
def test_each_constraint_has_its_weight_and_the_rest_the_default(kind: str) -> None:
    """A weight is the same as a constraint that is scaled, wherever it is broken."""
    weights = (0.25, 4.0, 1.5)
    plain, scaled = Problem(2, ModularFunction(*VALLEY)), Problem(2, ModularFunction(*VALLEY))
    for (value, gradient), w in zip((LINE, FAR_POINT, DISC), weights, strict=True):
        getattr(plain, f"{kind}_constraints").add(ModularFunction(value, gradient))
        scaled_part = ModularFunction(
            lambda x, f=value, w=w: w * f(x), lambda x, g=gradient, w=w: w * np.asarray(g(x))
        )
        getattr(scaled, f"{kind}_constraints").add(scaled_part)
    start, steps = [2.0, -1.0], {"max_iterations": 25, "step_size": 0.01}
    weighted = GradientDescentSolver(
        **{f"{kind}_weights": weights[:2]}, default_constraint_weight=weights[2], **steps
    )
    result = weighted.solve(plain, start=start)
    assert np.allclose(result.x, GradientDescentSolver(**steps).solve(scaled, start=start).x, atol=1e-12)
    assert not np.allclose(result.x, GradientDescentSolver(**steps).solve(plain, start=start).x, atol=1e-3)


def test_all_rows_of_a_constraint_have_its_weight() -> None:
    rows = ModularMultiFunction(lambda x: x - [1, 2], lambda x: np.eye(2))
    problem = Problem(2, ModularFunction(*FLAT))
    problem.equality_constraints.add(ModularFunction(*WALL))
    problem.equality_constraints.add(rows)
    solver = GradientDescentSolver(equality_weights=(0.0, 3.0), max_iterations=1)
    assert np.allclose(solver.solve(problem).x, [0.3, 0.3])


def test_divergence_is_a_failure_that_keeps_the_start() -> None:
    f = ModularFunction(lambda x: x @ x, lambda x: 2 * x)
    result = GradientDescentSolver(step_size=50.0, max_iterations=1000).solve(
        Problem(1, f, initial_guess=[1.0])
    )
    assert result.status is Status.FAILED
    assert "finite" in result.message
    assert np.array_equal(result.x, [1.0]) and result.value == 1.0


def wells() -> Problem:
    """|x - 2| solves only within 0.3 of 2: elsewhere there is a slope that never ends."""
    f = ModularFunction(
        lambda x: (x[0] - 2) ** 2, lambda x: [2 * (x[0] - 2) if abs(x[0] - 2) < 0.3 else 1e-3], name="well"
    )
    return Problem(1, f, lower_bounds=[-5], upper_bounds=[5], initial_guess=[-1.0])


def test_further_attempts_start_at_the_seeds_in_order() -> None:
    problem = wells()
    problem.seeds = [[4.0], [2.1], [1.9]]
    solver = GradientDescentSolver(max_iterations=100, max_attempts=2)
    two = solver.solve(problem)
    assert not two.success and two.attempts == 2 and two.iterations == 200
    assert np.isclose(two.x[0], -1.0, atol=0.02) or np.isclose(two.x[0], 4.0, atol=0.02)
    three = solver.clone(max_attempts=7).solve(problem)
    assert three.success and three.attempts == 3
    assert np.isclose(three.x[0], 2.0)


def test_of_failed_attempts_the_best_remains() -> None:
    problem = wells()
    problem.seeds = [[2.5], [4.0]]
    result = GradientDescentSolver(max_iterations=10, max_attempts=3).solve(problem)
    assert not result.success
    assert np.isclose(result.x[0], 2.5, atol=2e-3)


def test_attempts_after_the_seeds_start_anywhere_in_the_bounds() -> None:
    starts: list[float] = []

    def gradient(x: Array) -> list[float]:
        starts.append(x[0])
        return [1.0]

    problem = Problem(1, ModularFunction(lambda x: x[0], gradient), lower_bounds=[-3], upper_bounds=[8])
    solver = GradientDescentSolver(max_iterations=1, max_attempts=400, step_size=1e-6)
    solver.solve(problem)
    assert len(starts) == 400 and starts[0] == 0.0
    drawn = np.array(starts[1:])
    assert drawn.min() < -2.5 and drawn.max() > 7.5
    assert np.isclose(drawn.mean(), 2.5, atol=0.5)
    first = list(starts)
    starts.clear()
    solver.clone(seed=1).solve(problem)
    assert not np.allclose(starts[1:], first[1:])
    starts.clear()
    near = solver.clone(max_randomization_step=0.5)
    near.solve(problem, start=[7.9])
    assert min(starts) > 7.4 - 1e-5 and max(starts) > 7.9 and max(starts) <= 8.0


def test_attempts_without_limit_end_with_the_time() -> None:
    problem = Problem(1, ModularFunction(lambda x: x[0], lambda x: [1.0]), initial_guess=[0.5])
    result = GradientDescentSolver(max_attempts=0, time_budget=0.02, max_iterations=5).solve(problem)
    assert result.status is Status.TIME_OUT or not result.success
    assert result.attempts > 1


def test_perturbations_move_x_towards_random_points() -> None:
    flat = Problem(1, ModularFunction(lambda x: 0.0, lambda x: [0.0]), lower_bounds=[0], upper_bounds=[1])
    flat.equality_constraints.add(ModularFunction(lambda x: 1.0, lambda x: [0.0], name="never"))
    still = GradientDescentSolver(max_iterations=7, perturbation_step=7).solve(flat)
    assert still.x[0] == 0.0
    moved = GradientDescentSolver(max_iterations=8, perturbation_step=7).solve(flat)
    assert 0.0 < moved.x[0] < 1.0
    less = GradientDescentSolver(max_iterations=8, perturbation_step=7, max_perturbation_factor=0.5)
    assert np.isclose(less.solve(flat).x[0], 0.5 * moved.x[0])
    assert less.clone(max_perturbation_factor=0.0).solve(flat).x[0] == 0.0


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"step_size": 0.0}, ValueError, "^step_size: expected a finite number above 0, got 0.0$"),
        ({"perturbation_step": -1}, ValueError, "^perturbation_step: expected 0 or above, got -1$"),
        (
            {"max_perturbation_factor": -0.1},
            ValueError,
            "^max_perturbation_factor: expected a finite number, 0",
        ),
        ({"default_constraint_weight": np.nan}, ValueError, "^default_constraint_weight: expected a finite"),
        (
            {"equality_weights": (1.0, -1.0)},
            ValueError,
            r"^equality_weights\[1\]: expected a finite number, 0",
        ),
        ({"inequality_weights": 3.0}, ValueError, r"^inequality_weights: expected shape \(k,\), got \(\)$"),
        ({"inequality_weights": "a"}, TypeError, "^inequality_weights: expected numbers of shape"),
    ],
)
def test_settings_of_its_own_are_checked(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        GradientDescentSolver(**settings)


def test_more_weights_than_constraints_are_refused() -> None:
    problem = problem_of(RUNS["all"])
    with pytest.raises(ValueError, match=r"^equality_weights: expected at most 2 of them, got 3$"):
        GradientDescentSolver(equality_weights=(1, 1, 1)).solve(problem)
    with pytest.raises(ValueError, match=r"^inequality_weights: expected at most 2 of them, got 3$"):
        GradientDescentSolver(inequality_weights=(1, 1, 1)).solve(problem)
