"""Coulomb's friction at one contact."""

from __future__ import annotations

from kido.typing import frozen_array
from kido.values import Value, checked, checked_items, checked_whole, value

__all__ = ["FrictionCone"]


def _row(name: str, given: int) -> int:
    row = checked_whole(name, given)
    if row < 0:
        raise ValueError(f"{name}: expected a row, 0 or above, got {row}")
    return row


def _two_rows(name: str, given: tuple[int, int]) -> tuple[int, ...]:
    rows = checked_items(name, object, given)
    if len(rows) != 2:
        raise ValueError(f"{name}: expected two rows, got {len(rows)}")
    return tuple(_row(name, row) for row in rows)  # type: ignore[arg-type]


def _coefficient(name: str, given: float) -> float:
    number = float(frozen_array(name, given, ()))
    if number < 0.0:
        raise ValueError(f"{name}: expected 0 or above, got {number}")
    return number


@value
class FrictionCone(Value):
    """Coulomb's law at a contact: the tangential x is at most `friction` times the normal one in size; where
    it is less, the contact sticks (w = 0 along both tangents), else w is zero or opposite to it.

    Attributes:
        normal: row of the problem, whose lower bound is 0 or above.
        tangents: two rows, along directions at right angles; which have no bounds beside.
        friction: the coefficient [-], 0 or above.

    Raises TypeError or ValueError naming the argument.
    """

    normal: int = checked(_row)
    tangents: tuple[int, ...] = checked(_two_rows)
    friction: float = checked(_coefficient)

    def _check(self) -> None:
        rows = (self.normal, *self.tangents)
        if len(set(rows)) != 3:
            raise ValueError(f"tangents: expected two rows beside the normal one, got rows {rows}")
