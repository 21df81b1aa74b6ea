"""Tracking: a target followed step by step, without jumps.

Each step is one start from the last positions, within a largest change of each dof. So its motion and its
time are bounded, wherever the target goes: past singular positions, along limits, out of reach.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kido import _core
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._search._many_targets import Solvable, searched_by, target_at
from kido.ik._search._native_search import own_positions
from kido.ik._search._pose_problem import PoseProblem
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["track_each", "track_poses"]


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


def track_each(
    ik: Solvable, poses: FloatArray, largest_change: FloatArray, time_budget: float
) -> list[IKResult]:
    """The same for a module that no native search represents: each target is solved once, from the last
    positions. The skeleton is where it was afterwards."""
    saved, results = ik.positions, []
    try:
        for pose in poses:
            with target_at(ik, pose):
                results.append(_track_one(ik, largest_change, time_budget))
            ik.positions = results[-1].positions
    finally:
        ik.positions = saved
    return results


def _track_one(ik: Solvable, largest_change: FloatArray, time_budget: float) -> IKResult:
    """The answer of parts that may jump, held to the largest change by going only a part of the way."""
    skeleton, dofs = ik.node.skeleton, ik.dof_indices
    found = replace(_solved_once(ik, time_budget), method="tracking", elsewhere=None)
    end = skeleton.positions.copy()
    end[dofs] = found.positions
    positions = _part_of_way(skeleton.tree, skeleton.positions, end, dofs, largest_change)
    if np.array_equal(positions, found.positions):
        return found
    with ik.at(positions):
        angular, linear = ik.error_lengths(ik.counted_error)
    names, iterations = found.dof_names, found.iterations
    return IKResult(positions, names, IKStatus.NOT_REACHED, angular, linear, 0, iterations, method="tracking")


def _solved_once(ik: Solvable, time_budget: float) -> IKResult:
    """The answer of `solve` from the present positions alone, in a time [s]."""
    settings = replace(ik.settings, max_starts=1, mirrors=0, time_budget=time_budget)
    with searched_by(ik, settings):
        return ik.solve()


def _part_of_way(
    tree: Tree, start: FloatArray, end: FloatArray, dofs: list[int], largest_change: FloatArray
) -> FloatArray:
    """Positions (k,) of some dofs as far on the way between positions (num_dofs,) as no dof moves too much.

    Args:
        tree: of the skeleton.
        start: positions of all dofs [rad, m].
        end: positions of all dofs [rad, m].
        dofs: indices of those that move.
        largest_change: of each of these (k,) [rad, m].
    """
    way = tree.difference(start, end)
    farthest = float(np.max(np.abs(way[dofs]) / largest_change, initial=0.0))
    return end[dofs] if farthest <= 1.0 else tree.integrate(start, way / farthest, 1.0)[dofs]
