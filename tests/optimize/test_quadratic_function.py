"""Quadratic functions: values, derivatives, and what is no such function."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from kido.optimize import Problem, QuadraticFunction, SciPySolver, difference_jacobian

H = np.array([[2.0, -0.5, 0.1], [-0.5, 1.0, 0.3], [0.1, 0.3, 0.7]])
FUNCTION = QuadraticFunction([0.3, -0.2, 0.8], H, [0.4, 0.1, -0.6])
X = np.array([1.2, -0.7, 0.3])


def test_value_and_derivatives_are_those_of_the_formula() -> None:
    d = X - (0.3, -0.2, 0.8)
    by_hand = sum(0.5 * H[i, k] * d[i] * d[k] for i in range(3) for k in range(3))
    by_hand += 0.4 * d[0] + 0.1 * d[1] - 0.6 * d[2]
    np.testing.assert_allclose(FUNCTION.value(X), by_hand, rtol=1e-14)
    slope = difference_jacobian(lambda x: np.array([FUNCTION.value(x)]), X)[0]
    np.testing.assert_allclose(FUNCTION.gradient(X), slope, atol=1e-8)
    np.testing.assert_array_equal(FUNCTION.hessian(X), H)
    assert FUNCTION.value(FUNCTION.center) == 0.0 and FUNCTION.has_gradient and FUNCTION.has_hessian


@pytest.mark.parametrize("weights", [1.0, 3.0, [1.0, 2.0, 4.0]])
def test_weights_are_a_diagonal(weights: Any) -> None:
    function = QuadraticFunction(np.zeros(3), weights)
    np.testing.assert_allclose(function.value(X), 0.5 * np.sum(np.asarray(weights) * X**2))
    np.testing.assert_allclose(function.gradient(X), np.asarray(weights) * X)


def test_a_solver_finds_the_minimum() -> None:
    problem = Problem(3, FUNCTION)
    found = SciPySolver().solve(problem)
    np.testing.assert_allclose(found.x, FUNCTION.center - np.linalg.solve(H, FUNCTION.slope), atol=1e-4)


def test_it_is_a_value() -> None:
    assert pickle.loads(pickle.dumps(FUNCTION)) == FUNCTION == replace(FUNCTION)
    assert replace(FUNCTION, curvature=1.0) != FUNCTION
    for array in (FUNCTION.center, FUNCTION.curvature, FUNCTION.slope, FUNCTION.hessian(X)):
        assert not array.flags.writeable
    with pytest.raises(FrozenInstanceError):
        FUNCTION.center = X  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0]],), r"^center: expected shape"),
        (([np.nan, 0.0],), r"^center: "),
        (([0.0, 0.0], [1.0, 2.0, 3.0]), r"^curvature: expected weights \(2,\) as of center, got \(3,\)"),
        (([0.0, 0.0], np.eye(3)), r"^curvature: expected shape \(2, 2\) as of center, got \(3, 3\)"),
        (([0.0, 0.0], np.ones((2, 3))), r"^curvature: expected shape|^curvature: expected a symmetric"),
        (([0.0, 0.0], [[1.0, 0.5], [0.4, 1.0]]), r"^curvature: expected a symmetric matrix, got"),
        (([0.0, 0.0], np.ones((2, 2, 2))), r"^curvature: expected a number, weights"),
        (([0.0, 0.0], np.inf), r"^curvature: "),
        (([0.0, 0.0], 1.0, [1.0]), r"^slope: expected shape \(2,\) as of center, got \(1,\)"),
    ],
)
def test_what_is_no_quadratic_function_is_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QuadraticFunction(*arguments)


@pytest.mark.parametrize("x", [np.zeros(2), np.zeros((3, 1)), 0.0])
def test_other_positions_are_refused(x: Any) -> None:
    for question in (FUNCTION.value, FUNCTION.gradient):
        with pytest.raises(ValueError, match=r"^QuadraticFunction: expected x of shape \(3,\), got"):
            question(x)
