"""Rows of a constraint of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["CheckedRows", "Rows", "checked_rows"]


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Rows of a constraint: its demand on the velocities v of its skeletons in a step.

    Row i holds jacobian[i] @ v such that error[i] vanishes, by a force between its bounds, which acts on the
    dofs as jacobian[i] * force.

    Attributes:
        error: what shall vanish (m,) [m or rad].
        jacobian: derivative of its rate by the velocities: (m, num_dofs), or one for each skeleton.
        lower, upper: of the forces (m,) [N or N m]; None: not bounded. With `lower` 0 a row pushes only: it
            acts where its error is, or would become, negative.
        speed: rate that is wished (m,) [m/s or rad/s] beside what takes the error back; None: zero.
        coupled: for each row the row whose force bounds this one's (m,), -1: none. Row i of friction keeps
            |force[i]| <= coefficient[i] * |force[coupled[i]]|, and knows no error, only velocities.
        coefficient: (m,) [-]; None: ones.
    """

    error: ArrayLike
    jacobian: ArrayLike | Sequence[ArrayLike]
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    speed: ArrayLike | None = None
    coupled: ArrayLike | None = None
    coefficient: ArrayLike | None = None


@dataclass(frozen=True, eq=False, slots=True)
class CheckedRows:
    """Rows as the solver takes them: (m, 6) of error, speed, lower, upper, coupled, coefficient, and the
    Jacobians (m, num_dofs) of all skeletons."""

    numbers: FloatArray
    jacobians: tuple[FloatArray, ...]


def checked_rows(kind: type, rows: object, widths: Sequence[int]) -> CheckedRows:
    """The rows of a constraint of a class, over skeletons with these numbers of dofs.

    Raises TypeError or ValueError naming class and argument.
    """
    where = f"{kind.__name__}.rows"
    if not isinstance(rows, Rows):
        raise TypeError(f"{where}: expected Rows, got {type(rows).__name__}")
    error = frozen_array(f"{where}: error", rows.error, (-1,), "m or rad")
    m = len(error)

    def row(name: str, value: ArrayLike | None, default: float, finite: bool = True) -> FloatArray:
        if value is None:
            return np.full(m, default)
        return frozen_array(f"{where}: {name}", value, (m,), finite=finite)

    lower, upper = (
        row("lower", rows.lower, -np.inf, finite=False),
        row("upper", rows.upper, np.inf, finite=False),
    )
    if (lower > upper).any() or (lower == np.inf).any() or (upper == -np.inf).any():
        raise ValueError(f"{where}: lower: expected lower <= upper, got {lower.tolist()}, {upper.tolist()}")
    coupled = row("coupled", rows.coupled, -1.0)
    _check_coupled(where, coupled)
    coefficient = row("coefficient", rows.coefficient, 1.0)
    if (coefficient < 0.0).any():
        raise ValueError(f"{where}: coefficient: expected 0 or above [-], got {coefficient.tolist()}")
    speed = row("speed", rows.speed, 0.0)
    numbers = np.ascontiguousarray(np.column_stack([error, speed, lower, upper, coupled, coefficient]))
    return CheckedRows(numbers, _checked_jacobians(where, rows.jacobian, m, widths))


def _check_coupled(where: str, coupled: FloatArray) -> None:
    m = len(coupled)
    for i, j in enumerate(coupled.tolist()):
        if j != int(j) or not -1 <= j < m or j == i or (j >= 0 and coupled[int(j)] >= 0):
            raise ValueError(
                f"{where}: coupled: expected -1 or the index of another row that is not coupled itself, "
                f"got {j:g} for row {i}"
            )


def _checked_jacobians(where: str, given: Any, m: int, widths: Sequence[int]) -> tuple[FloatArray, ...]:
    if len(widths) == 1:
        alone = isinstance(given, tuple | list) and len(given) == 1 and np.ndim(given[0]) == 2
        return (frozen_array(f"{where}: jacobian", given[0] if alone else given, (m, widths[0])),)
    if not isinstance(given, tuple | list) or len(given) != len(widths):
        got = f"{len(given)} items" if isinstance(given, tuple | list) else type(given).__name__
        raise ValueError(f"{where}: jacobian: expected one for each of {len(widths)} skeletons, got {got}")
    return tuple(
        frozen_array(f"{where}: jacobian[{i}]", one, (m, width))
        for i, (one, width) in enumerate(zip(given, widths, strict=True))
    )
