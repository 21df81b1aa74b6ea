"""The native search: many starts and targets side by side.

Damped least squares with an active set of joint limits; damping after Sugihara (2011). The answer for a
target is that of the first start that reaches it, in the order of starts, so it depends on nothing but the
target and the settings. Where none does, the one that came nearest goes on with damping that suits a distance
that remains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._search._plan import PosePlan
from kido.ik._search._refinement import ROUNDS, STRONGER, WEAKER, damping_for
from kido.typing import FloatArray

__all__ = ["search_pose", "search_poses"]


def search_pose(
    plan: PosePlan, search: _core.PoseSearch, target: FloatArray, positions: FloatArray
) -> IKResult:
    """The answer for one target (4, 4) [m] from positions (num_dofs,) of the skeleton [rad, m]."""
    found = search.solve_one(target, positions)
    if found is None:
        return search_poses(plan, search, target[None], positions[None])[0]
    q, angular, linear, start, iterations = found
    return IKResult(q, plan.names, IKStatus.SOLVED, angular, linear, start, iterations)


def search_poses(
    plan: PosePlan, search: _core.PoseSearch, targets: FloatArray, starts: FloatArray
) -> IKResults:
    """Answers for targets (n, 4, 4) [m] from positions (1 or n, num_dofs) of the skeleton [rad, m]."""
    columns = np.swapaxes(targets, 1, 2)[:, :, :3].reshape(len(targets), 12)
    found = search.solve(columns, starts[:, search.path])
    if not found[3].all():
        _refine(search, columns, found)
    q, angular, linear, reached, start, iterations, _ = found
    return IKResults(_own(plan, q, starts), plan.names, reached, angular, linear, start, iterations)


def _own(plan: PosePlan, q: FloatArray, starts: FloatArray) -> FloatArray:
    """Positions (n, k) of the dofs of a plan: of the path (n, p) where they are on it, else as they were."""
    if plan.own.all():
        return q[:, plan.places]
    positions = np.repeat(starts[:, plan.dofs], len(q) // len(starts), axis=0)
    positions[:, plan.own] = q[:, plan.places]
    return positions


def _refine(search: _core.PoseSearch, targets: FloatArray, found: tuple[Any, ...]) -> None:
    """Has the answers that did not reach their target come nearer to it; writes into `found`."""
    strength = np.ones(len(targets))
    for _ in range(ROUNDS):
        left = np.flatnonzero(~found[3])
        damping = damping_for(found[6][left], strength[left])
        for value in np.unique(damping):
            _go_on(search, targets, left[damping == value], value, strength, found)


def _go_on(
    search: _core.PoseSearch,
    targets: FloatArray,
    rows: NDArray[np.intp],
    damping: float,
    strength: FloatArray,
    found: tuple[Any, ...],
) -> None:
    """One more start for each of some targets from where they are; kept where it comes nearer."""
    again = search.solve(targets[rows], found[0][rows], refined=damping)
    better = again[3] | (again[6] < found[6][rows])
    strength[rows] *= np.where(better, WEAKER, STRONGER)
    rows = rows[better]
    for i in (0, 1, 2, 3, 6):
        found[i][rows] = again[i][better]
    found[5][rows] += again[5][better]
