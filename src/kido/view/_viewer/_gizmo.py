"""Frames that are moved by arrows and rings in browsers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.math import matrix_to_quaternion, quaternion_to_matrix
from kido.typing import FloatArray
from kido.view._viewer._guide import Guide
from kido.view._viewer._inbox import Inbox
from kido.view._viewer._notices import Notices

if TYPE_CHECKING:
    from viser import SceneApi

__all__ = ["Gizmo"]

_W_FIRST, _W_LAST = [3, 0, 1, 2], [1, 2, 3, 0]


class Gizmo:
    """Arrows, squares and rings that move a frame: along its axes, in their planes, about them.

    What people do in one browser is seen in all. While nobody holds it, it goes where the frame is.

    Attributes:
        held: whether somebody holds it.
        is_removed: whether it was taken away.
        size: length of its arrows [m].
    """

    __slots__ = (
        "_guide",
        "_handle",
        "_inbox",
        "_move",
        "_name",
        "_notices",
        "_read",
        "_release",
        "held",
        "is_removed",
        "size",
    )

    def __init__(
        self,
        scene: SceneApi,
        inbox: Inbox,
        notices: Notices,
        name: str,
        *,
        read: Callable[[], FloatArray],
        move: Callable[[FloatArray], object],
        release: Callable[[], object] = lambda: None,
        size: float,
        guide: Guide,
        rotates: bool,
    ) -> None:
        """Show a gizmo.

        Args:
            scene: of viser.
            inbox: of the viewer.
            notices: of the viewer.
            name: path in the scene.
            read: gives the pose (4, 4) in the world where it belongs [m].
            move: is told the pose (4, 4) to which it is moved [m].
            release: is called when nobody holds it any more.
            size: length of the arrows [m].
            guide: on which it stays.
            rotates: whether it has rings.
        """
        self._inbox, self._notices, self._name = inbox, notices, name
        self._read, self._move, self._release = read, move, release
        self._guide, self.size, self.held = guide, size, False
        self.is_removed = False
        axes = guide.free_axes(np.eye(3))
        self._handle: Any = scene.add_transform_controls(
            name,
            scale=size,
            disable_rotations=not rotates,
            disable_sliders=sum(axes) < 2,
            active_axes=(True, True, True) if rotates else axes,
            depth_test=False,
        )
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Go to where the frame is, unless somebody holds it."""
        if not (self.held or self.is_removed):
            self._put(self._read())

    def let_go(self) -> None:
        """Nobody holds it any more."""
        if self.held:
            self.held = False
            self._notices.guard(self._release, self._name)
        self.refresh()

    def remove(self) -> None:
        """Take it away; calling this twice does no harm."""
        if not self.is_removed:
            self.let_go()
            self.is_removed = True
            self._handle.remove()

    def _put(self, T: FloatArray) -> None:
        self._handle.position = T[:3, 3]
        self._handle.wxyz = matrix_to_quaternion(T[:3, :3])[_W_FIRST]

    def _pose(self) -> FloatArray:
        T = np.eye(4)
        T[:3, :3] = quaternion_to_matrix(np.array(self._handle.wxyz)[_W_LAST])
        T[:3, 3] = self._handle.position
        return self._guide.nearest(T)

    def _connect(self) -> None:
        async def updated(event: Any) -> None:
            pose = self._pose()
            self._inbox.put(lambda: self._moved(pose), ("gizmo", self._name))
            if event.phase == "end":
                self._inbox.put(self.let_go)

        self._handle.on_update(updated)

    def _moved(self, pose: FloatArray) -> None:
        if not self.is_removed:
            self.held = True
            self._notices.guard(lambda: self._move(pose), self._name)
