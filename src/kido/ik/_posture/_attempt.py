"""The end of a search for a posture."""

from __future__ import annotations

from typing import NamedTuple

from kido.typing import FloatArray

__all__ = ["Attempt"]


class Attempt(NamedTuple):
    """The end of a search from one start, or the best of several, in the order of native answers.

    Attributes:
        positions: (dofs,) [rad, m].
        forces: (extras,) unknowns besides them.
        values: (rows,) of the constraints.
        multipliers: (rows,) of the constraints; None where the solver tells none.
        limit_multipliers: (unknowns,) of limits.
        cost: of the posture.
        violation: largest one of rows.
        shown: largest one of what users see, limits of dofs apart; NaN where the solver tells none.
        stationarity: what is left of the gradient of the Lagrangian.
        iterations, evaluations: how many there were.
        status: the outcome, a value of PostureStatus.
        message: of a solver of kido.optimize.
    """

    positions: FloatArray
    forces: FloatArray
    values: FloatArray | None
    multipliers: FloatArray | None
    limit_multipliers: FloatArray | None
    cost: float
    violation: float
    shown: float
    stationarity: float
    iterations: int
    evaluations: int
    status: str
    message: str = ""
