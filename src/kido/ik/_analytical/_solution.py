"""One solution of an analytical method."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

from kido.typing import ArrayLike, FloatArray, Value, frozen_array

__all__ = ["AnalyticalSolution", "Validity"]


class Validity(IntFlag):
    """Flags of what a solution violates; any number may be set."""

    VALID = 0
    """Nothing: it reaches the target, within the limits of the joints."""
    OUT_OF_REACH = 1
    """It does not reach the target, but comes near."""
    LIMIT_VIOLATED = 2
    """Some joint is beyond its limits."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class AnalyticalSolution(Value):
    """Positions that an analytical method found.

    Attributes:
        positions: of the method's dofs (n,) [rad, m].
        validity: flags of what they violate.
    """

    positions: FloatArray
    validity: Validity

    def __init__(self, positions: ArrayLike, validity: Validity | int = Validity.VALID) -> None:
        """Raises TypeError or ValueError for what are no positions or no Validity."""
        self._assign(
            positions=frozen_array("positions", positions, (-1,), "rad, m"), validity=_checked(validity)
        )

    @property
    def is_valid(self) -> bool:
        """Whether it reaches the target within the limits of the joints."""
        return self.validity == Validity.VALID


def _checked(validity: object) -> Validity:
    if isinstance(validity, bool) or not isinstance(validity, int) or not 0 <= validity <= 3:
        raise ValueError(f"validity: expected a Validity, got {validity!r}")
    return Validity(validity)
