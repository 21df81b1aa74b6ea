"""The search problem of a module, cached, and the search of levels for one module alone."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from kido import _core
from kido.frame import Frame
from kido.ik._error_methods._region import Region, axes_for_search, is_native
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKStatus
from kido.ik._search._level_search import LevelEnd, LevelSearch
from kido.ik._search._pose_problem import PoseProblem
from kido.skeleton import FrameNode
from kido.typing import FloatArray

__all__ = ["SearchCache", "module_ranges", "module_search", "search_module"]


def module_search(ik: IKQuery, problem: PoseProblem) -> LevelSearch:
    """The search for a module alone."""
    return LevelSearch(problem.tree, (ik,), (0,), module_ranges(problem), (False,))


def module_ranges(problem: PoseProblem) -> _core.SearchRanges:
    """Ranges of all dofs; those that do not belong to the problem start where they are."""
    tree = problem.tree
    rows = np.zeros((5, tree.num_dofs))
    rows[:2] = tree.lower_limits, tree.upper_limits
    rows[2:4, problem.dofs] = problem.limits[2:]
    rows[4, problem.dofs] = problem.cyclic
    return _core.SearchRanges(
        lower=rows[0], upper=rows[1], low_seed=rows[2], high_seed=rows[3], cyclic=rows[4]
    )


def search_module(
    search: LevelSearch, locked: Collection[int] = (), largest_change: FloatArray | None = None
) -> IKResult:
    """The answer for the module from the present positions of its skeleton; `locked` dofs keep theirs, and
    each dof moves by at most its largest change (num_dofs,) [rad, m], where there is one."""
    (problem,), skeleton = search.problems, search.modules[0].node.skeleton
    before = skeleton.positions[problem.dofs]
    stays = np.isin(problem.dofs, list(locked)) if locked else None
    objective = search.objective_of_module()
    best, first = search.run(skeleton, problem.settings, objective, locked, largest_change)

    def result(end: LevelEnd, elsewhere: IKResult | None = None) -> IKResult:
        status = IKStatus.SOLVED if end.reached[0] else IKStatus.NOT_REACHED
        errors = float(end.angular_error[0]), float(end.linear_error[0])
        q = end.positions[problem.dofs]
        if stays is not None:
            q = np.where(stays, before, q)  # rotations come back as others that are equal
        return IKResult(
            *(q, problem.names, status, *errors, end.start, end.iterations),
            elsewhere=elsewhere,
            stationarity=None if math.isnan(end.stationarity) else end.stationarity,
            timed_out=end.timed_out,
        )

    if best is first or best.reached[0]:
        return result(best)
    return result(first, result(best))


class SearchCache:
    """The search problem of a module, valid until the module or its skeleton changes.

    Attributes:
        problem: the problem.
    """

    __slots__ = (
        "_axes",
        "_axes_frame",
        "_dofs",
        "_level_search",
        "_offset",
        "_properties",
        "_tree",
        "problem",
    )

    def __init__(self, ik: IKQuery) -> None:
        """The problem of a module as it is now. Raises RemovedError or EditError as its `dof_indices` do."""
        properties, method = ik.properties, ik.error_method
        self._tree, self._dofs, self._properties = ik.node.skeleton.tree, ik.dofs, properties
        self._axes_frame = ik.error_axes
        self._axes, self._offset = _axes_key(ik, self._axes_frame), _offset_bytes(ik)
        region, settings = method.region(ik) if is_native(method) else None, properties.settings
        if region is not None and not isinstance(region, Region):
            raise TypeError(f"{method.name}.region: expected a region or None, got {region!r}")
        self._level_search: LevelSearch | None = None
        self.problem = PoseProblem.make(
            ik.body, ik.point, ik.dofs, ik.dof_indices, region, ik.target, settings
        )

    def level_search(self, ik: IKQuery) -> LevelSearch:
        """The search that asks parts which native code does not know, made once."""
        if self._level_search is None:
            self._level_search = module_search(ik, self.problem)
        return self._level_search

    def is_valid(self, ik: IKQuery) -> bool:
        """Whether the problem is still the module's."""
        return (
            self._tree is ik.node.skeleton.tree
            and self._dofs is ik.dofs
            and self._properties is ik.properties
            and self._axes_frame is ik.error_method.axes(ik)
            and self._axes == _axes_key(ik, self._axes_frame)
            and self._offset == _offset_bytes(ik)
        )


def _axes_key(ik: IKQuery, frame: Frame) -> tuple[bytes, bool]:
    if frame.is_world or frame is ik.target:
        return b"", not frame.is_world
    axes, in_target = axes_for_search(frame, ik.target)
    return axes.tobytes(), in_target


def _offset_bytes(ik: IKQuery) -> bytes:
    return ik.node.relative_transform.tobytes() if isinstance(ik.node, FrameNode) else b""
