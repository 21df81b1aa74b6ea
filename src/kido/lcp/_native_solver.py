"""Base of solvers whose method is native."""

from __future__ import annotations

import math
from abc import abstractmethod

from kido import _core
from kido.lcp._boxed_lcp import BoxedLCP
from kido.lcp._result import LCPResult, LCPStatus
from kido.lcp._solver import LCPSolver
from kido.typing import FloatArray
from kido.values import value

__all__ = ["NativeSolver"]


@value
class NativeSolver(LCPSolver):
    """Base of kido's own solvers, whose method is native."""

    @property
    @abstractmethod
    def _method(self) -> str:
        """Name of the native method."""

    @property
    def _relaxation(self) -> float:
        return 1.0

    def run(self, problem: BoxedLCP, x0: FloatArray) -> tuple[FloatArray, LCPStatus, str, int]:
        """As `solve`, without the checks: x (n,) in units of x, status, message, iterations."""
        result = self._solve_all((problem,), [x0])[0]
        return result.x, result.status, result.message, result.iterations

    def _solve_all(
        self, problems: tuple[BoxedLCP, ...], starts: list[FloatArray | None]
    ) -> tuple[LCPResult, ...]:
        budget = math.inf if self.time_budget is None else self.time_budget
        answers = _core.solve_lcps(
            [problem._native() for problem in problems],
            starts,
            self._method,
            self.tolerance,
            self.max_iterations,
            self._relaxation,
            budget,
        )
        return tuple(
            LCPResult(
                problem,
                x,
                w,
                LCPStatus(status),
                message,
                iterations=iterations,
                residual=residual,
                solver=self.type_name,
            )
            for problem, (x, w, residual, iterations, status, message) in zip(problems, answers, strict=True)
        )
