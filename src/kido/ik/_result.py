"""Results of inverse kinematics."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.values import Value, read_only, register, value

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["STATIONARY", "TIMED_OUT", "IKOutcome", "IKResult", "IKResults", "IKStatus", "told_objective"]


STATIONARY = 1e-6
"""Largest stationarity of an objective at a minimum [-]."""

_UNKNOWN_REASON = "out of reach, or between limits that no start got around"
_TRACKING_REASON = "as near as its largest change and the limits let this step come"
TIMED_OUT = "the time budget ended the search"
"""What results say where there was no time to go on."""


@register
class IKStatus(str, Enum):
    """Outcome of a search."""

    SOLVED = "solved"
    """The target is reached, within the limits of the joints."""
    NOT_REACHED = "not reached"
    """No start reached the target; the positions are those of the first start, the given positions."""

    def __str__(self) -> str:
        return self.value


def told_objective(stationarity: float | None) -> str:
    """Outcome of an objective, in words after a comma or semicolon; nothing where there is none."""
    if stationarity is None:
        return ""
    if stationarity <= STATIONARY:
        return ", the objective at a minimum"
    left = f"{stationarity:.3g} of its gradient is left"
    return f"; the objective is not at a minimum: {left} beside the target"


class IKOutcome(Value):
    """Base of results: what came of a search, for one node or for several. A result declares these fields.

    Attributes:
        status: outcome of the search.
        elsewhere: where not all is reached, an answer of another branch that comes nearer.
        stationarity: how far an objective is from a minimum [-].
    """

    __slots__ = ()

    status: IKStatus
    elsewhere: Self | None
    stationarity: float | None

    @property
    def success(self) -> bool:
        """Whether all that is required is reached, as `status` says."""
        return self.status is IKStatus.SOLVED

    @property
    def is_optimal(self) -> bool:
        """Whether an objective is at a minimum to first order: `stationarity` is at most 1e-6."""
        return self.stationarity is not None and self.stationarity <= STATIONARY

    @property
    def nearest(self) -> Self:
        """The answer that comes nearest to what is wanted: `elsewhere`, where there is one, else this one."""
        return self if self.elsewhere is None else self.elsewhere

    def __bool__(self) -> bool:
        return self.success


@value
class IKResult(IKOutcome):
    """Positions that bring a body to a target, or as near as a path without jumps came. Its array is
    read-only.

    Attributes:
        positions: (k,) of the dofs of the module [rad, m].
        dof_names: their names.
        status: outcome of the search.
        angular_error, linear_error: remaining error between body and target [rad], [m].
        start: which start gave the positions; 0 is the given one.
        iterations: of that start.
        method: origin of the positions: "search", "tracking", or the class of the solver or the analytical
            method.
        reason: why the target is not reached, in words, where the solver or method says so; else empty.
        elsewhere: where the target is not reached, an answer of another branch that comes nearer, which is
            never applied: no path without jumps is known to lead there. None: there is no such answer.
        stationarity: how far an objective is from a minimum that keeps target and limits: the largest
            component of the gradient of the Lagrangian, relative to the largest gradient met [-]. None: there
            is none, or the target was not reached.
        timed_out: whether the time budget ended what would have gone on: more time might have led nearer to
            the target, or lowered an objective further.
    """

    positions: FloatArray = read_only()
    dof_names: tuple[str, ...]
    status: IKStatus
    angular_error: float
    linear_error: float
    start: int
    iterations: int
    method: str = "search"
    reason: str = ""
    elsewhere: IKResult | None = None
    stationarity: float | None = None
    timed_out: bool = False

    @property
    def message(self) -> str:
        """The outcome in words."""
        left = f"{self.linear_error:.3g} m and {self.angular_error:.3g} rad from the target"
        if not self.success:
            usual = _TRACKING_REASON if self.method == "tracking" else _UNKNOWN_REASON
            parts = [left, self.reason, TIMED_OUT if self.timed_out else ""]
            told = [part for part in parts if part]
            return f"not reached: {'; '.join(told if len(told) > 1 else [left, usual])}"
        by = self.method if self.method != "search" else f"start {self.start}"
        ended = f"; {TIMED_OUT}" if self.timed_out else ""
        optimum = told_objective(self.stationarity)
        return f"solved: {left}, by {by} in {self.iterations} iterations{optimum}{ended}"


@value
class IKResults(Value):
    """Positions for many targets; entry i of each array belongs to target i. Its arrays are read-only.

    Attributes:
        positions: (..., k) of the dofs of the module [rad, m].
        dof_names: their names.
        success: (...) whether the target is reached.
        angular_error, linear_error: (...) remaining errors [rad], [m].
        start: (...) which start gave the positions; 0 is the given one.
        iterations: (...) of that start.
        method: origin of the positions: "search", "tracking", or the class of the solver or the analytical
            method.
        reasons: why targets are not reached, in words, one for each; empty where no method knows.
        elsewhere: nearer answers of other branches, as of `IKResult`, one or None for each target; empty
            where there are none.
        stationarity: of an objective, as of `IKResult`, one for each target; empty where there is none.
        timed_out: (...) whether the time budget ended what would have gone on. Given as one, of all.
    """

    positions: FloatArray = read_only()
    dof_names: tuple[str, ...]
    success: NDArray[np.bool_] = read_only()
    angular_error: FloatArray = read_only()
    linear_error: FloatArray = read_only()
    start: NDArray[np.int32] = read_only()
    iterations: NDArray[np.int32] = read_only()
    method: str = "search"
    reasons: tuple[str, ...] = ()
    elsewhere: tuple[IKResult | None, ...] = ()
    stationarity: tuple[float | None, ...] = ()
    timed_out: NDArray[np.bool_] = read_only(default=False)

    def _check(self) -> None:
        self._assign(timed_out=np.broadcast_to(self.timed_out, self.success.shape))

    @classmethod
    def of(cls, dof_names: tuple[str, ...], results: list[IKResult]) -> IKResults:
        """Many results for the same dofs as one."""
        rows = [
            (r.success, r.angular_error, r.linear_error, r.timed_out, r.start, r.iterations) for r in results
        ]
        columns = np.array(rows, dtype=np.float64).reshape(-1, 6).T
        positions = np.array([r.positions for r in results]).reshape(len(results), len(dof_names))
        start, iterations = columns[4:].astype(np.int32)
        method = results[0].method if results else "search"
        reasons = tuple(r.reason for r in results)
        elsewhere = tuple(r.elsewhere for r in results)
        stationarity = tuple(r.stationarity for r in results)
        return cls(
            *(positions, dof_names, columns[0].astype(bool), columns[1], columns[2], start, iterations),
            method=method,
            reasons=reasons,
            elsewhere=() if all(other is None for other in elsewhere) else elsewhere,
            stationarity=() if all(each is None for each in stationarity) else stationarity,
            timed_out=columns[3].astype(bool),
        )

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: int) -> IKResult:
        status = IKStatus.SOLVED if self.success[index] else IKStatus.NOT_REACHED
        return IKResult(
            self.positions[index],
            self.dof_names,
            status,
            float(self.angular_error[index]),
            float(self.linear_error[index]),
            int(self.start[index]),
            int(self.iterations[index]),
            self.method,
            self.reasons[index] if self.reasons else "",
            self.elsewhere[index] if self.elsewhere else None,
            self.stationarity[index] if self.stationarity else None,
            bool(self.timed_out[index]),
        )
