"""Limits of all dofs, and where further starts begin."""

from __future__ import annotations

import numpy as np

from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["search_ranges"]


def search_ranges(tree: Tree) -> FloatArray:
    """Lowest and highest positions, and the ends of the ranges of random starts (4, n) [rad, m].

    Ranges are the limits; those of dofs without two limits have no width, and starts leave them as they are.
    """
    lower, upper = tree.lower_limits, tree.upper_limits
    bounded = np.isfinite(lower) & np.isfinite(upper)
    return np.stack([lower, upper, np.where(bounded, lower, 0.0), np.where(bounded, upper, 0.0)])
