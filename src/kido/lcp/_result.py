"""Result of a complementarity solver, a value that can check itself."""

from __future__ import annotations

from enum import Enum

import numpy as np

from kido.lcp._boxed_lcp import BoxedLCP
from kido.values import (
    Array,
    Value,
    checked,
    checked_member,
    part,
    read_only,
    register,
    text,
    value,
    whole,
)

__all__ = ["LCPResult", "LCPStatus"]


@register
class LCPStatus(Enum):
    """Outcome of a complementarity solver."""

    SOLVED = "solved"
    """The residual is within the tolerance."""
    MAX_ITERATIONS = "max_iterations"
    """The number of iterations ran out."""
    INFEASIBLE = "infeasible"
    """There is no solution: shown by a direction that was found."""
    STALLED = "stalled"
    """The method ended without a solution, and does not know whether there is one; the message says how."""
    FAILED = "failed"
    """The method does not apply to this matrix, or numbers became infinite or NaN."""
    TIME_OUT = "time_out"
    """The time budget ran out."""


def _status(name: str, given: LCPStatus | str) -> LCPStatus:
    return given if isinstance(given, LCPStatus) else checked_member(name, LCPStatus, given)


@value
class LCPResult(Value):
    """Result of a solver, with its problem.

    Attributes: `problem`; `x` (n,) within its bounds, in its units, read-only; `w` (n,) = A x + b there;
    `status`, `message`; `iterations`: sweeps, pivots or steps; `residual`, as `BoxedLCP.residual` measures
    it [-]; `solver`, the name of the one that answered.

    Raises TypeError or ValueError naming the argument.
    """

    problem: BoxedLCP = part(BoxedLCP)
    x: Array = read_only()
    w: Array = read_only()
    status: LCPStatus = checked(_status)
    message: str = text(empty=True, default="")
    iterations: int = whole(default=0, kw_only=True)
    residual: float = checked(lambda name, value: float(value), kw_only=True, default=np.inf)
    solver: str = text(empty=True, default="", kw_only=True)

    def _check(self) -> None:
        shape = self.problem.b.shape
        for name, got in (("x", self.x.shape), ("w", self.w.shape)):
            if got != shape:
                raise ValueError(f"{name}: expected shape {shape}, got {got}")

    @property
    def success(self) -> bool:
        """Whether the problem is solved."""
        return self.status is LCPStatus.SOLVED

    def check(self, tolerance: float = 1e-6) -> tuple[str, ...]:
        """Faults of this result, a line each; empty if there are none. Everything is computed anew.

        Args:
            tolerance: largest residual [-], of all rows and of each.
        """
        faults = [] if self.success else [f"status: {self.status.name}: {self.message}"]
        if not (np.isfinite(self.x).all() and np.isfinite(self.w).all()):
            return (*faults, "x, w: expected finite numbers")
        w, size = self.problem.w(self.x), np.abs(self.problem.A) @ np.abs(self.x) + np.abs(self.problem.b)
        for row in np.flatnonzero(np.abs(w - self.w) > tolerance * size):
            faults.append(f"w[{row}]: recorded as {self.w[row]:.9g}, is {w[row]:.9g}")
        residual = self.problem.residual(self.x)
        if not residual <= tolerance:
            natural = self.problem.natural_residual(self.x)
            worst = int(np.argmax(np.abs(natural)))
            faults.append(
                f"residual: expected at most {tolerance:.3g}, is {residual:.3g}; row {worst} has "
                f"x = {self.x[worst]:.6g}, w = {self.w[worst]:.6g}"
            )
        return tuple(faults)
