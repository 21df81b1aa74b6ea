"""Candidates for solutions, for chosen positions of some joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.ik._analytical._joint_limits import into_limits
from kido.ik._analytical._solution import AnalyticalSolution, Validity
from kido.ik._analytical._solution_rows import solutions_of
from kido.ik._query import IKQuery
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray

__all__ = ["Candidates"]


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
