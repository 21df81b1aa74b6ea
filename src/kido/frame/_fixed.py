"""A frame that stays where it was put."""

from __future__ import annotations

from kido import _core
from kido.errors import FrameError
from kido.frame._frame import Frame
from kido.frame._simple import one_transform
from kido.typing import FloatArray, TransformLike

__all__ = ["FixedFrame"]


class FixedFrame(Frame):
    """A frame fixed to its parent: its pose there is given once, and it never moves relative to it.

    A class that derives from this one may change the pose through `_set_relative_pose`; velocity and
    acceleration relative to the parent are zero all the same.
    """

    __slots__ = ()

    def __init__(
        self, name: str, parent: Frame | None = None, transform: TransformLike | None = None
    ) -> None:
        """A frame in `parent` (None: the world) at `transform` (4, 4) [m] (None: where the parent is).

        Raises TypeError or ValueError, naming the argument.
        """
        _core.Frame.__init__(self, _core.FrameKind.MOVING)
        if transform is not None:
            self._set_relative_pose(one_transform("transform", transform))
        self._begin(name, parent)

    @property
    def relative_transform(self) -> FloatArray:
        """Pose (4, 4) in the parent frame [m]."""
        return self._relative_pose()

    @property
    def relative_spatial_velocity(self) -> FloatArray:
        """Zeros (6,) [rad/s, m/s]."""
        return self._relative_velocity()

    @property
    def relative_spatial_acceleration(self) -> FloatArray:
        """Zeros (6,) [rad/s^2, m/s^2]."""
        return self._relative_acceleration()

    def set_parent_frame(self, parent: Frame) -> None:
        """Raises FrameError: a fixed frame stays with the frame that it was made in."""
        raise FrameError(f"{self.name!r} is fixed to {self.parent_frame.name!r}")
