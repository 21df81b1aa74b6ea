"""Output of functions and solvers that users write: what is no real number, or has another shape, is refused
by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from kido.optimize import (
    Function,
    GradientDescentSolver,
    LeastSquaresFunction,
    LevenbergMarquardtSolver,
    ModularFunction,
    MultiFunction,
    Problem,
    Result,
    Solver,
    Status,
)

NO_REAL_NUMBERS = {
    "text": "1.5",
    "bytes": b"15",
    "texts": ["1", "2"],
    "complex": np.array([1.0 + 2.0j, 0.0]),
    "a complex number": 1.0 + 0.0j,
    "masked": np.ma.masked_array([1.0, 2.0], [True, False]),
    "nothing": None,
    "objects": np.array(["1", 2.0], dtype=object),
    "dates": np.array(["2026-01-01"] * 2, dtype="datetime64[D]"),
}
WRONG = pytest.mark.parametrize("wrong", NO_REAL_NUMBERS.values(), ids=NO_REAL_NUMBERS)


def minimized(problem: Problem) -> Result:
    return GradientDescentSolver().solve(problem)


@WRONG
@pytest.mark.parametrize("part", ["value", "gradient"])
def test_functions_are_named(part: str, wrong: Any) -> None:
    class Mine(Function):
        def value(self, x: Any) -> Any:
            return wrong if part == "value" else 0.0

        def gradient(self, x: Any) -> Any:
            return wrong if part == "gradient" else np.zeros(2)

    with pytest.raises((TypeError, ValueError), match=rf"Mine\.{part}: expected .*number"):
        minimized(Problem(2, Mine()))


@WRONG
@pytest.mark.parametrize("part", ["values", "jacobian", "differences"])
def test_functions_with_several_values_are_named(part: str, wrong: Any) -> None:
    class Mine(MultiFunction):
        def values(self, x: Any) -> Any:
            return np.ones(2) if part == "jacobian" else wrong

        def jacobian(self, x: Any) -> Any:
            return wrong if part == "jacobian" else super().jacobian(x)

    problem = Problem(2)
    problem.equality_constraints.add(Mine())
    name = "jacobian" if part == "jacobian" else "values"
    with pytest.raises((TypeError, ValueError), match=rf"Mine\.{name}: expected "):
        if part == "differences":
            Mine().jacobian(np.zeros(2))
        minimized(problem)


@WRONG
def test_residuals_are_named(wrong: Any) -> None:
    class Mine(LeastSquaresFunction):
        def residuals(self, x: Any) -> Any:
            return wrong

    for ask in (LevenbergMarquardtSolver().solve, minimized):
        with pytest.raises((TypeError, ValueError), match=r"Mine\.residuals: expected "):
            ask(Problem(2, Mine()))
    with pytest.raises((TypeError, ValueError), match=r"Mine\.residuals: expected "):
        Mine().jacobian(np.zeros(2))


@WRONG
def test_a_point_that_is_no_real_numbers_is_refused(wrong: Any) -> None:
    problem = Problem(2, ModularFunction(lambda x: 0.0))
    with pytest.raises((TypeError, ValueError), match=r"^x: expected "):
        problem.value(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "done",
        (np.zeros(2), Status.SOLVED),
        (np.zeros(2), "solved", ""),
        (np.zeros(3), Status.SOLVED, ""),
    ],
)
def test_a_solver_that_returns_no_end_is_named(wrong: Any) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mine(Solver):
        def run(self, evaluator: Any, start: Any) -> Any:
            return wrong

    with pytest.raises((TypeError, ValueError), match=r"^Mine\.run: expected "):
        Mine().solve(Problem(2))


def test_numbers_of_other_kinds_are_taken() -> None:
    for value in (1, True, np.float32(0.5), np.int8(3), np.array(2.0), np.ma.masked_array(2.0)):
        assert Problem(1, ModularFunction(lambda x, value=value: value)).value([0]) == float(value)


def test_messages_stay_short() -> None:
    with pytest.raises(TypeError) as caught:
        Problem(2, ModularFunction(lambda x: "long" * 100_000)).value([0, 0])
    assert len(str(caught.value)) < 400
