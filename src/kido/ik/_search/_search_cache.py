"""Cache of the search problem of a module."""

from __future__ import annotations

from kido.frame import Frame
from kido.ik._error_methods._region import Region, is_native
from kido.ik._query import IKQuery
from kido.ik._search._level_search import LevelSearch
from kido.ik._search._module_search import module_search
from kido.ik._search._pose_problem import PoseProblem
from kido.skeleton import FrameNode

__all__ = ["SearchCache"]


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
        self._axes, self._offset = _rotation_bytes(self._axes_frame), _offset_bytes(ik)
        region, settings = method.region(ik) if is_native(method) else None, properties.settings
        if region is not None and not isinstance(region, Region):
            raise TypeError(f"{method.name}.region: expected a region or None, got {region!r}")
        self._level_search: LevelSearch | None = None
        self.problem = PoseProblem.make(ik.body, ik.point, ik.dofs, ik.dof_indices, region, settings)

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
            and self._axes == _rotation_bytes(self._axes_frame)
            and self._offset == _offset_bytes(ik)
        )


def _rotation_bytes(frame: Frame) -> bytes:
    return b"" if frame.is_world else frame.transform()[:3, :3].tobytes()


def _offset_bytes(ik: IKQuery) -> bytes:
    return ik.node.relative_transform.tobytes() if isinstance(ik.node, FrameNode) else b""
