"""A plan of the search, and what it was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido.frame import Frame
from kido.ik._search._plan import PosePlan
from kido.skeleton import FrameNode

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["KeptPlan"]


class KeptPlan:
    """The plan of a module's search, with what tells whether it still holds.

    Attributes:
        plan: the plan.
    """

    __slots__ = ("_axes", "_axes_frame", "_dofs", "_place", "_properties", "_tree", "plan")

    def __init__(self, ik: InverseKinematics) -> None:
        """The plan of a module as it is now. Raises RemovedError or EditError as its `dof_indices` do."""
        properties, method = ik.properties, ik.error_method
        self._tree, self._dofs, self._properties = ik.node.skeleton.tree, ik.dofs, properties
        self._axes_frame = method.axes(ik)
        self._axes, self._place = _turn_of(self._axes_frame), _place_of(ik)
        region, settings = method.region(ik), properties.settings
        self.plan = PosePlan.make(ik.body, ik.point, ik.dofs, ik.dof_indices, region, settings)

    def holds(self, ik: InverseKinematics) -> bool:
        """Whether it is still the module's."""
        return (
            self._tree is ik.node.skeleton.tree
            and self._dofs is ik.dofs
            and self._properties is ik.properties
            and self._axes_frame is ik.error_method.axes(ik)
            and self._axes == _turn_of(self._axes_frame)
            and self._place == _place_of(ik)
        )


def _turn_of(frame: Frame) -> bytes:
    return b"" if frame.is_world else frame.transform()[:3, :3].tobytes()


def _place_of(ik: InverseKinematics) -> bytes:
    return ik.node.relative_transform.tobytes() if isinstance(ik.node, FrameNode) else b""
