"""Projection of an objective's gradient into the null space of errors."""

from __future__ import annotations

import numpy as np

from kido.ik._gradient_methods._least_squares import shortest_solution
from kido.typing import FloatArray

__all__ = ["within_null_space"]

_ROUNDS = 10
"""Times that positions may be found to leave their limits."""


def within_null_space(
    gradient: FloatArray, J: FloatArray, lowest: np.ndarray, highest: np.ndarray
) -> FloatArray:
    """The part of a gradient (n,) that J (m, n) does not see, of positions that it does not take further than
    the limits at which they are."""
    free = np.ones(len(gradient), dtype=bool)
    for _ in range(_ROUNDS):
        inner, seen = np.where(free, gradient, 0.0), np.where(free, J, 0.0)
        inner = inner - shortest_solution(seen, seen @ inner)
        beyond = free & (lowest & (inner > 0.0) | highest & (inner < 0.0))
        if not beyond.any():
            break
        free &= ~beyond
    return np.where(free, inner, 0.0)
