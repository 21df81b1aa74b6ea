"""Results of quadratic programs."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.values import Value, read_only, register, value

__all__ = ["QuadraticResult", "QuadraticStatus"]


@register
class QuadraticStatus(str, Enum):
    """Outcome of a quadratic program."""

    SOLVED = "solved"
    """Bounds hold, and the gradient of the Lagrangian vanishes, up to rounding."""
    INFEASIBLE = "infeasible"
    """Bounds contradict each other: `multipliers` are the proof."""
    UNBOUNDED = "unbounded"
    """There is a ray along which the objective falls for ever."""
    MAX_ITERATIONS = "max_iterations"
    """The number of iterations ran out."""
    NOT_CONVEX = "not_convex"
    """H has a negative eigenvalue."""

    def __str__(self) -> str:
        return self.value


_STATUSES = tuple(QuadraticStatus)
"""In the order of native codes."""


@value
class QuadraticResult(Value):
    """Result of one quadratic program, or of many (...). Its arrays are read-only.

    Attributes:
        x: (..., n) the solution [-]; where there is none, where the search ended.
        multipliers: (..., n + m) of bounds, then of rows [-]: H x + g is their sum over normals. They are 0
            or above at lower bounds, 0 or below at upper ones. Where bounds contradict each other: the
            combination of Farkas, whose normals add up to nothing while its bounds add up to more than 0.
        active: (..., n + m): -1 at the lower bound, 1 at the upper one, else 0; -1 where both are equal.
        codes: (...) places of the outcomes among the members of `QuadraticStatus`, see `status`.
        iterations: (...) changes of the active set.
        residual: (...) the largest component of the gradient of the Lagrangian, relative to its parts [-]; of
            a proof, that of the sum of its normals.
    """

    x: FloatArray = read_only()
    multipliers: FloatArray = read_only()
    active: FloatArray = read_only()
    codes: NDArray[np.intc] = read_only()
    iterations: NDArray[np.intc] = read_only()
    residual: FloatArray = read_only()

    @property
    def status(self) -> QuadraticStatus:
        """Outcome of the program; of many, the worst: the last of `QuadraticStatus` that there is."""
        return _STATUSES[int(np.max(self.codes, initial=0))]

    @property
    def statuses(self) -> tuple[QuadraticStatus, ...]:
        """Outcome of each program, in order."""
        return tuple(_STATUSES[code] for code in self.codes.ravel())

    @property
    def success(self) -> bool:
        """Whether all programs are solved."""
        return self.status is QuadraticStatus.SOLVED

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Whether each program (...) is solved."""
        return np.asarray(self.codes == 0)

    def __bool__(self) -> bool:
        return self.success
