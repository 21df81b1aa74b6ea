"""The native search for poses: many starts and targets side by side.

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
from kido.ik._plan import PosePlan
from kido.ik._refinement import ROUNDS, STRONGER, WEAKER, damping_for
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.typing import FloatArray

__all__ = ["search_pose", "search_poses"]


def search_pose(plan: PosePlan, target: FloatArray, positions: FloatArray) -> IKResult:
    """The answer for one target (4, 4) [m] from positions (num_dofs,) of the skeleton [rad, m]."""
    found = _search(plan, target[None], positions[plan.path][None])
    q, angular, linear, reached, start, iterations = found
    return IKResult(
        q[0, plan.own],
        plan.names,
        IKStatus.SOLVED if reached[0] else IKStatus.NOT_REACHED,
        angular.item(),
        linear.item(),
        start.item(),
        iterations.item(),
    )


def search_poses(plan: PosePlan, targets: FloatArray, starts: FloatArray) -> IKResults:
    """Answers for targets (n, 4, 4) [m] from positions (1 or n, num_dofs) of the skeleton [rad, m]."""
    q, angular, linear, reached, start, iterations = _search(plan, targets, starts[:, plan.path])
    return IKResults(q[:, plan.own], plan.names, reached, angular, linear, start, iterations)


def _search(plan: PosePlan, targets: FloatArray, starts: FloatArray) -> tuple[Any, ...]:
    columns = np.swapaxes(targets, 1, 2)[:, :, :3].reshape(len(targets), 12)
    found = _solve(plan, columns, starts, plan.numbers, plan.settings.max_starts)
    if not found[3].all():
        _refine(plan, columns, found)
    return found


def _solve(
    plan: PosePlan, targets: FloatArray, starts: FloatArray, numbers: FloatArray, max_starts: int
) -> tuple[Any, ...]:
    s = plan.settings
    return _core.solve_poses(
        plan.tree,
        plan.body,
        plan.point,
        targets,
        starts,
        plan.ranges,
        numbers,
        s.max_iterations,
        max_starts,
        s.seed,
    )


def _refine(plan: PosePlan, targets: FloatArray, found: tuple[Any, ...]) -> None:
    """Has the answers that did not reach their target come nearer to it; writes into `found`."""
    strength = np.ones(len(targets))
    for _ in range(ROUNDS):
        left = np.flatnonzero(~found[3])
        damping = damping_for(_squared(plan, found)[left], strength[left])
        for value in np.unique(damping):
            _go_on(plan, targets, left[damping == value], value, strength, found)


def _go_on(
    plan: PosePlan,
    targets: FloatArray,
    rows: NDArray[np.intp],
    damping: float,
    strength: FloatArray,
    found: tuple[Any, ...],
) -> None:
    """One more start for each of some targets from where they are; kept where it comes nearer."""
    numbers = plan.numbers.copy()
    numbers[5] = damping
    again = _solve(plan, targets[rows], found[0][rows], numbers, 1)
    better = again[3] | (_squared(plan, again) < _squared(plan, found)[rows])
    strength[rows] *= np.where(better, WEAKER, STRONGER)
    rows = rows[better]
    for old, new in zip(found[:4], again[:4], strict=True):
        old[rows] = new[better]
    found[5][rows] += again[5][better]


def _squared(plan: PosePlan, found: tuple[Any, ...]) -> FloatArray:
    squared: FloatArray = (plan.numbers[0] * found[1]) ** 2 + (plan.numbers[1] * found[2]) ** 2
    return squared
