"""Limits of positions of ball and free joints, which are not integrals of velocities."""

from __future__ import annotations

import numpy as np

from kido import _core
from kido.ik._differential._limits import RowsLimit
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["GroupLimit"]


class GroupLimit(RowsLimit):
    """Bounds of rotation vectors and translations by their rates, N v."""

    __slots__ = ("_dofs", "_gain", "_lower", "_upper")

    def __init__(self, dofs: list[int], lower: FloatArray, upper: FloatArray, gain: float) -> None:
        self._dofs, self._lower, self._upper, self._gain = dofs, lower[dofs], upper[dofs], gain

    @classmethod
    def of(cls, robot: Skeleton, lower: FloatArray, upper: FloatArray, gain: float) -> GroupLimit | None:
        """Of the dofs of such joints that have a limit; None where none has."""
        finite = np.isfinite(lower) | np.isfinite(upper)
        dofs = [dof.index for dof in robot.dofs if finite[dof.index] and not dof.coordinate.is_additive]
        return cls(dofs, lower, upper, gain) if dofs else None

    def compute_rows(self, robot: Skeleton, dt: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rates of the positions, and those that lead to the limits."""
        N = _core.position_rates(robot.tree, np.array(robot.positions))[self._dofs]
        at, rate = np.asarray(robot.positions)[self._dofs], self._gain / dt
        return N, (self._lower - at) * rate, (self._upper - at) * rate
