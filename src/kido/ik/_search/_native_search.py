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


def search_pose(plan: PosePlan, target: FloatArray, positions: FloatArray) -> IKResult:
    """The answer for one target (4, 4) [m] from positions (num_dofs,) of the skeleton [rad, m]."""
    found = _search(plan, target[None], positions[plan.path][None])
    _, angular, linear, reached, start, iterations, _ = found
    return IKResult(
        _own(plan, found[0], positions[None])[0],
        plan.names,
        IKStatus.SOLVED if reached[0] else IKStatus.NOT_REACHED,
        angular.item(),
        linear.item(),
        start.item(),
        iterations.item(),
    )


def search_poses(plan: PosePlan, targets: FloatArray, starts: FloatArray) -> IKResults:
    """Answers for targets (n, 4, 4) [m] from positions (1 or n, num_dofs) of the skeleton [rad, m]."""
    q, angular, linear, reached, start, iterations, _ = _search(plan, targets, starts[:, plan.path])
    return IKResults(_own(plan, q, starts), plan.names, reached, angular, linear, start, iterations)


def _own(plan: PosePlan, q: FloatArray, starts: FloatArray) -> FloatArray:
    """Positions (n, k) of the dofs of a plan: of the path (n, p) where they are on it, else as they were."""
    if plan.own.all():
        return q[:, plan.places]
    positions = np.repeat(starts[:, plan.dofs], len(q) // len(starts), axis=0)
    positions[:, plan.own] = q[:, plan.places]
    return positions


def _search(plan: PosePlan, targets: FloatArray, starts: FloatArray) -> tuple[Any, ...]:
    columns = np.swapaxes(targets, 1, 2)[:, :, :3].reshape(len(targets), 12)
    found = _solve(plan, columns, starts, plan.settings.max_starts)
    if not found[3].all():
        _refine(plan, columns, found)
    for i in (0, 1):
        if plan.is_point and plan.region[3 * i] == 0.0:  # what is free is no error
            found[1 + i][:] = 0.0
    return found


def _solve(plan: PosePlan, targets: FloatArray, starts: FloatArray, max_starts: int) -> tuple[Any, ...]:
    s = plan.settings
    return _core.solve_poses(
        plan.tree,
        plan.body,
        plan.point,
        targets,
        starts,
        plan.ranges,
        plan.region[None],
        plan.numbers,
        s.max_iterations,
        max_starts,
        s.seed,
    )


def _refine(plan: PosePlan, targets: FloatArray, found: tuple[Any, ...]) -> None:
    """Has the answers that did not reach their target come nearer to it; writes into `found`."""
    strength = np.ones(len(targets))
    for _ in range(ROUNDS):
        left = np.flatnonzero(~found[3])
        damping = damping_for(found[6][left], strength[left])
        for value in np.unique(damping):
            _go_on(plan.with_damping(value), targets, left[damping == value], strength, found)


def _go_on(
    plan: PosePlan,
    targets: FloatArray,
    rows: NDArray[np.intp],
    strength: FloatArray,
    found: tuple[Any, ...],
) -> None:
    """One more start for each of some targets from where they are; kept where it comes nearer."""
    again = _solve(plan, targets[rows], found[0][rows], 1)
    better = again[3] | (again[6] < found[6][rows])
    strength[rows] *= np.where(better, WEAKER, STRONGER)
    rows = rows[better]
    for i in (0, 1, 2, 3, 6):
        found[i][rows] = again[i][better]
    found[5][rows] += again[5][better]
