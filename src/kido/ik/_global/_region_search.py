"""Regions of postures that remain where branch and bound cannot exclude them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.values import Value, read_only, value

__all__ = ["PostureRegion", "joined"]

_TOUCH = 1e-12
_ROWS = 256


@value
class PostureRegion(Value):
    """A region of joint positions: boxes that hang together. Its arrays are read-only.

    Attributes:
        boxes: (m, 2, num_dofs) lowest and highest positions of each box [rad, m].
        positions: (num_dofs,) a posture in or near it that satisfies all constraints [rad, m]; None where
            none was found: the region may hold one or not.
    """

    boxes: FloatArray = read_only()
    positions: FloatArray | None = None

    @property
    def lower(self) -> FloatArray:
        """Lowest positions (num_dofs,) in any box [rad, m]."""
        lowest: FloatArray = self.boxes[:, 0].min(axis=0)
        return lowest

    @property
    def upper(self) -> FloatArray:
        """Highest positions (num_dofs,) in any box [rad, m]."""
        highest: FloatArray = self.boxes[:, 1].max(axis=0)
        return highest


def joined(boxes: FloatArray, turns: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Rows of boxes (m, 2, n) [rad, m] that hang together, the largest group first; a whole turn leads back
    for dofs (n,) that turn without limits."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(boxes)
    if count == 0:
        return []
    pairs = [_touching(boxes, first, turns) for first in range(0, count, _ROWS)]
    rows, columns = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
    graph = coo_matrix((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(count, count))
    groups, labels = connected_components(graph, directed=False)
    found = [np.flatnonzero(labels == group) for group in range(groups)]
    return sorted(found, key=len, reverse=True)


def _touching(
    boxes: FloatArray, first: int, turns: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of boxes that touch, the one among some rows."""
    some = boxes[first : first + _ROWS]
    touch = np.ones((len(some), len(boxes)), dtype=bool)
    for k in range(boxes.shape[2]):
        low, high = some[:, None, 0, k] - _TOUCH, some[:, None, 1, k] + _TOUCH
        near = (low <= boxes[None, :, 1, k]) & (boxes[None, :, 0, k] <= high)
        if turns[k]:
            for turn in (2.0 * np.pi, -2.0 * np.pi):
                near |= (low <= boxes[None, :, 1, k] + turn) & (boxes[None, :, 0, k] + turn <= high)
        touch &= near
    rows, columns = np.nonzero(touch)
    return rows + first, columns
