"""The native search for several nodes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kido import _core
from kido.ik._hierarchy._hierarchy_result import HierarchyResult, TaskResult
from kido.ik._hierarchy._ranges import search_ranges
from kido.ik._module import InverseKinematics
from kido.ik._properties import DEFAULT_GRADIENT_METHOD
from kido.ik._result import IKStatus
from kido.ik._search._plan import PosePlan
from kido.ik._search._settings import SearchSettings
from kido.tree import Tree

__all__ = ["HierarchyPlan", "search_hierarchy"]

_Levels = tuple[tuple[InverseKinematics, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class HierarchyPlan:
    """What the native search needs to know of modules, and does not change from one target to the next.

    Attributes:
        tree, names: of the skeleton, and the names of its dofs.
        modules, plans, ranks: the active modules by level, their plans, and the numbers of their levels.
        arguments: of the native search: bodies, ranks; points, regions, which dofs move; ranges.
        native: whether it keeps all of this.
    """

    tree: Tree
    names: tuple[str, ...]
    modules: tuple[InverseKinematics, ...]
    plans: tuple[PosePlan, ...]
    ranks: tuple[int, ...]
    arguments: tuple[Any, ...]
    native: bool

    @classmethod
    def make(cls, tree: Tree, levels: _Levels, kept: HierarchyPlan | None) -> HierarchyPlan:
        """The plan for levels of modules; the one that was kept, where it still holds."""
        modules = tuple(module for level in levels for module in level)
        ranks = tuple(rank for rank, level in enumerate(levels) for _ in level)
        plans = tuple(module.search_plan() for module in modules)
        if kept is not None and kept.tree is tree and (kept.modules, kept.ranks) == (modules, ranks):
            same = all(a is b for a, b in zip(kept.plans, plans, strict=True))
            if same:
                return kept
        moves = np.zeros((len(plans), tree.num_dofs))
        for row, plan in zip(moves, plans, strict=True):
            row[plan.dofs] = 1.0
        native = bool(plans) and all(
            plan.native is not None and module.gradient_method == DEFAULT_GRADIENT_METHOD
            for plan, module in zip(plans, modules, strict=True)
        )
        arguments = (
            [plan.body for plan in plans],
            list(ranks),
            np.array([plan.point.ravel() for plan in plans]),
            np.array([plan.region for plan in plans]),
            moves,
            search_ranges(tree),
        )
        return cls(tree, tuple(tree.dof_names), modules, plans, ranks, arguments, native)

    @property
    def suits(self) -> bool:
        """Whether the native search knows all that the modules want now."""
        return self.native and not any(
            module.moves(frame)
            for other in self.modules
            for frame in {other.target, other.error_method.axes(other)}
            if not frame.parent_frame.is_world
            for module in self.modules
        )


def search_hierarchy(plan: HierarchyPlan, settings: SearchSettings) -> HierarchyResult:
    """Positions for modules of a skeleton whose errors the native search knows."""
    targets = np.array([module.target.transform()[:3].T.ravel() for module in plan.modules])
    bodies, ranks, points, regions, moves, ranges = plan.arguments
    q, angular, linear, reached, start, iterations = _core.solve_hierarchy(
        plan.tree,
        bodies,
        ranks,
        points,
        targets,
        regions,
        moves,
        plan.modules[0].node.skeleton.positions[None],
        ranges,
        np.array([settings.numbers]),
        settings.max_iterations,
        settings.max_starts,
        settings.seed,
        settings.nearest,
    )
    results = zip(plan.modules, reached.tolist(), angular.tolist(), linear.tolist(), strict=True)
    tasks = tuple(TaskResult(m.node.name, m.hierarchy_level, r, a, d) for m, r, a, d in results)
    status = IKStatus.SOLVED if reached.all() else IKStatus.NOT_REACHED
    return HierarchyResult(q, plan.names, status, tasks, start, iterations)
