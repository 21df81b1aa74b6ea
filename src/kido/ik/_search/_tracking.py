"""Tracking: a target followed step by step, without jumps.

Each step is one start from the last positions, within a largest change of each dof. So its motion and its
time are bounded, wherever the target goes: past singular positions, along limits, out of reach.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kido import _core
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._search._native_search import own_positions
from kido.ik._search._pose_problem import PoseProblem
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["track_one", "track_poses"]


def track_poses(
    problem: PoseProblem,
    search: _core.PoseSearch,
    targets: FloatArray,
    positions: FloatArray,
    largest_change: FloatArray,
    time_budget: float,
) -> IKResults:
    """Answers for targets (n, 4, 4) [m] one after the other, from positions (num_dofs,) of the skeleton.

    Args:
        problem: the problem of the module.
        search: its native search.
        targets: poses of the target in the world [m].
        positions: of all dofs, to start from [rad, m].
        largest_change: of each dof (k,) from one target to the next [rad, m].
        time_budget: for one target [s].
    """
    most = np.zeros(len(search.path))
    most[problem.places] = largest_change[problem.own]
    ends, reached = search.track(targets, positions[search.path], most, time_budget)
    q = own_positions(problem, ends[0], positions[None])
    start = np.zeros(len(targets), dtype=np.int32)
    return IKResults(q, problem.names, reached, ends[1], ends[2], start, ends[4], method="tracking")


def track_one(ik: InverseKinematics, largest_change: FloatArray, time_budget: float) -> IKResult:
    """The answer of a module's own parts for its target, from the present positions.

    Parts that may jump are held to the largest change of each dof (k,) by going only a part of the way.
    """
    skeleton, indices = ik.node.skeleton, ik.dof_indices
    start = skeleton.positions
    found = ik.solved_once(time_budget)
    end = start.copy()
    end[indices] = found.positions
    way = skeleton.tree.difference(start, end)
    farthest = float(np.max(np.abs(way[indices]) / largest_change, initial=0.0))
    if farthest <= 1.0:
        return replace(found, method="tracking", elsewhere=None)
    part = skeleton.tree.integrate(start, way / farthest, 1.0)[indices]
    with ik.at(part):
        angular, linear = ik.error_lengths(ik.counted_error)
    return IKResult(
        part, found.dof_names, IKStatus.NOT_REACHED, angular, linear, 0, found.iterations, "tracking"
    )
