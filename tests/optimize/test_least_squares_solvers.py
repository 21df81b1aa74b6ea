"""Levenberg-Marquardt and Gauss-Newton: beside SciPy's least squares, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from _optimize_problems import Squares
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import least_squares, lsq_linear

from kido.optimize import (
    GaussNewtonSolver,
    LeastSquaresFunction,
    LevenbergMarquardtSolver,
    ModularFunction,
    ModularMultiFunction,
    Problem,
    Solver,
    Status,
)

Array = NDArray[np.float64]
SOLVERS: tuple[Solver, ...] = (LevenbergMarquardtSolver(), GaussNewtonSolver())
both = pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.type_name)


class Linear(LeastSquaresFunction):
    """A x - b."""

    def __init__(self, A: Array, b: Array) -> None:
        self.A, self.b = A, b

    def residuals(self, x: Array) -> Array:
        return self.A @ x - self.b

    def jacobian(self, x: Array) -> Array:
        return self.A


class Decay(LeastSquaresFunction):
    """Samples of 2.5 exp(-1.3 t) + 0.5, disturbed, to which three numbers are fitted."""

    def __init__(self, disturbance: float) -> None:
        self.t = np.linspace(0, 4, 30)
        noise = np.random.default_rng(1).normal(size=30)
        self.y = 2.5 * np.exp(-1.3 * self.t) + 0.5 + disturbance * noise

    def residuals(self, x: Array) -> Array:
        return x[0] * np.exp(-x[1] * self.t) + x[2] - self.y


@both
@given(seed=st.integers(0, 10_000), boxed=st.booleans())
def test_linear_problems_in_a_box_are_solved_as_scipy_does(solver: Solver, seed: int, boxed: bool) -> None:
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(4, 9)), int(rng.integers(1, 5))
    A, b = rng.normal(size=(m, n)), 3 * rng.normal(size=m)
    width = rng.uniform(0.1, 1.0, n) if boxed else np.full(n, 1e9)
    problem = Problem(n, Linear(A, b), lower_bounds=-width, upper_bounds=width)
    result = solver.solve(problem)
    expected = lsq_linear(A, b, (-width, width), method="bvls", tol=1e-14)
    assert result.success, result
    assert np.allclose(result.x, expected.x, rtol=0, atol=1e-6)
    assert np.isclose(result.value, expected.cost, rtol=1e-9, atol=1e-12)


@both
@pytest.mark.parametrize("disturbance", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("box", [np.inf, 2.0])
def test_curves_are_fitted_as_scipy_does(solver: Solver, disturbance: float, box: float) -> None:
    f = Decay(disturbance)
    problem = Problem(3, f, initial_guess=[1, 1, 1], lower_bounds=np.zeros(3), upper_bounds=np.full(3, box))
    result = solver.solve(problem)
    bounds = (np.zeros(3), np.full(3, box))
    expected = least_squares(f.residuals, [1.0, 1.0, 1.0], bounds=bounds, xtol=1e-15, ftol=1e-15, gtol=1e-12)
    assert result.success and result.iterations < 60
    assert np.allclose(result.x, expected.x, rtol=0, atol=1e-5)
    assert result.value <= expected.cost + 1e-9
    assert result.check(problem, stationarity=1e-6) == ()


def test_gauss_newton_takes_one_step_to_a_linear_solution() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(6, 4)), rng.normal(size=6)
    result = GaussNewtonSolver().solve(Problem(4, Linear(A, b)))
    assert result.iterations == 1
    assert np.allclose(result.x, np.linalg.lstsq(A, b, rcond=None)[0], atol=1e-12)


def test_gauss_newton_takes_the_shortest_step_where_rank_is_missing() -> None:
    A, b = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]]), np.array([1.0, 2.0])
    result = GaussNewtonSolver().solve(Problem(3, Linear(A, b)))
    assert np.allclose(result.x, np.linalg.pinv(A) @ b, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_levenberg_marquardt_does_not_depend_on_the_units_of_x(scale: float) -> None:
    units = np.array([1.0, scale])
    f = Squares(lambda y: [1 - y[0] * units[0], 10 * (y[1] * units[1] - (y[0] * units[0]) ** 2)])
    problem = Problem(2, f, initial_guess=np.array([-1.2, 1.0]) / units)
    result = LevenbergMarquardtSolver().solve(problem)
    assert result.success and result.iterations < 60
    assert np.allclose(result.x * units, 1.0, atol=1e-6)


@both
def test_a_singular_minimum_is_approached(solver: Solver) -> None:
    """Powell's function: at its minimum J has rank two, and convergence is linear."""

    def residuals(x: Array) -> list[float]:
        return [
            x[0] + 10 * x[1],
            np.sqrt(5) * (x[2] - x[3]),
            (x[1] - 2 * x[2]) ** 2,
            np.sqrt(10) * (x[0] - x[3]) ** 2,
        ]

    result = solver.solve(Problem(4, Squares(residuals), initial_guess=[3, -1, 0, 1]))
    assert result.success
    assert np.allclose(result.x, 0, atol=5e-3) and result.value < 1e-10


