"""Native search: many starts and targets in vector lanes.

Damped least squares with an active set of joint limits; damping after Sugihara (2011). The answer for a
target is that of the first start that reaches it, in the order of starts, so it depends on the target and the
settings only. Where no start does, the one that came nearest is refined with damping that suits a remaining
distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._search._refinement import ROUNDS, STRONGER, WEAKER, damping_for
from kido.typing import FloatArray

__all__ = ["search_pose", "search_poses"]


def search_pose(
    problem: PoseProblem, search: _core.PoseSearch, target: FloatArray, positions: FloatArray
) -> IKResult:
    """The answer for one target (4, 4) [m] from positions (num_dofs,) of the skeleton [rad, m]."""
    found = search.solve_one(target, positions)
    if found is None:
        return search_poses(problem, search, target[None], positions[None])[0]
    q, angular, linear, start, iterations = found
    return IKResult(q, problem.names, IKStatus.SOLVED, angular, linear, start, iterations)


def search_poses(
    problem: PoseProblem, search: _core.PoseSearch, targets: FloatArray, starts: FloatArray
) -> IKResults:
    """Answers for targets (n, 4, 4) [m] from positions (1 or n, num_dofs) of the skeleton [rad, m]."""
    columns = np.swapaxes(targets, 1, 2)[:, :, :3].reshape(len(targets), 12)
    found = search.solve(columns, starts[:, search.path])
    if not found[3].all():
        _refine(search, columns, found)
    q, angular, linear, reached, start, iterations, _ = found
    return IKResults(_own(problem, q, starts), problem.names, reached, angular, linear, start, iterations)


def _own(problem: PoseProblem, q: FloatArray, starts: FloatArray) -> FloatArray:
    """Positions (n, k) of the dofs of a problem: those of the path (n, p) for dofs on it, else the given
    ones."""
    if problem.own.all():
        return q[:, problem.places]
    positions = np.repeat(starts[:, problem.dofs], len(q) // len(starts), axis=0)
    positions[:, problem.own] = q[:, problem.places]
    return positions


def _refine(search: _core.PoseSearch, targets: FloatArray, found: tuple[Any, ...]) -> None:
    """Refine the answers that did not reach their target; writes into `found`."""
    strength = np.ones(len(targets))
    for _ in range(ROUNDS):
        left = np.flatnonzero(~found[3])
        damping = damping_for(found[6][left], strength[left])
        for value in np.unique(damping):
            _restart(search, targets, left[damping == value], value, strength, found)


def _restart(
    search: _core.PoseSearch,
    targets: FloatArray,
    rows: NDArray[np.intp],
    damping: float,
    strength: FloatArray,
    found: tuple[Any, ...],
) -> None:
    """One more start for each of some targets from its nearest positions; kept where it comes nearer."""
    again = search.solve(targets[rows], found[0][rows], refined=damping)
    better = again[3] | (again[6] < found[6][rows])
    strength[rows] *= np.where(better, WEAKER, STRONGER)
    rows = rows[better]
    for i in (0, 1, 2, 3, 6):
        found[i][rows] = again[i][better]
    found[5][rows] += again[5][better]
