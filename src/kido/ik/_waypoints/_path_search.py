"""Dynamic programming: fewest jumps and least motion through solutions of many poses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.ik._waypoints._path_candidates import PathCandidates
from kido.typing import FloatArray

__all__ = ["PathSearch"]

_MISS, _JUMP = 1e12, 1e6
"""Cost of a pose that is not reached, and of a jump; that of motion is its square in largest changes."""
_MOST_STATES, _MOST_TURNED = 64, 512
"""States that are kept of a pose; where whole turns make more of them."""
_MOST_FOLLOWED = 16
_MOST_ROUNDS = 3
_TURN = 2.0 * math.pi


@dataclass(frozen=True, slots=True)
class _Layer:
    """States of one pose: positions (m, k) [rad, m], whether they reach it (m,), the cost of the best way to
    each (m,), and the state before on that way (m,)."""

    positions: FloatArray
    reached: NDArray[np.bool_]
    cost: FloatArray
    before: NDArray[np.intp]


class PathSearch:
    """Chooses one solution of each pose."""

    def __init__(
        self,
        candidates: PathCandidates,
        largest_change: FloatArray,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """`candidates` of each pose, to which others are added; the largest change of each dof (k,) that is
        no jump [rad, m]; what is told of each pose."""
        self._candidates, self._largest, self._progress = candidates, largest_change, progress
        rng = np.random.default_rng(0)
        self._hash = rng.integers(1, 2**62, len(largest_change), dtype=np.int64)

    def path(self, start: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Positions (n, k) [rad, m] from near a start (k,), and whether each reaches its pose (n,)."""
        q, reached = self._chosen(start)
        for _ in range(_MOST_ROUNDS):
            jumps = np.flatnonzero((np.abs(np.diff(q, axis=0)) > self._largest).any(axis=1)) + 1
            if not len(jumps):
                break
            for i in jumps:
                self._follow_back(int(i), q[i])
            q, reached = self._chosen(start)
        return q, reached

    def _follow_back(self, index: int, positions: FloatArray) -> None:
        """Add what follows from positions at a pose to the poses before, as far as that goes."""
        q = positions[None]
        for i in range(index - 1, -1, -1):
            found, reached = self._candidates.near(i, q)
            if not reached[0] or (np.abs(found - q) > self._largest).any():
                return
            self._candidates.add(i, found)
            q = found

    def _chosen(self, start: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        layers: list[_Layer] = []
        for i in range(len(self._candidates.poses)):
            layers.append(self._layer(i, layers[-1] if layers else None, start))
            if self._progress is not None:
                self._progress(1)
        self._progress = None  # the first time that all are looked at
        if not layers:
            return np.zeros((0, len(start))), np.zeros(0, dtype=bool)
        state, rows = int(np.argmin(layers[-1].cost)), []
        for layer in reversed(layers):
            rows.append((layer.positions[state], bool(layer.reached[state])))
            state = int(layer.before[state])
        rows.reverse()
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def _layer(self, index: int, before: _Layer | None, start: FloatArray) -> _Layer:
        """The states of a pose, from those of the pose before."""
        origin, cost = (start[None], np.zeros(1)) if before is None else (before.positions, before.cost)
        followed, ok = self._candidates.near(index, origin[np.argsort(cost)[:_MOST_FOLLOWED]])
        self._candidates.add(index, followed[ok])
        known = self._candidates.of(index)
        missed = not len(known)
        known = followed if missed else known
        known = self._candidates.with_turns(known, start) if before is None else known
        ways = known[None] if before is None else self._nearest_turns(known, origin)
        change = np.abs(ways - origin[:, None]) / self._largest
        jumps = (change > 1.0).any(axis=2) & (before is not None)
        total = cost[:, None] + np.sum(change**2, axis=2) + _JUMP * jumps + _MISS * missed
        parents, columns = self._best(total, ways, known)
        costs = total[parents, columns]
        most = _MOST_TURNED if self._candidates.turns.any() else _MOST_STATES
        keep = np.argsort(costs, kind="stable")[:most]
        parents, columns = parents[keep], columns[keep]
        return _Layer(
            ways[parents, columns], np.full(len(keep), not missed), costs[keep], parents.astype(np.intp)
        )

    def _nearest_turns(self, positions: FloatArray, origin: FloatArray) -> FloatArray:
        """Positions (p, k) shifted by whole turns to where they are nearest to each of some origins (m, k),
        within their limits: (m, p, k)."""
        turns, low, high = self._candidates.turns, self._candidates.lower, self._candidates.upper
        if not turns.any():
            return np.broadcast_to(positions, (len(origin), *positions.shape))
        with np.errstate(invalid="ignore"):
            fewest = np.ceil((low - positions) / _TURN - 1e-9)
            most = np.floor((high - positions) / _TURN + 1e-9)
        count = np.clip(np.rint((origin[:, None] - positions) / _TURN), fewest, most)
        return np.asarray(positions + np.where(turns, _TURN * count, 0.0))

    def _best(
        self, total: FloatArray, ways: FloatArray, known: FloatArray
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """For each solution with each number of turns: the state before on the best way to it (s,), and the
        solution (s,)."""
        if not self._candidates.turns.any():
            columns = np.arange(total.shape[1])
            return np.argmin(total, axis=0), columns
        count = np.rint((ways - known) / _TURN).astype(np.int64)
        keys = (count @ self._hash + np.arange(len(known))).ravel()
        order = np.lexsort((total.ravel(), keys))
        first = order[np.r_[True, np.diff(keys[order]) != 0]]
        return np.divmod(first, total.shape[1])
