"""Solvers of SciPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kido.optimize._differences import HESSIAN_STEP, difference_jacobian
from kido.optimize._evaluator import Evaluator
from kido.optimize._problem import Problem
from kido.optimize._result import Status
from kido.optimize._slacks import with_slacks
from kido.optimize._solver import Solver
from kido.typing import FloatArray

__all__ = ["SciPySolver"]

_METHODS = ("SLSQP", "trust-constr", "L-BFGS-B")
_FACTORIZATION = {"factorization_method": "SVDFactorization"}
"""For trust-constr: the one that bears constraints that depend on each other."""

_STATUS = {
    "SLSQP": {0: Status.SOLVED, 4: Status.INFEASIBLE, 8: Status.STALLED, 9: Status.MAX_ITERATIONS},
    "trust-constr": {0: Status.MAX_ITERATIONS, 1: Status.SOLVED, 2: Status.SOLVED},
    "L-BFGS-B": {0: Status.SOLVED, 1: Status.MAX_ITERATIONS, 2: Status.STALLED},
}
"""Statuses for the codes of SciPy; all others are failures."""


@dataclass(frozen=True, kw_only=True)
class SciPySolver(Solver):
    """A method of `scipy.optimize.minimize`.

    | method | constraints | |
    |---|---|---|
    | SLSQP | all | sequential quadratic programming (Kraft 1988): the default for small problems |
    | trust-constr | all | interior points in a trust region (Byrd, Hribar, Nocedal 1999) |
    | L-BFGS-B | bounds | quasi-Newton with little memory (Byrd, Lu, Nocedal, Zhu 1995): for many numbers |

    trust-constr is slow, and ends about 1e-5 inside of the inequalities that hold it. Equality constraints
    may depend on each other: SLSQP, which cannot bear it, gets a slack for each of them.

    Attributes:
        method: one of these.
        tolerance: SLSQP: of the decrease of the objective; trust-constr: of the Lagrangian's gradient;
            L-BFGS-B: of the projected gradient [-].
    """

    method: Literal["SLSQP", "trust-constr", "L-BFGS-B"] = "SLSQP"

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError naming the setting."""
        super().__post_init__()
        if self.method not in _METHODS:
            raise ValueError(f"method: expected one of {', '.join(_METHODS)}, got {self.method!r}")

    @property
    def takes_equalities(self) -> bool:
        """All methods but L-BFGS-B."""
        return self.method != "L-BFGS-B"

    @property
    def takes_inequalities(self) -> bool:
        """All methods but L-BFGS-B."""
        return self.method != "L-BFGS-B"

    @property
    def label(self) -> str:
        """Name of this solver in errors."""
        return f"SciPySolver(method={self.method!r})"

    def run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        """One attempt from `start` (n,) [-]."""
        problem, n = evaluator.problem, len(start)
        inner = evaluator
        if self.method == "SLSQP" and len(problem.equality_constraints):
            slack, start = with_slacks(evaluator, start)
            inner = Evaluator(slack, evaluator.random, None)
        found = self._minimized(inner, start, lambda x, *_: evaluator.accept(problem.clamp(x[:n])))
        status = _STATUS[self.method].get(int(found.status), Status.FAILED)
        return np.asarray(found.x[:n]), status, f"{self.method}: {found.message}"

    def _minimized(self, evaluator: Evaluator, start: FloatArray, callback: Callable[..., None]) -> Any:
        """Result of SciPy from `start` (n,) [-]."""
        from scipy.optimize import Bounds, minimize

        problem = evaluator.problem
        factorization = _FACTORIZATION if self._is_constrained(problem) else {}
        options: dict[str, Any] = {
            "SLSQP": {"ftol": self.tolerance},
            "trust-constr": {"gtol": self.tolerance, "xtol": self.tolerance**1.5, **factorization},
            "L-BFGS-B": {"gtol": self.tolerance, "ftol": 0.0, "maxfun": 100 * self.max_iterations},
        }[self.method]
        return minimize(
            _inside(evaluator, evaluator.value),
            start,
            jac=_inside(evaluator, evaluator.gradient),
            hess=_inside(evaluator, evaluator.hessian) if self.method == "trust-constr" else None,
            method=self.method,
            bounds=Bounds(problem.lower_bounds, problem.upper_bounds, keep_feasible=True),
            constraints=self._constraints(evaluator),
            callback=callback,
            options={"maxiter": self.max_iterations, **options},
        )

    @staticmethod
    def _is_constrained(problem: Problem) -> bool:
        return len(problem.equality_constraints) + len(problem.inequality_constraints) > 0

    def _constraints(self, evaluator: Evaluator) -> list[Any]:
        if self.method == "trust-constr":
            return _nonlinear_constraints(evaluator)
        parts = []
        if len(evaluator.problem.equality_constraints):
            parts.append(_row("eq", 1.0, evaluator, evaluator.equality_values, evaluator.equality_jacobian))
        if len(evaluator.problem.inequality_constraints):
            parts.append(
                _row("ineq", -1.0, evaluator, evaluator.inequality_values, evaluator.inequality_jacobian)
            )
        return parts


_Query = Callable[[FloatArray], Any]


def _inside(evaluator: Evaluator, query: _Query) -> _Query:
    """`query`, asked inside the bounds only: steps of SciPy overshoot them by rounding."""
    clamp = evaluator.problem.clamp
    return lambda x: query(clamp(x))


def _row(kind: str, sign: float, evaluator: Evaluator, values: _Query, jacobian: _Query) -> dict[str, Any]:
    """Constraints as SLSQP takes them: its inequalities are 0 or above."""
    at, slope = _inside(evaluator, values), _inside(evaluator, jacobian)
    return {"type": kind, "fun": lambda x: sign * at(x), "jac": lambda x: sign * slope(x)}


def _nonlinear_constraints(evaluator: Evaluator) -> list[Any]:
    """Constraints as trust-constr takes them."""
    from scipy.optimize import NonlinearConstraint

    problem = evaluator.problem
    parts = []
    for constraints, lowest, values, jacobian in (
        (problem.equality_constraints, 0.0, evaluator.equality_values, evaluator.equality_jacobian),
        (problem.inequality_constraints, -np.inf, evaluator.inequality_values, evaluator.inequality_jacobian),
    ):
        if len(constraints):
            at, slope = _inside(evaluator, values), _inside(evaluator, jacobian)
            parts.append(NonlinearConstraint(at, lowest, 0.0, jac=slope, hess=_curvature(evaluator, slope)))
    return parts


def _curvature(evaluator: Evaluator, jacobian: _Query) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Second derivatives (n, n) of the constraints' sum, weighted by multipliers."""
    problem = evaluator.problem

    def hessian(x: FloatArray, multipliers: FloatArray) -> FloatArray:
        rough = difference_jacobian(
            lambda at: jacobian(at).T @ multipliers,
            problem.clamp(x),
            problem.lower_bounds,
            problem.upper_bounds,
            HESSIAN_STEP,
        )
        return 0.5 * (rough + rough.T)

    return hessian
