"""Search for several modules in levels."""

from __future__ import annotations

import math

import numpy as np

from kido import _core
from kido.description import Coordinate
from kido.ik._hierarchy._hierarchy_result import HierarchyResult, TaskResult
from kido.ik._module import InverseKinematics
from kido.ik._objectives import Objectives
from kido.ik._result import IKStatus
from kido.ik._search._level_search import LevelEnd, LevelSearch
from kido.ik._search._search_objective import SearchObjective
from kido.ik._search._settings import SearchSettings
from kido.skeleton import Skeleton

__all__ = ["hierarchy_search", "search_hierarchy"]

_Levels = tuple[tuple[InverseKinematics, ...], ...]


def hierarchy_search(skeleton: Skeleton, levels: _Levels, known: LevelSearch | None) -> LevelSearch:
    """The search for levels of modules; the known one where it is still valid."""
    modules = tuple(module for level in levels for module in level)
    ranks = tuple(rank for rank, level in enumerate(levels) for _ in level)
    wished = tuple(not module.is_required for module in modules)
    tree = skeleton.tree
    if known is not None and known.is_for(tree, modules, ranks, wished):
        return known
    return LevelSearch(tree, modules, ranks, _ranges(skeleton), wished)


def search_hierarchy(
    search: LevelSearch, skeleton: Skeleton, settings: SearchSettings, objectives: Objectives
) -> HierarchyResult:
    """Positions for the modules of a skeleton, which lower the objectives of their hierarchy."""
    names = tuple(skeleton.tree.dof_names)
    lowered = None
    if objectives.has_objectives:
        lowered = SearchObjective(skeleton, objectives, skeleton.dofs, _movable(skeleton))
    best, first = search.run(skeleton, settings, lowered)

    def result(end: LevelEnd, elsewhere: HierarchyResult | None = None) -> HierarchyResult:
        rows = zip(
            search.modules,
            end.reached.tolist(),
            end.angular_error.tolist(),
            end.linear_error.tolist(),
            strict=True,
        )
        tasks = tuple(
            TaskResult(module.node.name, module.hierarchy_level, reached, angular, linear, module.is_required)
            for module, reached, angular, linear in rows
        )
        solved = all(task.success or not task.required for task in tasks)
        status = IKStatus.SOLVED if solved else IKStatus.NOT_REACHED
        left = None if math.isnan(end.stationarity) else end.stationarity
        return HierarchyResult(
            end.positions, names, status, tasks, end.start, end.iterations, elsewhere, left
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
