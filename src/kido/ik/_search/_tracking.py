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
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["checked_step", "part_of_way", "track_each", "track_poses"]

_ROUNDING = 1e-9
"""Part of a largest change that differences of positions may differ by."""


def checked_step(largest_change: ArrayLike, time_budget: float, count: int) -> tuple[FloatArray, float]:
    """Largest change of each of some dofs (count,) [rad, m], and time for one target [s]; what is wrong with
    them raises TypeError or ValueError."""
    shape = () if np.ndim(largest_change) == 0 else (count,)
    change = np.broadcast_to(frozen_array("largest_change", largest_change, shape, "rad, m"), (count,))
    budget = float(frozen_array("time_budget", time_budget, (), "s"))
    if not (change > 0.0).all():
        raise ValueError(f"largest_change: expected positive numbers [rad, m], got {change.min():g}")
    if budget <= 0.0:
        raise ValueError(f"time_budget: expected a positive number [s], got {budget}")
    return change, budget


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
    ends, reached, cut = search.track(targets, positions[search.path], most, time_budget)
    q = own_positions(problem, ends[0], positions[None])
    start = np.zeros(len(targets), dtype=np.int32)
    return IKResults(
        *(q, problem.names, reached, ends[1], ends[2], start, ends[4]), method="tracking", timed_out=cut
    )


def track_each(
    ik: Solvable, poses: FloatArray, largest_change: FloatArray, time_budget: float
) -> list[IKResult]:
    """The same for a module that the search in lanes does not represent: each target is solved once, from the
    last positions. The skeleton is where it was afterwards."""
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
    """The answer within the largest change of each dof; of what may jump, only a part of the way there."""
    skeleton, dofs = ik.node.skeleton, ik.dof_indices
    settings = replace(ik.settings, max_starts=1, mirrors=0, nearest=False, time_budget=time_budget)
    with searched_by(ik, settings):
        found = replace(ik.solve_within(largest_change), method="tracking", elsewhere=None)
    end = skeleton.positions.copy()
    end[dofs] = found.positions
    positions = part_of_way(skeleton.tree, skeleton.positions, end, dofs, largest_change)
    if np.array_equal(positions, found.positions):
        return found
    with ik.at(positions):
        angular, linear = ik.error_lengths(ik.counted_error)
    return IKResult(
        *(positions, found.dof_names, IKStatus.NOT_REACHED, angular, linear, 0, found.iterations),
        method="tracking",
        timed_out=found.timed_out,
    )


def part_of_way(
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
    return end[dofs] if farthest <= 1.0 + _ROUNDING else tree.integrate(start, way / farthest, 1.0)[dofs]
