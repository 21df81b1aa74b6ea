"""Solutions, one and in rows: what they violate, limits of joints, order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntFlag
from functools import cmp_to_key
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kido.description import Coordinate
from kido.ik._coordinates import wrapped_into_limits
from kido.ik._query import IKQuery
from kido.skeleton import DegreeOfFreedom
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Checked, Value, array, checked, register, value

__all__ = [
    "AnalyticalSolution",
    "Comparison",
    "Validity",
    "checked_rows",
    "into_limits",
    "ranked",
    "solutions_of",
]


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


def checked_rows(
    part: str, given: Iterable[AnalyticalSolution | ArrayLike], count: int
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Positions (m, count) [rad, m] and flags (m,) of solutions, or of rows of positions, which count as
    valid.

    Raises TypeError or ValueError that begins with `part` for what is neither.
    """
    if not isinstance(given, Iterable):
        raise TypeError(f"{part}: expected solutions or rows of positions, got {type(given).__name__}")
    if isinstance(given, np.ndarray):
        rows = frozen_array(part, given if given.size else np.zeros((0, count)), (-1, count), "rad, m")
        return rows, np.zeros(len(rows), dtype=np.intp)
    found, flags = [], []
    for i, one in enumerate(given):
        row, flag = (one.positions, one.validity) if isinstance(one, AnalyticalSolution) else (one, 0)
        found.append(frozen_array(f"{part}[{i}]", row, (count,), "rad, m"))
        flags.append(int(flag))
    return np.array(found, dtype=np.float64).reshape(len(found), count), np.array(flags, dtype=np.intp)


def solutions_of(positions: FloatArray, flags: NDArray[Any]) -> list[AnalyticalSolution]:
    """One solution for each row of positions (m, n) [rad, m] and its flags (m,)."""
    return [AnalyticalSolution(q, Validity(int(flag))) for q, flag in zip(positions, flags, strict=True)]


def into_limits(
    ik: IKQuery, dofs: tuple[DegreeOfFreedom, ...], positions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Positions (m, n) with angles shifted by whole turns into their limits, nearest to the present ones, and
    how far each row is beyond limits even so (m,) [rad, m]."""
    skeleton = ik.node.skeleton
    tree, places = skeleton.tree, [dof.index for dof in dofs]
    lower, upper = tree.lower_limits[places], tree.upper_limits[places]
    turns = [dof.coordinate is Coordinate.ANGLE for dof in dofs]
    wrapped = wrapped_into_limits(positions, lower, upper, skeleton.positions[places], turns)
    beyond = np.maximum(lower - wrapped, wrapped - upper).max(axis=-1, initial=0.0)
    return wrapped, np.maximum(beyond, 0.0)


Comparison: TypeAlias = "Callable[[FloatArray, FloatArray, IKQuery], bool]"
"""Whether positions (n,) are a better solution than others (n,), for a module."""


def ranked(
    ik: IKQuery,
    present: FloatArray,
    positions: FloatArray,
    flags: NDArray[np.intp],
    better: Comparison | None,
) -> NDArray[np.intp]:
    """The order (m,) of solutions (m, n): those that are valid, those out of reach, those beyond limits.

    Within each of these, by a comparison; None: the smaller the largest change from the present positions
    (n,), the better. Equals stay in their order.
    """
    grade = np.where(flags & Validity.LIMIT_VIOLATED, 2, np.where(flags & Validity.OUT_OF_REACH, 1, 0))
    if better is None:
        largest = np.abs(positions - present).max(axis=-1, initial=0.0)
        return np.lexsort((largest, grade))

    def is_better(a: FloatArray, b: FloatArray) -> bool:
        answer = better(a, b, ik)
        if not isinstance(answer, bool | np.bool_):
            raise TypeError(f"better: expected True or False, got {answer!r}")
        return bool(answer)

    def before(i: int, j: int) -> int:
        if grade[i] != grade[j]:
            return int(grade[i] - grade[j])
        return int(is_better(positions[j], positions[i])) - int(is_better(positions[i], positions[j]))

    return np.array(sorted(range(len(positions)), key=cmp_to_key(before)), dtype=np.intp)