@both
@given(seed=st.integers(0, 10_000))
def test_linear_equality_constraints_are_met_exactly_at_the_least_squares(solver: Solver, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(6, 4)), rng.normal(size=6)
    C, d = rng.normal(size=(2, 4)), rng.normal(size=2)
    problem = Problem(4, Linear(A, b))
    problem.equality_constraints.add(ModularMultiFunction(lambda x: C @ x - d, lambda x: C))
    result = solver.clone(constraint_tolerance=1e-9).solve(problem)
    kkt = np.block([[A.T @ A, C.T], [C, np.zeros((2, 2))]])
    expected = np.linalg.solve(kkt, np.concatenate([A.T @ b, d]))[:4]
    assert result.success
    assert np.allclose(result.x, expected, rtol=0, atol=1e-5 * max(1.0, np.linalg.cond(kkt) / 1e3))


@pytest.mark.parametrize("weight", [1.0, 10.0, 100.0, 1e4])
def test_multipliers_settle_in_few_rounds(weight: float) -> None:
    """Weights alone, which grow until the violation is small enough, would need several times as many."""
    solver = GaussNewtonSolver(equality_weights=(weight,), constraint_tolerance=1e-9)
    problem = Problem(2, Linear(np.eye(2), np.array([3.0, 4.0])))
    problem.equality_constraints.add(ModularFunction(lambda x: x[0] + x[1] - 1, lambda x: [1.0, 1.0]))
    result = solver.solve(problem)
    assert result.success and np.allclose(result.x, [0, 1], atol=1e-8)
    assert result.iterations <= 10


@both
@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
def test_weights_change_the_way_and_not_the_solution(solver: Solver, weight: float) -> None:
    problem = Problem(2, Squares(lambda x: [x[0] - 3, x[1] - 4]), initial_guess=[1.0, 0.0])
    problem.equality_constraints.add(ModularFunction(lambda x: x @ x - 1, lambda x: 2 * x))
    result = solver.clone(equality_weights=(weight,)).solve(problem)
    assert result.success
    assert np.allclose(result.x, [0.6, 0.8], atol=1e-5)


@both
def test_constraints_alone_are_solved_as_equations(solver: Solver) -> None:
    problem = Problem(2, initial_guess=[1.0, 0.5])
    problem.equality_constraints.add(ModularFunction(lambda x: x @ x - 4, lambda x: 2 * x))
    problem.equality_constraints.add(ModularFunction(lambda x: x[0] * x[1] - 1))
    result = solver.solve(problem)
    expected = [np.sqrt(2 + np.sqrt(3)), np.sqrt(2 - np.sqrt(3))]
    assert result.success and np.allclose(result.x, expected, atol=1e-6)


@both
def test_equations_without_solution_end_nearest_to_one(solver: Solver) -> None:
    problem = Problem(1, initial_guess=[0.5])
    problem.equality_constraints.add(ModularFunction(lambda x: x[0] ** 2 - 2 * x[0] + 3))
    result = solver.solve(problem)
    assert result.status is Status.INFEASIBLE
    assert np.isclose(result.x[0], 1.0, atol=1e-4) and np.isclose(result.violation, 2.0)
    assert result.message == "equality constraints remain broken by 2"


@both
def test_trial_points_without_value_are_stepped_back_from(solver: Solver) -> None:
    """The first full step goes to where the logarithm has no value."""
    f = Squares(lambda x: [np.log(x[0])])
    result = solver.solve(Problem(1, f, initial_guess=[5.0], lower_bounds=[-10.0]))
    assert result.success and np.isclose(result.x[0], 1.0)


@both
def test_a_wrong_jacobian_stalls(solver: Solver) -> None:
    class Wrong(Linear):
        def jacobian(self, x: Array) -> Array:
            return -self.A

    result = solver.solve(Problem(2, Wrong(np.eye(2), np.array([1.0, 2.0]))))
    assert result.status is Status.STALLED
    assert np.array_equal(result.x, [0, 0])


@both
@pytest.mark.parametrize("weights", [(0.0,), (-1.0,), (np.inf,)])
def test_weights_that_do_nothing_are_refused(solver: Solver, weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"^equality_weights\[0\]: expected a finite number"):
        solver.clone(equality_weights=weights)


def test_dampings_and_weights_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^initial_damping: expected a finite number above 0, got 0$"):
        LevenbergMarquardtSolver(initial_damping=0)
    with pytest.raises(ValueError, match=r"^default_constraint_weight: expected a finite number above 0"):
        GaussNewtonSolver(default_constraint_weight=0.0)
    problem = Problem(2, Linear(np.eye(2), np.ones(2)))
    with pytest.raises(ValueError, match=r"^equality_weights: expected at most 0 of them, got 1$"):
        GaussNewtonSolver(equality_weights=(1.0,)).solve(problem)
