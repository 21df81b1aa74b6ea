"""The world: the frame that does not move."""

from __future__ import annotations

from kido import _core
from kido.errors import FrameError
from kido.frame._frame import Frame, become_world

__all__ = ["WORLD", "WorldFrame"]


class WorldFrame(Frame):
    """The frame that all others are in, in the end. There is one, `kido.WORLD`; its parent is itself."""

    __slots__ = ()

    def __init__(self) -> None:
        if _made:
            raise FrameError("there is one world, kido.WORLD")
        _core.Frame.__init__(self, _core.FrameKind.WORLD)
        self._name = "world"
        self._children = None
        self._parent = self

    @property
    def name(self) -> str:
        """Always "world"."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        raise FrameError("the world has the name 'world'")

    @property
    def child_frames(self) -> tuple[Frame, ...]:
        """The frames attached to the world; root bodies of skeletons are not among them."""
        return super().child_frames

    @property
    def is_world(self) -> bool:
        """True."""
        return True

    def set_parent_frame(self, parent: Frame) -> None:
        """Raises FrameError: the world has no parent but itself."""
        raise FrameError("the world has no parent but itself")

    def __repr__(self) -> str:
        return "kido.WORLD"

    def __reduce__(self) -> str:
        return "WORLD"


_made: list[Frame] = []
WORLD = WorldFrame()
"""The world frame."""
_made.append(WORLD)
become_world(WORLD)
