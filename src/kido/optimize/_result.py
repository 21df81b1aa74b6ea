"""Result of a solver, a value that can check itself."""

from __future__ import annotations

from enum import Enum

import numpy as np

from kido.optimize._nonlinear_program import NonlinearProgram
from kido.optimize._stationarity import stationarity as stationarity_of
from kido.optimize._violations import broken_parts, violation_lines
from kido.values import Array, Value, array, checked, register, value

__all__ = ["Result", "Status"]


@register
class Status(Enum):
    """Outcome of a solver."""

    SOLVED = "solved"
    """The solver's criterion is met, no constraint is broken, and the conditions of an optimum hold roughly:
    `stationarity` is at most 1e-2."""
    MAX_ITERATIONS = "max_iterations"
    """The number of iterations ran out."""
    STALLED = "stalled"
    """No step makes progress, though the criterion is not met."""
    INFEASIBLE = "infeasible"
    """No step reduces what is left of the constraints' violation: they contradict each other, or x is
    stuck."""
    FAILED = "failed"
    """The numbers became infinite or NaN, or the method broke down; the message says which."""
    TIME_OUT = "time_out"
    """The time budget ran out."""


def _float(name: str, value: float) -> float:
    return float(value)


def _integer(name: str, value: int) -> int:
    return int(value)


def _optional(name: str, value: float | None) -> float | None:
    return None if value is None else float(value)


@value
class Result(Value):
    """The best point that a solver reached.

    Attributes: `x` (n,) read-only, `value` of the objective there, `status`, `message`, `iterations` and
    `evaluations` of the objective over all attempts, `attempts`, `violation`, by how much x breaks the bound
    or constraint that it breaks most, and `stationarity`, what is left of the conditions of Karush, Kuhn and
    Tucker, as `kkt_residual` measures it: None where a constraint is broken, or nobody measured.

    Raises TypeError or ValueError for an x that is not a finite vector, or no Status.
    """

    x: Array = array(-1)
    value: float = checked(_float)
    status: Status
    message: str = checked(lambda name, value: str(value), default="")
    iterations: int = checked(_integer, default=0, kw_only=True)
    evaluations: int = checked(_integer, default=0, kw_only=True)
    attempts: int = checked(_integer, default=1, kw_only=True)
    violation: float = checked(_float, default=0.0, kw_only=True)
    stationarity: float | None = checked(_optional, default=None, kw_only=True)

    def _check(self) -> None:
        if not isinstance(self.status, Status):
            raise TypeError(f"status: expected a Status, got {self.status!r}")

    @property
    def success(self) -> bool:
        """Whether the problem is solved."""
        return self.status is Status.SOLVED

    def check(
        self, problem: NonlinearProgram, tolerance: float = 1e-6, *, stationarity: float | None = None
    ) -> tuple[str, ...]:
        """Faults of this result, a line each; empty if there are none.

        Everything is computed anew from the problem: the value, the bounds, the constraints, and with
        `stationarity` the first-order conditions too.

        Args:
            problem: what was to be solved.
            tolerance: by how much constraints may be broken, and the value may differ, relative to 1 or to
                the value [-].
            stationarity: largest allowed `kido.optimize.stationarity` [-]; None leaves that out.

        Raises:
            ValueError: the problem has another dimension.
        """
        faults = [] if self.success else [f"status: {self.status.name}: {self.message}"]
        value = problem.value(self.x)
        if not np.isclose(value, self.value, rtol=tolerance, atol=tolerance):
            faults.append(f"value: recorded as {self.value:.9g}, is {value:.9g}")
        faults.extend(violation_lines(broken_parts(problem, self.x), tolerance))
        if stationarity is not None:
            remaining = stationarity_of(problem, self.x, tolerance)
            if not remaining <= stationarity:
                faults.append(f"stationarity: expected at most {stationarity:.3g}, is {remaining:.3g}")
        return tuple(faults)
