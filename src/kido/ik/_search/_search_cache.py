"""Cache of the search problem of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido.frame import Frame
from kido.ik._error_methods._pose_region import PoseRegion
from kido.ik._search._characteristic_length import path_reach
from kido.ik._search._pose_problem import PoseProblem
from kido.skeleton import FrameNode

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["SearchCache"]


class SearchCache:
    """The search problem of a module, valid until the module or its skeleton changes.

    Attributes:
        problem: the problem.
    """

    __slots__ = ("_axes", "_axes_frame", "_dofs", "_offset", "_properties", "_reach", "_tree", "problem")

    def __init__(self, ik: InverseKinematics) -> None:
        """The problem of a module as it is now. Raises RemovedError or EditError as its `dof_indices` do."""
        properties, method = ik.properties, ik.error_method
        self._tree, self._dofs, self._properties = ik.node.skeleton.tree, ik.dofs, properties
        self._axes_frame = ik.error_axes
        self._axes, self._offset = _rotation_bytes(self._axes_frame), _offset_bytes(ik)
        region, settings = method.region(ik), properties.settings
        if region is not None and not isinstance(region, PoseRegion):
            raise TypeError(f"{method.name}.region: expected a PoseRegion or None, got {region!r}")
        self._reach: float | None = None
        self.problem = PoseProblem.make(ik.body, ik.point, ik.dofs, ik.dof_indices, region, settings)

    def reach(self, ik: InverseKinematics) -> float:
        """Sum of the offsets along the path of the module [m], computed once."""
        if self._reach is None:
            self._reach = path_reach(ik.body, self.problem.point)
        return self._reach

    def is_valid(self, ik: InverseKinematics) -> bool:
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


def _offset_bytes(ik: InverseKinematics) -> bytes:
    return ik.node.relative_transform.tobytes() if isinstance(ik.node, FrameNode) else b""
