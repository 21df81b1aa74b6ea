"""SLSQP with equality constraints whose gradients depend on each other: repeated rows, rows of zeros, more
rows than numbers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kido.optimize import (
    ModularFunction,
    ModularMultiFunction,
    NloptSolver,
    Problem,
    SciPySolver,
    Solver,
    Status,
)

Array = NDArray[np.float64]


def nearest_to_origin(A: Array, b: Array, guess: Array) -> Problem:
    """The x of A x = b that is nearest to the origin."""
    objective = ModularFunction(lambda x: 0.5 * float(x @ x), lambda x: x)
    problem = Problem(A.shape[1], objective, initial_guess=guess)
    problem.equality_constraints.add(ModularMultiFunction(lambda x: A @ x - b, lambda x: A))
    return problem


SOLVERS = [SciPySolver(), NloptSolver(), NloptSolver(algorithm="COBYLA", max_iterations=5000)]


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.label)
@pytest.mark.parametrize(
    "A",
    [
        [[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]],
        [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
        [[1.0, 0.5, 0.0], [0.0, 1.0, -1.0], [1.0, 1.5, -1.0]],
        [[1.0, 0.5, 0.0], [0.0, 1.0, -1.0], [1.0, 1.5, -1.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0]],
    ],
    ids=["repeated", "zeros", "a sum of others", "more than numbers", "nothing but zeros"],
)
def test_constraints_that_depend_on_each_other_are_met_where_the_objective_is_least(
    A: list[list[float]], solver: Solver
) -> None:
    rows = np.array(A)
    b = rows @ np.array([1.0, -2.0, 0.5])
    result = solver.solve(nearest_to_origin(rows, b, np.array([3.0, 1.0, -2.0])))
    assert result.success, result.message
    np.testing.assert_allclose(
        result.x, np.linalg.pinv(rows) @ b, atol=1e-5 if isinstance(solver, SciPySolver) else 5e-5
    )
    np.testing.assert_allclose(rows @ result.x, b, atol=1e-7)


def test_constraints_that_contradict_each_other_are_not_taken_for_met() -> None:
    A, b = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0])
    result = SciPySolver().solve(nearest_to_origin(A, b, np.array([0.2, 0.3])))
    assert result.status in (Status.INFEASIBLE, Status.MAX_ITERATIONS, Status.FAILED)
    assert result.violation >= 0.49


def test_inequalities_and_bounds_hold_beside_constraints_that_depend_on_each_other() -> None:
    problem = nearest_to_origin(np.array([[1.0, 1.0, 1.0]] * 2), np.array([3.0, 3.0]), np.zeros(3))
    problem.inequality_constraints.add(ModularFunction(lambda x: x[0] - 0.5, lambda x: np.eye(3)[0]))
    problem.lower_bounds = [-np.inf, 1.75, -np.inf]
    result = SciPySolver().solve(problem)
    np.testing.assert_allclose(result.x, [0.5, 1.75, 0.75], atol=1e-4)
    assert problem.violation(result.x) < 1e-6


def test_slsqp_makes_a_row_that_vanishes_on_the_way() -> None:
    def values(x: Array) -> Array:
        beyond = x - np.clip(x, -0.5, 0.5)
        return np.array([beyond[0], x[1] - x[0] ** 2, beyond[2]])

    def jacobian(x: Array) -> Array:
        J = np.diag(np.array([abs(x[0]) > 0.5, 1.0, abs(x[2]) > 0.5], dtype=float))
        J[1, 0] = -2.0 * x[0]
        return J

    objective = ModularFunction(lambda x: float((x[0] - 3.0) ** 2), lambda x: 2 * (x - 3.0) * [1, 0, 0])
    problem = Problem(3, objective, initial_guess=[2.0, -1.0, 1.5])
    problem.equality_constraints.add(ModularMultiFunction(values, jacobian))
    result = SciPySolver().solve(problem)
    assert result.violation < 1e-6
    np.testing.assert_allclose(result.x[:2], [0.5, 0.25], atol=1e-4)
