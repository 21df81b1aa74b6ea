"""Native search for several nodes at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kido import _core
from kido.ik._hierarchy._hierarchy_result import HierarchyResult, TaskResult
from kido.ik._hierarchy._ranges import search_ranges
from kido.ik._module import InverseKinematics
from kido.ik._properties import DEFAULT_GRADIENT_METHOD
from kido.ik._result import IKStatus
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._search._settings import SearchSettings
from kido.tree import Tree

__all__ = ["HierarchyCache", "search_hierarchy"]

_Levels = tuple[tuple[InverseKinematics, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class HierarchyCache:
    """Arguments of the native search for some modules, valid until the modules or their skeleton change.

    Attributes:
        tree, names: of the skeleton, and the names of its dofs.
        modules, problems, ranks: the active modules by level, their problems, and the numbers of their
            levels.
        tasks, ranges: of the native search.
        native: whether the native search can represent all of this.
    """

    tree: Tree
    names: tuple[str, ...]
    modules: tuple[InverseKinematics, ...]
    problems: tuple[PoseProblem, ...]
    ranks: tuple[int, ...]
    tasks: list[_core.SearchTask]
    ranges: _core.SearchRanges
    native: bool

    @classmethod
    def make(cls, tree: Tree, levels: _Levels, cached: HierarchyCache | None) -> HierarchyCache:
        """The cache for levels of modules; the given one where it is still valid."""
        modules = tuple(module for level in levels for module in level)
        ranks = tuple(rank for rank, level in enumerate(levels) for _ in level)
        problems = tuple(module.search_problem() for module in modules)
        if cached is not None and cached.tree is tree and (cached.modules, cached.ranks) == (modules, ranks):
            same = all(a is b for a, b in zip(cached.problems, problems, strict=True))
            if same:
                return cached
        native = bool(problems) and all(
            problem.native is not None and module.gradient_method == DEFAULT_GRADIENT_METHOD
            for problem, module in zip(problems, modules, strict=True)
        )
        tasks = [
            _task(problem, problem.region, rank)
            for problem, rank in zip(problems, ranks, strict=True)
            if problem.region is not None
        ]
        return cls(tree, tuple(tree.dof_names), modules, problems, ranks, tasks, _ranges(tree), native)

    @property
    def suits(self) -> bool:
        """Whether the native search can represent the modules with their present frames."""
        return self.native and not any(
            module.moves(frame)
            for other in self.modules
            for frame in {other.target, other.error_axes}
            if not frame.parent_frame.is_world
            for module in self.modules
        )


def search_hierarchy(cache: HierarchyCache, settings: SearchSettings) -> HierarchyResult:
    """Positions for modules of a skeleton, by the native search."""
    best = _search(cache, settings)
    if best.success or best.start == 0:
        return best
    first = _search(cache, replace(settings, max_starts=1))
    return replace(first, elsewhere=best)


def _search(cache: HierarchyCache, settings: SearchSettings) -> HierarchyResult:
    q, angular, linear, reached, start, iterations = _core.solve_hierarchy(
        cache.tree,
        tasks=cache.tasks,
        targets=np.array([module.target.transform() for module in cache.modules]),
        start=cache.modules[0].node.skeleton.positions,
        ranges=cache.ranges,
        settings=settings.native(),
    )
    results = zip(cache.modules, reached.tolist(), angular.tolist(), linear.tolist(), strict=True)
    tasks = tuple(TaskResult(m.node.name, m.hierarchy_level, r, a, d) for m, r, a, d in results)
    status = IKStatus.SOLVED if reached.all() else IKStatus.NOT_REACHED
    return HierarchyResult(q, cache.names, status, tasks, start, iterations)


def _task(problem: PoseProblem, region: _core.PoseRegion, rank: int) -> _core.SearchTask:
    moves = np.zeros(problem.tree.num_dofs)
    moves[problem.dofs] = 1.0
    return _core.SearchTask(body=problem.body, level=rank, point=problem.point, region=region, moves=moves)


def _ranges(tree: Tree) -> _core.SearchRanges:
    lower, upper, low_seed, high_seed = search_ranges(tree)
    cyclic = np.zeros(tree.num_dofs)
    return _core.SearchRanges(lower=lower, upper=upper, low_seed=low_seed, high_seed=high_seed, cyclic=cyclic)
