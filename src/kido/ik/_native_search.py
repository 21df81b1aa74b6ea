"""The native search for poses: many starts and targets side by side.

Damped least squares with an active set of joint limits; damping after Sugihara (2011). The answer for a
target is that of the first start that reaches it, in the order of starts, so it depends on nothing but the
target and the settings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kido import _core
from kido.ik._plan import PosePlan
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.typing import FloatArray

__all__ = ["search_pose", "search_poses"]


def search_pose(plan: PosePlan, target: FloatArray, positions: FloatArray) -> IKResult:
    """The answer for one target (4, 4) [m] from positions (num_dofs,) of the skeleton [rad, m]."""
    q, angular, linear, reached, start, iterations = _solve(plan, target[None], positions[plan.path][None])
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
    q, angular, linear, reached, start, iterations = _solve(plan, targets, starts[:, plan.path])
    return IKResults(q[:, plan.own], plan.names, reached, angular, linear, start, iterations)


def _solve(plan: PosePlan, targets: FloatArray, starts: FloatArray) -> tuple[Any, ...]:
    columns = np.swapaxes(targets, 1, 2)[:, :, :3].reshape(len(targets), 12)
    s = plan.settings
    return _core.solve_poses(
        plan.tree,
        plan.body,
        plan.point,
        columns,
        starts,
        plan.ranges,
        plan.numbers,
        s.max_iterations,
        s.max_starts,
        s.seed,
    )
