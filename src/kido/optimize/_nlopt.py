"""Solvers of NLopt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import numpy as np

from kido.errors import MissingDependencyError
from kido.optimize._evaluator import Evaluator
from kido.optimize._problem import Problem
from kido.optimize._result import Status
from kido.optimize._slacks import with_slacks
from kido.optimize._solver import Solver
from kido.optimize._stationarity import stationarity
from kido.typing import FloatArray

__all__ = ["NloptSolver"]

_ALGORITHMS = {
    "SLSQP": ("LD_SLSQP", True, True),
    "MMA": ("LD_MMA", False, True),
    "CCSAQ": ("LD_CCSAQ", False, True),
    "COBYLA": ("LN_COBYLA", True, True),
    "LBFGS": ("LD_LBFGS", False, False),
    "BOBYQA": ("LN_BOBYQA", False, False),
}
"""NLopt's name, and whether there may be equality and inequality constraints."""

_STALLING = ("MMA", "CCSAQ")
"""Algorithms that may come to rest where no optimum is, if they start where a constraint is broken."""

_NOT_STATIONARY = 1e-2

_AT_REST = 1e-4
"""Stationarity of an optimum around which COBYLA goes in circles, where rounding hides its tolerance [-]."""

_FRESH_SIMPLICES = (0.1, 0.01, 0.001)
"""Edges, relative to 1 + |x|, with which COBYLA begins anew where its simplex went flat before an optimum."""

_CONSTRAINT_SHARE = 0.1
"""Of the constraint tolerance, that NLopt is told: what it returns shall pass the check."""


