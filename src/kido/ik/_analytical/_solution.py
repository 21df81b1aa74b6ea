"""One solution of an analytical method."""

from __future__ import annotations

from enum import IntFlag

from kido.values import Array, Checked, Value, array, checked, register, value

__all__ = ["AnalyticalSolution", "Validity"]


@register
class Validity(IntFlag):
    """Flags of what a solution violates; any number may be set."""

    VALID = 0
    """Nothing: it reaches the target, within the limits of the joints."""
    OUT_OF_REACH = 1
    """It does not reach the target, but comes near."""
    LIMIT_VIOLATED = 2
    """Some joint is beyond its limits."""


def _checked(name: str, value: object) -> Validity:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 3:
        raise ValueError(f"{name}: expected a Validity, got {value!r}")
    return Validity(value)


@value
class AnalyticalSolution(Value):
    """Positions that an analytical method found.

    Attributes:
        positions: of the method's dofs (n,) [rad, m].
        validity: flags of what they violate.

    Raises TypeError or ValueError for what are no positions or no Validity.
    """

    positions: Array = array(-1, unit="rad, m")
    validity: Checked[Validity | int, Validity] = checked(_checked, default=Validity.VALID)

    @property
    def is_valid(self) -> bool:
        """Whether it reaches the target within the limits of the joints."""
        return self.validity == Validity.VALID
