"""Search for several modules in levels, and its results."""

from __future__ import annotations

import math

import numpy as np

from kido import _core
from kido.description import Coordinate
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._objectives import Objectives
from kido.ik._result import TIMED_OUT, IKOutcome, IKStatus, told_objective
from kido.ik._search._custom_parts import SearchObjective
from kido.ik._search._level_search import LevelEnd, LevelSearch
from kido.ik._search._settings import SearchSettings
from kido.skeleton import Skeleton
from kido.typing import FloatArray
from kido.values import Value, read_only, value

__all__ = ["HierarchyResult", "TaskResult", "hierarchy_search", "search_hierarchy"]


@value
class TaskResult(Value):
    """Result of one module of a hierarchy.

    Attributes:
        node: name of its node.
        level: its rank, 0 the first.
        success: whether it has no error.
        angular_error, linear_error: remaining error [rad], [m].
        required: whether an error is a failure of the hierarchy; else it was lowered as the rest let it.
    """

    node: str
    level: int
    success: bool
    angular_error: float
    linear_error: float
    required: bool = True


@value
class HierarchyResult(IKOutcome):
    """Positions that bring several nodes to their targets, or as near as their ranks and a path without jumps
    allow.

    Attributes:
        positions: (n,) of all dofs of the skeleton [rad, m].
        dof_names: their names.
        status: outcome of the search: solved where no module that is required has an error, and no constraint
            of the problem is broken.
        tasks: result of each active module, by rank.
        start: which start gave the positions; 0 is the given one.
        iterations: of that start.
        elsewhere: where not all is reached, an answer of another start that comes nearer, which is never
            applied: no path without jumps is known to lead there. None: there is no such answer.
        stationarity: how far an objective is from a minimum, as of `IKResult`.
        reason: why not all is reached, in words, where a solver or a constraint says so; else empty.
        timed_out: whether the time budget ended what would have gone on: more time might have led nearer to
            the targets, or lowered objectives and wishes further.
    """

    positions: FloatArray = read_only()
    dof_names: tuple[str, ...]
    status: IKStatus
    tasks: tuple[TaskResult, ...]
    start: int
    iterations: int
    elsewhere: HierarchyResult | None = None
    stationarity: float | None = None
    reason: str = ""
    timed_out: bool = False

    @property
    def message(self) -> str:
        """The outcome in words."""
        if self.success:
            by = f"by start {self.start} in {self.iterations} iterations"
            ended = f"; {TIMED_OUT}" if self.timed_out else ""
            return f"solved, {by}{told_objective(self.stationarity)}{ended}"
        left = [
            f"{t.node} (level {t.level}) {t.linear_error:.3g} m and {t.angular_error:.3g} rad"
            for t in self.tasks
            if t.required and not t.success
        ]
        parts = [f"{', '.join(left)} from the target"] if left else []
        parts += [part for part in (self.reason, TIMED_OUT if self.timed_out else "") if part]
        return f"not reached: {'; '.join(parts)}"


_Levels = tuple[tuple[InverseKinematics, ...], ...]


def hierarchy_search(skeleton: Skeleton, levels: _Levels, known: LevelSearch | None) -> LevelSearch:
    """The search for levels of modules; the known one where it is still valid.

    What is wished for in a level has a rank of its own after what is required there: its error, which
    remains, would hide how far the others are from theirs.
    """
    modules = tuple(module for level in levels for module in level)
    wished = tuple(not module.is_required for module in modules)
    places = list(zip((rank for rank, level in enumerate(levels) for _ in level), wished, strict=True))
    order = list(dict.fromkeys(places))
    ranks = tuple(order.index(place) for place in places)
    tree = skeleton.tree
    if known is not None and known.is_for(tree, modules, ranks, wished):
        return known
    return LevelSearch(tree, modules, ranks, _ranges(skeleton), wished)


def search_hierarchy(
    search: LevelSearch,
    skeleton: Skeleton,
    settings: SearchSettings,
    objectives: Objectives,
    largest_change: FloatArray | None = None,
) -> HierarchyResult:
    """Positions for the modules of a skeleton, which lower the objectives of their hierarchy; each dof moves
    by at most its largest change (n,) [rad, m], where there is one."""
    names = tuple(skeleton.tree.dof_names)
    lowered = None
    if objectives.has_objectives:
        lowered = SearchObjective(skeleton, objectives, skeleton.dofs, _movable(skeleton))
    best, first = search.run(skeleton, settings, lowered, largest_change=largest_change)

    def result(end: LevelEnd, elsewhere: HierarchyResult | None = None) -> HierarchyResult:
        rows = zip(
            search.modules,
            search.wished,
            end.reached.tolist(),
            end.angular_error.tolist(),
            end.linear_error.tolist(),
            strict=True,
        )
        tasks = tuple(
            TaskResult(module.node.name, module.hierarchy_level, reached, angular, linear, not wished)
            for module, wished, reached, angular, linear in rows
        )
        solved = all(task.success or not task.required for task in tasks)
        status = IKStatus.SOLVED if solved else IKStatus.NOT_REACHED
        left = None if math.isnan(end.stationarity) else end.stationarity
        return HierarchyResult(
            *(end.positions, names, status, tasks, end.start, end.iterations, elsewhere, left),
            timed_out=end.timed_out,
        )

    answer = result(best)
    return answer if answer.success or best is first else result(first, answer)


def _movable(skeleton: Skeleton) -> list[int]:
    """Places of the dofs that an objective moves: all but locked ones and those that follow others."""
    still = skeleton.locked_dofs | set(skeleton.leading_dofs)
    return [i for i in range(skeleton.num_dofs) if i not in still]


def _ranges(skeleton: Skeleton) -> _core.SearchRanges:
    """Limits of all dofs, and of those with two the range of random starts; others start where they are."""
    lower, upper = skeleton.tree.lower_limits, skeleton.tree.upper_limits
    bounded = np.isfinite(lower) & np.isfinite(upper)
    cyclic = np.array([dof.coordinate is Coordinate.ANGLE for dof in skeleton.dofs], dtype=np.float64)
    low, high = np.where(bounded, lower, 0.0), np.where(bounded, upper, 0.0)
    return _core.SearchRanges(lower=lower, upper=upper, low_seed=low, high_seed=high, cyclic=cyclic)
