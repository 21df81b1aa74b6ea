"""Problems with known optima, most from Hock and Schittkowski (1981)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kido.optimize import (
    LeastSquaresFunction,
    ModularFunction,
    ModularMultiFunction,
    Problem,
)

Array = NDArray[np.float64]


class Squares(LeastSquaresFunction):
    """The sum of the squares of callables' values; without `jacobian` its derivatives are differences."""

    def __init__(self, residuals: Callable[[Array], list[float]]) -> None:
        self._residuals = residuals

    def residuals(self, x: Array) -> Array:
        return np.sqrt(2.0) * np.array(self._residuals(x), dtype=float)


class SmoothSquares(Squares):
    """The same with a known Jacobian."""

    def __init__(
        self, residuals: Callable[[Array], list[float]], jacobian: Callable[[Array], list[list[float]]]
    ) -> None:
        super().__init__(residuals)
        self._jacobian = jacobian

    def jacobian(self, x: Array) -> Array:
        return np.sqrt(2.0) * np.array(self._jacobian(x), dtype=float)


@dataclass(frozen=True)
class Case:
    """A problem, made anew by `build`, and its optimum."""

    name: str
    build: Callable[[], Problem]
    optimum: tuple[float, ...]
    value: float
    kinds: frozenset[str] = field(default_factory=frozenset)
    """Of "equality", "inequality", "squares", "steep" (curvature that fixed steps of 0.1 do not bear),
    "outside" (an inequality is broken at the start)."""


def bowl() -> Problem:
    centre = np.array([1.0, -2.0, 3.0])
    return Problem(3, SmoothSquares(lambda x: list(x - centre), lambda x: np.eye(3).tolist()))


def bowl_in_a_box() -> Problem:
    problem = bowl()
    problem.set_bounds([-np.inf, -1.0, -1.0], [0.5, 1.0, np.inf])
    return problem


def bowl_behind_a_wall() -> Problem:
    """The start breaks an inequality that the optimum does not touch."""
    problem = bowl()
    problem.initial_guess = [6.0, 1.0, 1.0]
    problem.inequality_constraints.add(
        ModularFunction(lambda x: x[0] - 4, lambda x: [1.0, 0, 0], name="wall")
    )
    return problem


def rosenbrock() -> Problem:
    f = SmoothSquares(lambda x: [1 - x[0], 10 * (x[1] - x[0] ** 2)], lambda x: [[-1, 0], [-20 * x[0], 10]])
    return Problem(2, f, initial_guess=[-1.2, 1.0])


def rosenbrock_by_differences() -> Problem:
    f = Squares(lambda x: [1 - x[0], 10 * (x[1] - x[0] ** 2)])
    return Problem(2, f, initial_guess=[-1.2, 1.0], upper_bounds=[0.5, 2.0])


def tutorial_of_nlopt() -> Problem:
    f = ModularFunction(lambda x: np.sqrt(x[1]), lambda x: [0.0, 0.5 / np.sqrt(x[1])], name="root")
    problem = Problem(2, f, lower_bounds=[-np.inf, 1e-6], initial_guess=[1.234, 5.678])
    for a, b in ((2.0, 0.0), (-1.0, 1.0)):
        problem.inequality_constraints.add(
            ModularFunction(
                lambda x, a=a, b=b: (a * x[0] + b) ** 3 - x[1],
                lambda x, a=a, b=b: [3 * a * (a * x[0] + b) ** 2, -1.0],
                name="cubic",
            )
        )
    return problem


def hs6() -> Problem:
    problem = Problem(2, SmoothSquares(lambda x: [1 - x[0]], lambda x: [[-1, 0]]), initial_guess=[-1.2, 1])
    problem.equality_constraints.add(
        ModularFunction(lambda x: 10 * (x[1] - x[0] ** 2), lambda x: [-20 * x[0], 10.0], name="parabola")
    )
    return problem


def hs7() -> Problem:
    f = ModularFunction(
        lambda x: np.log(1 + x[0] ** 2) - x[1], lambda x: [2 * x[0] / (1 + x[0] ** 2), -1.0], name="hs7"
    )
    problem = Problem(2, f, initial_guess=[2.0, 2.0])
    problem.equality_constraints.add(
        ModularFunction(
            lambda x: (1 + x[0] ** 2) ** 2 + x[1] ** 2 - 4,
            lambda x: [4 * x[0] * (1 + x[0] ** 2), 2 * x[1]],
            name="oval",
        )
    )
    return problem


