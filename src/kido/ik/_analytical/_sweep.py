"""Joints whose positions are chosen, so that the others can be solved for, and candidates for solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from kido.ik._analytical._solution import AnalyticalSolution, Validity, into_limits, solutions_of
from kido.ik._query import IKQuery
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray

__all__ = ["Candidates", "sweep"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Positions (m, n) [rad, m]; which of them reach the target (m,); how far from it they are (m,), angles
    and lengths added; how far beyond limits (m,) [rad, m], zero where limits were not checked."""

    positions: FloatArray
    reached: NDArray[np.bool_]
    errors: FloatArray
    beyond: FloatArray

    @classmethod
    def of(cls, positions: FloatArray, reached: NDArray[np.bool_], errors: FloatArray) -> Candidates:
        """Positions (m, n) whose limits were not checked."""
        return cls(positions, reached, errors, np.zeros(len(positions)))

    def into_limits(self, ik: IKQuery, dofs: tuple[DegreeOfFreedom, ...]) -> Candidates:
        """The same with angles turned into the limits of the dofs."""
        positions, beyond = into_limits(ik, dofs, self.positions)
        return Candidates(positions, self.reached, self.errors, beyond)

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether each reaches the target within limits (m,)."""
        return np.asarray(self.reached & (self.beyond == 0.0))

    @property
    def missing(self) -> FloatArray:
        """Violation of each (m,): of limits where it reaches the target, else its distance from the
        target."""
        return np.where(self.reached, self.beyond, self.errors)

    def taken(self, rows: NDArray[np.bool_] | list[int]) -> Candidates:
        """Some of them, by a mask (m,) or numbers."""
        return Candidates(self.positions[rows], self.reached[rows], self.errors[rows], self.beyond[rows])

    def and_also(self, more: Candidates) -> Candidates:
        """These and more."""
        return Candidates(
            np.concatenate([self.positions, more.positions]),
            np.concatenate([self.reached, more.reached]),
            np.concatenate([self.errors, more.errors]),
            np.concatenate([self.beyond, more.beyond]),
        )

    def best(self) -> int:
        """Of those that are not valid, the row least beyond limits of those that reach the target; where none
        does, the row that comes nearest."""
        if self.reached.any():
            return int(np.where(self.reached, self.beyond, np.inf).argmin())
        return int(self.errors.argmin())

    def separated(self, places: list[int], distance: FloatArray, count: int) -> list[int]:
        """The best rows, at most `count`, whose positions at some places differ by (f,)
        [rad, m]."""
        chosen: list[int] = []
        for row in np.lexsort((self.missing, ~self.reached)).tolist():
            gaps = np.abs(self.positions[chosen][:, places] - self.positions[row, places])
            if len(chosen) < count and (gaps > distance).any(axis=1).all():
                chosen.append(row)
        return chosen

    def nearest(self) -> Candidates:
        """The best row; where none reaches the target, also that which comes nearest within limits."""
        if not len(self.errors):
            return self
        inside = np.where(self.reached | (self.beyond > 0.0), np.inf, self.errors)
        rows = {self.best()}
        if not self.reached.any() and np.isfinite(inside).any():
            rows.add(int(inside.argmin()))
        return self.taken(sorted(rows))

    def solutions(self) -> FloatArray | list[AnalyticalSolution]:
        """The positions (m, n) where all reach the target; else solutions with flags."""
        if self.reached.all():
            return self.positions
        return solutions_of(self.positions, np.where(self.reached, 0, Validity.OUT_OF_REACH))


_COUNTS = (24, 240)
"""Positions, or combinations of them, that are tried from limit to limit: first few, then many."""
_FINER, _TIMES = 4, 8
"""Factor by which the spacing shrinks where the best is refined, and number of refinements [-]."""
_PROMISING = 0.5
"""Factor by which a refinement has to reduce what is beyond limits, if another one is to follow [-]."""
_CENTERS = 6
"""Number of the best, separate ones that are refined."""
_STEEPEST = 4.0
"""Distance from the target in spacings [-] beyond which no solution lies between two neighbours."""
_OPEN_ANGLE, _OPEN_LENGTH = np.pi, 1.0
"""Range about the present positions of dofs without limits [rad], [m]."""

_Solve = Callable[[FloatArray], Candidates]


def sweep(
    ik: IKQuery,
    dofs: tuple[DegreeOfFreedom, ...],
    chosen: tuple[DegreeOfFreedom, ...],
    solve: _Solve,
) -> Candidates:
    """Candidates with chosen dofs at their present positions or, where none is valid, elsewhere within their
    limits.

    Args:
        ik: the module.
        dofs: n dofs that candidates have positions for.
        chosen: f of them.
        solve: gives candidates for positions (s, f) of theirs [rad, m].
    """
    now = np.array([dof.position for dof in chosen])
    if not chosen:
        return solve(now[None])

    def limited(rows: FloatArray) -> Candidates:
        return solve(rows).into_limits(ik, dofs)

    found = limited(now[None])
    if found.valid.any():
        return found
    grid = _Grid.of(chosen, now)
    for count in _COUNTS:
        more = limited(grid.rows(count))
        if more.valid.any():
            return more.taken(more.valid)
        found = found.and_also(more)
        if len(found.errors) and not found.reached.any():
            break
    places = [dofs.index(dof) for dof in chosen]
    return _close_to_the_best(found, grid, places, grid.spacing(count), limited)


def _close_to_the_best(
    found: Candidates, grid: _Grid, places: list[int], spacing: FloatArray, solve: _Solve
) -> Candidates:
    """Valid candidates near some of the best ones, none of which is valid; else the nearest of all."""
    for row in found.separated(places, 2.5 * spacing, _CENTERS):
        if not found.reached[row] and found.errors[row] > _STEEPEST * float(spacing.max()):
            continue
        close = _closer(found.taken([row]), grid, places, spacing, solve)
        if close.valid.any():
            return close.taken(close.valid)
        found = found.and_also(close)
    return found.nearest()


def _closer(
    one: Candidates, grid: _Grid, places: list[int], spacing: FloatArray, solve: _Solve
) -> Candidates:
    """Candidates near one that is not valid, between its neighbours in a grid."""
    for _ in range(_TIMES):
        more = solve(grid.about(one.positions[0, places], spacing))
        if more.valid.any() or not len(more.errors):
            return more
        best, spacing = more.taken([more.best()]), spacing / _FINER
        if not _is_promising(best, one, spacing):
            return more
        one = best
    return one


def _is_promising(best: Candidates, one: Candidates, spacing: FloatArray) -> bool:
    """Whether there may be valid candidates between the best of a refinement and its neighbours, `spacing`
    (f,) from it [rad, m].

    All may miss a narrow range within which the target is reached, and none be nearer than the one before:
    what counts is how far from the target the best is, which is at most half the way to its neighbour from
    there.
    """
    if not best.reached[0]:
        return bool(best.errors[0] <= _STEEPEST * 0.5 * float(spacing.sum()))
    return bool(not one.reached[0] or best.beyond[0] <= _PROMISING * one.beyond[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Positions between `low` (f,) and `high` (f,) [rad, m]."""

    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, chosen: tuple[DegreeOfFreedom, ...], now: FloatArray) -> _Grid:
        """From limit to limit, or about the present positions (f,) [rad, m]."""
        low, high = [], []
        for dof, start in zip(chosen, now.tolist(), strict=True):
            reach = _OPEN_LENGTH if dof.skeleton.tree.is_prismatic[dof.index] else _OPEN_ANGLE
            lower, upper = dof.position_lower_limit, dof.position_upper_limit
            low.append(lower if np.isfinite(lower) else min(start, upper) - reach)
            high.append(upper if np.isfinite(upper) else max(start, lower) + reach)
        return cls(np.array(low), np.array(high))

    def each(self, count: int) -> int:
        """Positions of each dof in about `count` combinations."""
        root: float = count ** (1.0 / len(self.low))
        return max(2, round(root))

    def spacing(self, count: int) -> FloatArray:
        """Between neighbours (f,) of about `count` combinations [rad, m]."""
        return np.asarray((self.high - self.low) / (self.each(count) - 1))

    def rows(self, count: int) -> FloatArray:
        """About `count` combinations (s, f) [rad, m]."""
        return _combinations(np.linspace(self.low, self.high, self.each(count)))

    def about(self, center: FloatArray, spacing: FloatArray) -> FloatArray:
        """Combinations (s, f) about positions (f,) [rad, m], as far as their neighbours."""
        steps = np.linspace(-1.0, 1.0, 2 * _FINER + 1)[:, None]
        return _combinations(np.clip(center + steps * spacing, self.low, self.high))


def _combinations(columns: FloatArray) -> FloatArray:
    """All combinations (s, f) of positions (m, f) of each dof."""
    return np.array(list(product(*columns.T)))
