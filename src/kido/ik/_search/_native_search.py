"""Native search: many starts and targets in vector lanes.

Damped least squares with an active set of joint limits; damping after Sugihara (2011). The answer for a
target is that of the first start that reaches it, in the order of starts, so it depends on the target and the
settings only. Where no start does, the answer is where the first one ended, which a path without jumps leads
to; a start that came nearer is told beside it. Both are refined with damping that suits a remaining distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._search._pose_problem import PoseProblem
from kido.typing import FloatArray

__all__ = ["NEARER", "own_positions", "search_pose", "search_poses"]

NEARER = 1.0 - 1e-6
"""Factor on the squared error below which an answer of another branch is told [-]."""


def search_pose(
    problem: PoseProblem, search: _core.PoseSearch, target: FloatArray, positions: FloatArray
) -> IKResult:
    """The answer for one target (4, 4) [m] from positions (num_dofs,) of the skeleton [rad, m]."""
    (q, angular, linear, squared, iterations), start, connected, cut = search.solve_one(target, positions)
    if connected is None:
        return IKResult(q, problem.names, IKStatus.SOLVED, angular, linear, start, iterations, timed_out=cut)
    other = None
    if squared < connected[3] * NEARER:
        other = IKResult(q, problem.names, IKStatus.NOT_REACHED, angular, linear, start, iterations)
    q, angular, linear, _, iterations = connected
    return IKResult(
        *(q, problem.names, IKStatus.NOT_REACHED, angular, linear, 0, iterations),
        elsewhere=other,
        timed_out=cut,
    )


def search_poses(
    problem: PoseProblem, search: _core.PoseSearch, targets: FloatArray, starts: FloatArray
) -> IKResults:
    """Answers for targets (n, 4, 4) [m] from positions (1 or n, num_dofs) of the skeleton [rad, m]."""
    best, reached, start, connected, cut = search.solve(targets, starts[:, search.path])
    answers = _results(problem, starts, best, reached, start, cut)
    if reached.all():
        return answers
    told = ~reached & (best[3] < connected[3] * NEARER)
    others = tuple(answers[i] if told[i] else None for i in range(len(told))) if told.any() else ()
    ends = _chosen(reached, best, connected)
    return _results(problem, starts, ends, reached, np.where(reached, start, 0), cut, others)


def _results(
    problem: PoseProblem,
    starts: FloatArray,
    ends: tuple[NDArray[Any], ...],
    reached: NDArray[np.bool_],
    start: NDArray[np.int32],
    cut: NDArray[np.bool_],
    others: tuple[IKResult | None, ...] = (),
) -> IKResults:
    q, angular, linear, _, iterations = ends
    own = own_positions(problem, q, starts)
    return IKResults(
        *(own, problem.names, reached, angular, linear, start, iterations), elsewhere=others, timed_out=cut
    )


def _chosen(
    first: NDArray[np.bool_], ends: tuple[NDArray[Any], ...], others: tuple[NDArray[Any], ...]
) -> tuple[NDArray[Any], ...]:
    """The rows of ends where `first`, else those of others."""
    pairs = zip(ends, others, strict=True)
    return tuple(np.where(first if one.ndim == 1 else first[:, None], one, other) for one, other in pairs)


def own_positions(problem: PoseProblem, q: FloatArray, starts: FloatArray) -> FloatArray:
    """Positions (n, k) of the dofs of a problem: those of the path (n, p) for dofs on it, else the given
    ones."""
    if problem.own.all():
        return q[:, problem.places]
    positions = np.repeat(starts[:, problem.dofs], len(q) // len(starts), axis=0)
    positions[:, problem.own] = q[:, problem.places]
    return positions
