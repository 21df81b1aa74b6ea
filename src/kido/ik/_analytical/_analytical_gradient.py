"""The best solution as a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kido.ik._analytical._extra_dofs import ExtraDofUtilization
from kido.ik._analytical._solution import AnalyticalSolution, Validity
from kido.ik._position_jacobian import positions_gradient
from kido.ik._query import IKQuery
from kido.ik._user_output import finite_array, norm
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._analytical._analytical import Analytical

__all__ = ["Motions", "analytical_gradient"]

_PRE, _POST = ExtraDofUtilization.PRE_ANALYTICAL, ExtraDofUtilization.POST_ANALYTICAL


def analytical_gradient(method: Analytical, ik: IKQuery, error: FloatArray) -> FloatArray:
    """Velocities (k,) that lead from the best solution back to the present positions, and those of the extra
    dofs [rad, m]. Where none is valid, from what comes nearest within the limits, unless the extra dofs are
    still to be moved. The skeleton is where it was afterwards."""
    skeleton, motions, use = ik.node.skeleton, Motions(method, ik), method.extra_dof_utilization
    saved, places = skeleton.positions, np.array(ik.dof_indices)
    goal, extra = saved.copy(), np.zeros(len(places))
    try:
        if use.before:
            extra += motions.extra_gradient(error, _PRE)
            motions.move_extra(extra)
        found = method.solutions(ik)
        if found and (found[0].is_valid or not use.after):
            motions.apply_best(found)
            goal[places[motions.own]] = ik.positions[motions.own]
        elif found:
            motions.apply(found[0])
        if use.after:
            extra += motions.extra_gradient(ik.weighted_error(), _POST)
    finally:
        skeleton.positions = saved
    return np.asarray(extra - skeleton.tree.difference(saved, goal)[places])


class Motions:
    """Motions of the skeleton of a module by solutions of its method and by extra dofs."""

    def __init__(self, method: Analytical, ik: IKQuery) -> None:
        """Raises as `Analytical.checked_dofs` does."""
        self.method, self.ik = method, ik
        if not isinstance(method.extra_dof_utilization, ExtraDofUtilization):
            expected = f"expected an ExtraDofUtilization, got {method.extra_dof_utilization!r}"
            raise TypeError(f"{method.name}.extra_dof_utilization: {expected}")
        self._map = np.array(method.dof_map(ik))
        self.own = self._map[self._map >= 0]
        self.extra = [i for i in range(len(ik.dofs)) if i not in self.own]

    def apply(self, solution: AnalyticalSolution) -> None:
        """Move those of the method's dofs that the module moves to a solution."""
        positions = self.ik.positions
        positions[self.own] = solution.positions[self._map >= 0]
        self.ik.positions = positions

    def apply_best(self, solutions: Sequence[AnalyticalSolution]) -> None:
        """Move to the first of some solutions, sorted; where it is beyond limits, to what comes nearest of
        all solutions with joints put back to their limits, and of the present positions."""
        if not solutions[0].validity & Validity.LIMIT_VIOLATED:
            return self.apply(solutions[0])
        ik = self.ik
        lower, upper = ik.position_limits
        nearest, least = np.clip(ik.positions, lower, upper), np.inf
        present = nearest
        for solution in (None, *solutions):
            ik.positions = present
            if solution is not None:
                self.apply(solution)
                ik.positions = np.clip(ik.positions, lower, upper)
            distance = norm(ik.weighted_error())
            if distance < least:
                nearest, least = ik.positions, distance
        ik.positions = nearest
        return None

    def extra_gradient(self, error: FloatArray, when: ExtraDofUtilization) -> FloatArray:
        """The method's checked velocities (k,) of the extra dofs for an error (m,) [rad, m]."""
        count = len(self.ik.dofs)
        if not self.extra:
            return np.zeros(count)
        got = self.method.extra_dof_gradient(self.ik, error, when)
        return finite_array(f"{self.method.name}.extra_dof_gradient", got, (count,))

    def move_extra(self, gradient: FloatArray) -> float:
        """Take a step against velocities (k,) of the extra dofs [rad, m], within limits; by how much at
        most."""
        before = self.ik.positions
        lower, upper = self.ik.position_limits
        step = self.method.limited(positions_gradient(self.ik, gradient))
        moved = before.copy()
        moved[self.extra] = np.clip(before - step, lower, upper)[self.extra]
        self.ik.positions = moved
        return float(np.abs(moved - before).max(initial=0.0))
