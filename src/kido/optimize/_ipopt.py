"""The solver Ipopt."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from kido.errors import MissingDependencyError
from kido.optimize._evaluator import Evaluator
from kido.optimize._problem import Problem
from kido.optimize._result import Status
from kido.optimize._solver import Solver
from kido.typing import FloatArray

__all__ = ["IpoptSolver"]

_STATUS = {
    0: Status.SOLVED,
    1: Status.SOLVED,
    6: Status.SOLVED,
    2: Status.INFEASIBLE,
    3: Status.STALLED,
    -1: Status.MAX_ITERATIONS,
    -4: Status.TIME_OUT,
    -5: Status.TIME_OUT,
}
"""Statuses for the codes of Ipopt; all others are failures."""


@dataclass(frozen=True, kw_only=True)
class IpoptSolver(Solver):
    """Ipopt, an interior-point method with line search by filter (Wächter, Biegler 2006).

    Needs the extra `kido[ipopt]`, and the library Ipopt that its package `cyipopt` is built with. Second
    derivatives are approximated from gradients.

    Attributes:
        tolerance: of the scaled optimality conditions [-].
    """

    def check_problem(self, problem: Problem) -> None:
        """Raises TypeError or ValueError if this solver cannot take the problem, MissingDependencyError."""
        super().check_problem(problem)
        _cyipopt()

    def run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        """One attempt from `start` (n,) [-]."""
        problem = evaluator.problem
        equal, above = len(problem.equality_values(start)), len(problem.inequality_values(start))
        method = _cyipopt().Problem(
            n=problem.dimension,
            m=equal + above,
            problem_obj=_Callbacks(evaluator),
            lb=problem.lower_bounds,
            ub=problem.upper_bounds,
            cl=np.concatenate([np.zeros(equal), np.full(above, -np.inf)]),
            cu=np.zeros(equal + above),
        )
        for name, setting in self._options().items():
            method.add_option(name, setting)
        x, info = method.solve(start)
        message = info["status_msg"]
        text = message.decode() if isinstance(message, bytes) else str(message)
        return np.asarray(x), _STATUS.get(int(info["status"]), Status.FAILED), f"Ipopt: {text}"

    def _options(self) -> dict[str, Any]:
        return {
            "tol": self.tolerance,
            "constr_viol_tol": self.constraint_tolerance,
            "max_iter": self.max_iterations,
            "hessian_approximation": "limited-memory",
            "bound_relax_factor": 0.0,
            "honor_original_bounds": "yes",
            "print_level": 0,
            "sb": "yes",
        }


class _Callbacks:
    """Callbacks of Ipopt."""

    __slots__ = ("_evaluator", "_x")

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._x = evaluator.x

    def objective(self, x: FloatArray) -> float:
        self._x = np.array(x)
        return self._evaluator.value(x)

    def gradient(self, x: FloatArray) -> FloatArray:
        return self._evaluator.gradient(x)

    def constraints(self, x: FloatArray) -> FloatArray:
        return np.concatenate([self._evaluator.equality_values(x), self._evaluator.inequality_values(x)])

    def jacobian(self, x: FloatArray) -> FloatArray:
        rows = [self._evaluator.equality_jacobian(x), self._evaluator.inequality_jacobian(x)]
        return np.concatenate(rows).ravel()

    def intermediate(self, *_: object) -> bool:
        self._evaluator.accept(self._x)
        return True


def _cyipopt() -> ModuleType:
    try:
        import cyipopt
    except ImportError:
        raise MissingDependencyError("cyipopt", "ipopt", "IpoptSolver") from None
    module: ModuleType = cyipopt
    return module
