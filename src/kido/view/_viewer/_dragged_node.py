"""Bodies and nodes that gizmos move."""

from __future__ import annotations

from kido.skeleton import BodyNode, FrameNode
from kido.typing import FloatArray
from kido.view._viewer._body_drag import BodyDrag

__all__ = ["DraggedNode"]


class DraggedNode:
    """A body or node that a gizmo moves, by inverse kinematics, while it is held.

    Attributes:
        node: which is moved.
    """

    __slots__ = ("_drag", "_keep_orientation", "_whole_body", "node")

    def __init__(self, node: BodyNode | FrameNode, whole_body: bool, keep_orientation: bool) -> None:
        """Raises ValueError where no dof moves the node."""
        self.node, self._whole_body, self._keep_orientation = node, whole_body, keep_orientation
        self._drag: BodyDrag | None = None
        self._begun()

    def read(self) -> FloatArray:
        """Pose (4, 4) of the node in the world [m]."""
        return self.node.transform()

    def move(self, transform: FloatArray) -> None:
        """Have the node follow a pose (4, 4) in the world [m], from the next `follow` on."""
        if self._drag is None:
            self._drag = self._begun()
        self._drag.pull_to(transform)

    def follow(self, seconds: float) -> None:
        """Move the skeleton for a time [s]."""
        if self._drag is not None:
            self._drag.follow(seconds)

    def release(self) -> None:
        """The gizmo is not held any more."""
        self._drag = None

    def _begun(self) -> BodyDrag:
        return BodyDrag(self.node, whole_body=self._whole_body, keep_orientation=self._keep_orientation)