def hs28() -> Problem:
    f = SmoothSquares(lambda x: [x[0] + x[1], x[1] + x[2]], lambda x: [[1, 1, 0], [0, 1, 1]])
    problem = Problem(3, f, initial_guess=[-4, 1, 1])
    problem.equality_constraints.add(
        ModularFunction(lambda x: x[0] + 2 * x[1] + 3 * x[2] - 1, lambda x: [1.0, 2.0, 3.0], name="plane")
    )
    return problem


def hs35() -> Problem:
    A = np.array([[4.0, 2, 2], [2, 4, 0], [2, 0, 2]])
    b = np.array([8.0, 6, 4])
    f = ModularFunction(lambda x: 9 - b @ x + 0.5 * x @ A @ x, lambda x: A @ x - b, lambda x: A, name="hs35")
    problem = Problem(3, f, initial_guess=[0.5, 0.5, 0.5], lower_bounds=np.zeros(3))
    problem.inequality_constraints.add(ModularFunction(lambda x: x[0] + x[1] + 2 * x[2] - 3, name="corner"))
    return problem


def hs48() -> Problem:
    rows = np.array([[1.0, 0, 0, 0, 0], [0, 1, -1, 0, 0], [0, 0, 0, 1, -1]])
    f = SmoothSquares(lambda x: list(rows @ x - [1, 0, 0]), lambda x: rows.tolist())
    problem = Problem(5, f, initial_guess=[3, 5, -3, 2, -2])
    A = np.array([[1.0, 1, 1, 1, 1], [0, 0, 1, -2, -2]])
    problem.equality_constraints.add(
        ModularMultiFunction(lambda x: A @ x - [5, -3], lambda x: A, name="planes")
    )
    return problem


def hs71() -> Problem:
    def gradient(x: Array) -> list[float]:
        a, b, c, d = x
        return [d * (2 * a + b + c), a * d, a * d + 1, a * (a + b + c)]

    f = ModularFunction(lambda x: x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2], gradient, name="hs71")
    problem = Problem(4, f, initial_guess=[1, 5, 5, 1], lower_bounds=np.ones(4), upper_bounds=np.full(4, 5.0))
    problem.equality_constraints.add(ModularFunction(lambda x: x @ x - 40, lambda x: 2 * x, name="sphere"))
    problem.inequality_constraints.add(
        ModularFunction(lambda x: 25 - np.prod(x), lambda x: -np.prod(x) / x, name="product")
    )
    return problem


def _case(build: Callable[[], Problem], optimum: tuple[float, ...], value: float, *kinds: str) -> Case:
    return Case(build.__name__, build, optimum, value, frozenset(kinds))


CASES = (
    _case(bowl, (1, -2, 3), 0.0, "squares"),
    _case(bowl_in_a_box, (0.5, -1, 3), 1.25, "squares"),
    _case(bowl_behind_a_wall, (1, -2, 3), 0.0, "squares", "inequality", "outside"),
    _case(rosenbrock, (1, 1), 0.0, "squares", "steep"),
    _case(rosenbrock_by_differences, (0.5, 0.25), 0.25, "squares", "steep"),
    _case(tutorial_of_nlopt, (1 / 3, 8 / 27), np.sqrt(8 / 27), "inequality"),
    _case(hs6, (1, 1), 0.0, "squares", "equality"),
    _case(hs7, (0, np.sqrt(3)), -np.sqrt(3), "equality"),
    _case(hs28, (0.5, -0.5, 0.5), 0.0, "squares", "equality"),
    _case(hs35, (4 / 3, 7 / 9, 4 / 9), 1 / 9, "inequality"),
    _case(hs48, (1, 1, 1, 1, 1), 0.0, "squares", "equality"),
    _case(hs71, (1, 4.742994, 3.8211503, 1.3794082), 17.0140173, "equality", "inequality"),
)


def impossible_equality() -> Problem:
    """x·x = -1."""
    problem = Problem(2, initial_guess=[0.4, -0.3])
    problem.equality_constraints.add(ModularFunction(lambda x: x @ x + 1, lambda x: 2 * x, name="no circle"))
    return problem


def contradiction() -> Problem:
    """x <= -1 and x >= 1."""
    f = ModularFunction(lambda x: x @ x, lambda x: 2 * x, name="parabola")
    problem = Problem(1, f, initial_guess=[0.3])
    problem.inequality_constraints.add(ModularFunction(lambda x: x[0] + 1, lambda x: [1.0], name="left"))
    problem.inequality_constraints.add(ModularFunction(lambda x: 1 - x[0], lambda x: [-1.0], name="right"))
    return problem