@dataclass(frozen=True, kw_only=True)
class NloptSolver(Solver):
    """An algorithm of NLopt (Johnson 2007); needs the extra `kido[nlopt]`.

    | algorithm | constraints | derivatives |
    |---|---|---|
    | SLSQP | all | yes |
    | MMA, CCSAQ | inequalities, which hold at the start | yes (Svanberg 2002) |
    | COBYLA | all | no (Powell 1994) |
    | LBFGS | bounds | yes |
    | BOBYQA | bounds | no (Powell 2009) |

    Equality constraints may depend on each other: SLSQP, which cannot bear it, gets a slack for each of their
    rows, as the others do where there are more rows than numbers. NLopt does not tell its iterations:
    `iterations` and `max_iterations` count evaluations of the objective.

    Attributes:
        algorithm: one of these.
        tolerance: relative, of x and of the objective [-].
    """

    algorithm: Literal["SLSQP", "MMA", "CCSAQ", "COBYLA", "LBFGS", "BOBYQA"] = "SLSQP"

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError naming the setting."""
        super().__post_init__()
        if self.algorithm not in _ALGORITHMS:
            raise ValueError(f"algorithm: expected one of {', '.join(_ALGORITHMS)}, got {self.algorithm!r}")

    @property
    def takes_equalities(self) -> bool:
        """SLSQP and COBYLA."""
        return _ALGORITHMS[self.algorithm][1]

    @property
    def takes_inequalities(self) -> bool:
        """All but LBFGS and BOBYQA."""
        return _ALGORITHMS[self.algorithm][2]

    @property
    def label(self) -> str:
        """Name of this solver in errors."""
        return f"NloptSolver(algorithm={self.algorithm!r})"

    def check_problem(self, problem: Problem) -> None:
        """Raises TypeError or ValueError if this solver cannot take the problem, MissingDependencyError."""
        super().check_problem(problem)
        _nlopt()

    def run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        """One attempt from `start` (n,) [-]."""
        nlopt, n = _nlopt(), len(start)
        nlopt.srand(self.seed)
        inner, rows = evaluator, len(evaluator.problem.equality_constraints.owners(start))
        if rows > n or (rows and self.algorithm == "SLSQP"):
            slack, start = with_slacks(evaluator, start)
            inner = Evaluator(slack, evaluator.random, None)
        method = self._method(nlopt, inner, start, lambda x: evaluator.accept(x[:n]))
        try:
            x = self._optimum(nlopt, method, evaluator.problem, start)[:n]
        except (nlopt.RoundoffLimited, _LostInRounding):
            at_rest = stationarity(evaluator.problem, evaluator.x) <= _NOT_STATIONARY
            status = Status.SOLVED if at_rest else Status.STALLED
            return evaluator.x, status, f"NLopt {self.algorithm}: no progress beyond rounding"
        except nlopt.runtime_error as error:
            evaluator.check_time()  # NLopt makes this of a Stop by a constraint
            return evaluator.x, Status.FAILED, f"NLopt {self.algorithm}: {error}"
        code = method.last_optimize_result()
        message = f"NLopt {self.algorithm}: result {code}"
        if code == nlopt.MAXEVAL_REACHED:
            if self.algorithm == "COBYLA" and stationarity(evaluator.problem, x) <= _AT_REST:
                return np.asarray(x), Status.SOLVED, f"{message}; x was at rest but for rounding"
            return np.asarray(x), Status.MAX_ITERATIONS, message
        if self.algorithm in _STALLING and stationarity(evaluator.problem, x) > _NOT_STATIONARY:
            return np.asarray(x), Status.STALLED, f"{message}; x rests where it should not"
        return np.asarray(x), Status.SOLVED, message

    def _optimum(self, nlopt: ModuleType, method: Any, problem: Problem, start: FloatArray) -> FloatArray:
        """NLopt's answer (m,); COBYLA begins anew there with smaller simplices while it is no optimum."""
        x = np.asarray(method.optimize(start))
        if self.algorithm != "COBYLA":
            return x
        left = self.max_iterations
        for edge in _FRESH_SIMPLICES:
            left -= method.get_numevals()
            ended = method.last_optimize_result() in (nlopt.FTOL_REACHED, nlopt.XTOL_REACHED)
            if left <= 0 or not ended or stationarity(problem, x[: problem.dimension]) <= _AT_REST:
                break
            method.set_maxeval(left)
            method.set_initial_step(edge * (1.0 + np.abs(x)))
            x = np.asarray(method.optimize(x))
        return x

    def _method(
        self, nlopt: ModuleType, evaluator: Evaluator, start: FloatArray, accept: Callable[[FloatArray], None]
    ) -> Any:
        """NLopt's object for the problem; `accept` hears of each x that is asked for."""
        problem = evaluator.problem
        method = nlopt.opt(getattr(nlopt, _ALGORITHMS[self.algorithm][0]), problem.dimension)
        method.set_lower_bounds(problem.lower_bounds)
        method.set_upper_bounds(problem.upper_bounds)
        method.set_min_objective(lambda x, gradient: _value(evaluator, accept, x, gradient))
        for rows, values, jacobian, add in (
            (
                problem.equality_constraints,
                evaluator.equality_values,
                evaluator.equality_jacobian,
                "equality",
            ),
            (
                problem.inequality_constraints,
                evaluator.inequality_values,
                evaluator.inequality_jacobian,
                "inequality",
            ),
        ):
            allowed = np.full(len(rows.owners(start)), _CONSTRAINT_SHARE * self.constraint_tolerance)
            if len(allowed):
                getattr(method, f"add_{add}_mconstraint")(_rows(values, jacobian), allowed)
        method.set_ftol_rel(self.tolerance)
        method.set_xtol_rel(self.tolerance)
        method.set_maxeval(self.max_iterations)
        return method


class _LostInRounding(Exception):
    """NLopt asks for a point that is not finite, as SLSQP does where values and gradients are denormal."""


def _value(
    evaluator: Evaluator, accept: Callable[[FloatArray], None], x: FloatArray, gradient: FloatArray
) -> float:
    """Objective for NLopt: the value, and the gradient where there is room for it."""
    if not np.isfinite(x).all():
        raise _LostInRounding
    value = evaluator.value(x)
    accept(x)
    if gradient.size:
        gradient[:] = evaluator.gradient(x)
    return value


def _rows(values: Any, jacobian: Any) -> Any:
    """Constraints for NLopt, which hands in arrays for values and derivatives."""

    def fill(into: FloatArray, x: FloatArray, derivative: FloatArray) -> None:
        into[:] = values(x)
        if derivative.size:
            derivative[:] = jacobian(x)

    return fill


def _nlopt() -> ModuleType:
    try:
        import nlopt
    except ImportError:
        raise MissingDependencyError("nlopt", "nlopt", "NloptSolver") from None
    module: ModuleType = nlopt
    return module
