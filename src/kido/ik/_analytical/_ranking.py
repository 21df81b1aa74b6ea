"""Order of solutions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kido.ik._analytical._solution import Validity
from kido.ik._query import IKQuery
from kido.typing import FloatArray

__all__ = ["Comparison", "ranked"]

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
