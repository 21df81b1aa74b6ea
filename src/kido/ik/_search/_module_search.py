"""Search for one module whose problem the search in lanes does not know: a hierarchy of one."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from kido import _core
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKStatus
from kido.ik._search._level_search import LevelEnd, LevelSearch
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._search._search_objective import SearchObjective

__all__ = ["module_search", "search_module"]


def module_search(ik: IKQuery, problem: PoseProblem) -> LevelSearch:
    """The search for a module alone."""
    tree = problem.tree
    rows = np.zeros((5, tree.num_dofs))
    rows[:2] = tree.lower_limits, tree.upper_limits
    rows[2:4, problem.dofs] = problem.limits[2:]
    rows[4, problem.dofs] = problem.cyclic
    ranges = _core.SearchRanges(
        lower=rows[0], upper=rows[1], low_seed=rows[2], high_seed=rows[3], cyclic=rows[4]
    )
    return LevelSearch(tree, (ik,), (0,), ranges, (False,))


def search_module(search: LevelSearch, locked: Collection[int] = ()) -> IKResult:
    """The answer for the module from the present positions of its skeleton; `locked` dofs keep theirs."""
    (ik,), (problem,), skeleton = search.modules, search.problems, search.modules[0].node.skeleton
    objective = SearchObjective(skeleton, ik, ik.dofs, ik.dof_indices) if ik.has_objectives else None
    best, first = search.run(skeleton, problem.settings, objective, locked)

    def result(end: LevelEnd, elsewhere: IKResult | None = None) -> IKResult:
        status = IKStatus.SOLVED if end.reached[0] else IKStatus.NOT_REACHED
        errors = float(end.angular_error[0]), float(end.linear_error[0])
        q = end.positions[problem.dofs]
        return IKResult(
            *(q, problem.names, status, *errors, end.start, end.iterations),
            elsewhere=elsewhere,
            stationarity=None if math.isnan(end.stationarity) else end.stationarity,
        )

    if best is first or best.reached[0]:
        return result(best)
    return result(first, result(best))
