"""Solutions as arrays, and what a method gives made into them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.ik._analytical._solution import AnalyticalSolution, Validity
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["checked_rows", "solutions_of"]


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
