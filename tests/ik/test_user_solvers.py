"""Solvers that users write: what they return wrongly is refused in a sentence that names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from kido import InverseKinematics, gallery
from kido.ik import IKStatus, WholeBodyIK
from kido.optimize import Result, Solver, Status


@dataclass(frozen=True, kw_only=True)
class Mine(Solver):
    """A solver that answers what it is told to, from `run` or instead of `solve`."""

    answer: Callable[[Any], Any]

    def run(self, evaluator: Any, start: Any) -> Any:
        return self.answer(evaluator.problem)


@dataclass(frozen=True, kw_only=True)
class Whole(Mine):
    """One that has its own `solve`."""

    def solve(self, problem: Any, *, start: Any = None) -> Any:
        return self.answer(problem)


def module() -> InverseKinematics:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.positions = ik.positions + 0.1
    return ik


def module_solve(solver: Solver) -> Any:
    ik = module()
    ik.solver = solver
    return ik.solve()


def hierarchy_solve(solver: Solver) -> Any:
    whole = WholeBodyIK(module().node.skeleton)
    whole.solver = solver
    return whole.solve()


def answer(x: Any, status: Status = Status.SOLVED) -> Result:
    return Result(x, 0.0, status)


WRONG_RESULTS = {
    "none": (lambda p: None, TypeError, r"^Whole\.solve: expected a Result, got None$"),
    "tuple": (lambda p: (p.initial_guess, 0.0), TypeError, r"^Whole\.solve: expected a Result, got tuple"),
    "positions": (lambda p: p.initial_guess, TypeError, r"^Whole\.solve: expected a Result, got ndarray"),
    "short": (
        lambda p: answer(p.initial_guess[1:]),
        ValueError,
        r"^Whole\.solve: expected x of shape \(6,\), got \(5,\)$",
    ),
    "beyond": (
        lambda p: answer(p.upper_bounds + np.eye(6)[2]),
        ValueError,
        r"^Whole\.solve: expected x within the bounds, got x\[2\] = \S+ outside \[",
    ),
}


@pytest.mark.parametrize("solve", [module_solve, hierarchy_solve])
@pytest.mark.parametrize("name", WRONG_RESULTS)
def test_a_solver_that_returns_what_it_must_not_is_named(name: str, solve: Callable[[Solver], Any]) -> None:
    wrong, error, message = WRONG_RESULTS[name]
    with pytest.raises(error, match=message):
        solve(Whole(answer=wrong))


WRONG_RUNS = {
    "none": (lambda p: None, TypeError, r"^Mine\.run: expected x \(n,\), a Status and a message, got None"),
    "positions": (lambda p: p.initial_guess, TypeError, r"^Mine\.run: expected x \(n,\), a Status"),
    "short": (
        lambda p: (p.initial_guess[1:], Status.SOLVED, ""),
        ValueError,
        r"^Mine\.run: expected shape \(6,\), got \(5,\)",
    ),
    "beyond": (
        lambda p: (p.lower_bounds - np.eye(6)[1], Status.SOLVED, ""),
        ValueError,
        r"^Mine\.run: expected x within the bounds, got x\[1\] = ",
    ),
}


@pytest.mark.parametrize("solve", [module_solve, hierarchy_solve])
@pytest.mark.parametrize("name", WRONG_RUNS)
def test_a_run_that_returns_what_it_must_not_is_named(name: str, solve: Callable[[Solver], Any]) -> None:
    wrong, error, message = WRONG_RUNS[name]
    with pytest.raises(error, match=message):
        solve(Mine(answer=wrong))


def test_a_run_that_ends_at_no_number_fails_and_says_whose_it_was() -> None:
    result = module_solve(Mine(answer=lambda p: (np.full(6, np.nan), Status.SOLVED, "")))
    assert result.status is IKStatus.NOT_REACHED
    assert "Mine.run: expected finite numbers, got x = [nan" in result.message


def test_what_a_solver_raises_comes_out_as_it_is_with_a_note() -> None:
    class Broken(Exception):
        pass

    error = Broken("mine")

    def broken(problem: Any) -> Any:
        raise error

    for solver, part in ((Mine(answer=broken), "Mine.solve"), (Whole(answer=broken), "Whole.solve")):
        ik = module()
        ik.solver = solver
        before = ik.positions
        with pytest.raises(Broken, match=r"^mine") as caught:
            ik.solve()
        assert caught.value is error
        np.testing.assert_array_equal(ik.positions, before)
        if hasattr(error, "add_note"):
            assert error.__notes__[-1] == f"raised by {part}, for the problem of 'tool'"


def test_a_solver_that_claims_too_much_is_not_believed() -> None:
    result = module_solve(Whole(answer=lambda p: answer(p.initial_guess)))
    assert not result.success and result.linear_error > 1e-3
