"""Base of all frames."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakValueDictionary

import numpy as np

from kido import _core
from kido._shared_lock import SharedLock
from kido.errors import FrameError
from kido.math import motion_cross
from kido.typing import FloatArray, read_only
from kido.values import checked_name

__all__ = ["Frame"]

_REQUIRED = ("relative_transform", "relative_spatial_velocity", "relative_spatial_acceleration")


class Frame(_core.Frame):
    """A place with axes. It answers any question of transform, velocity and acceleration relative to any
    other frame.

    Nothing needs to be updated by hand, and no answer is stale. Spatial vectors are angular first, and in the
    frame's own axes unless `in_coordinates_of` says otherwise; vectors (3,) are in world axes unless it does.

    A frame of your own derives from this class and defines three properties, each relative to `parent_frame`:

    * `relative_transform` (4, 4): pose in the parent [m].
    * `relative_spatial_velocity` (6,): in this frame's axes [rad/s, m/s].
    * `relative_spatial_acceleration` (6,): its rate, in this frame's axes [rad/s^2, m/s^2].

    They are asked for at every question and may change at any time. `primary_relative_acceleration` and
    `partial_acceleration` follow from them, and can be defined too.
    """

    __slots__ = ("_children", "_name", "_parent")
    _children: WeakValueDictionary[int, Frame] | None
    _parent: Frame | None

    def __init__(self, name: str = "frame", parent: Frame | None = None) -> None:
        """Called by the `__init__` of a frame of your own. `parent` None is the world.

        Raises TypeError where the class does not define one of the three properties.
        """
        for required in _REQUIRED:
            if getattr(type(self), required) is getattr(Frame, required):
                raise TypeError(f"{type(self).__name__}: a frame of your own defines {required}")
        super().__init__(_core.FrameKind.USER)
        self._begin(name, parent)

    def _begin(self, name: str, parent: Frame | None) -> None:
        self._name = checked_name("name", name)
        self._children = None
        self._parent = None
        self._attach(parent)

    @property
    def name(self) -> str:
        """Name of this frame."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = checked_name("name", name)

    @property
    def parent_frame(self) -> Frame:
        """The frame that this one moves with."""
        assert self._parent is not None
        return self._parent

    @property
    def child_frames(self) -> tuple[Frame, ...]:
        """The frames whose parent is this one, in the order in which they were attached."""
        return tuple(self._living_children())

    @property
    def relative_transform(self) -> FloatArray:
        """Pose (4, 4) in the parent frame [m]."""
        return self._transform_from(self.parent_frame)

    @property
    def relative_spatial_velocity(self) -> FloatArray:
        """Spatial velocity (6,) relative to the parent frame, in this frame's axes [rad/s, m/s]."""
        return self._spatial_velocity_from(self.parent_frame)

    @property
    def relative_spatial_acceleration(self) -> FloatArray:
        """Spatial acceleration (6,) relative to the parent frame, in this frame's axes [rad/s^2, m/s^2]."""
        return self._spatial_acceleration_from(self.parent_frame)

    @property
    def primary_relative_acceleration(self) -> FloatArray:
        """The part (6,) of the relative acceleration that does not depend on velocities [rad/s^2, m/s^2]."""
        return self.relative_spatial_acceleration

    @property
    def partial_acceleration(self) -> FloatArray:
        """The part (6,) of the spatial acceleration that velocities bring, V x V_relative [rad/s^2, m/s^2].

        The spatial acceleration is that of the parent, in this frame's axes, plus
        `primary_relative_acceleration` plus this.
        """
        remaining = self.relative_spatial_acceleration - self.primary_relative_acceleration
        crossed = motion_cross(self.spatial_velocity(), self.relative_spatial_velocity)
        return read_only(np.asarray(crossed + remaining))

    @property
    def is_world(self) -> bool:
        """Whether this is the world."""
        return False

    def descends_from(self, frame: Frame) -> bool:
        """Whether `frame` is this frame, its parent, or further up; everything descends from the world.

        Raises TypeError where `frame` is not a Frame.
        """
        if not isinstance(frame, Frame):
            raise TypeError(f"frame: expected a Frame, got {type(frame).__name__}")
        return frame.is_world or any(above is frame for above in self._line())

    def set_parent_frame(self, parent: Frame) -> None:
        """Attach this frame to another, keeping its motion relative to the parent.

        Raises:
            FrameError: `parent` descends from this frame.
            TypeError: `parent` is not a Frame.
        """
        self._attach(parent)

    def __reduce__(self) -> str:
        raise TypeError(
            f"cannot pickle frame {self.name!r} alone: pickle its `relative_transform`, and its relative "
            "velocity and acceleration where it moves, and make a frame of them under the other parent"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _line(self) -> Iterator[Frame]:
        frame: Frame = self
        while not frame.is_world:
            yield frame
            frame = frame.parent_frame

    def _living_children(self) -> Iterator[Frame]:
        if self._children is not None:
            # a list at once: another thread may attach a frame meanwhile
            yield from (child for ref in self._children.valuerefs() if (child := ref()) is not None)

    def _checked_parent(self, parent: Frame | None) -> Frame:
        above = _world() if parent is None else parent
        if not isinstance(above, Frame):
            raise TypeError(f"parent: expected a Frame, got {type(above).__name__}")
        if above.descends_from(self):
            what = "itself" if above is self else f"{above.name!r}, which moves with it"
            raise FrameError(f"{self.name!r} cannot move with {what}")
        return above

    def _attach(self, parent: Frame | None) -> None:
        above = self._checked_parent(parent)
        if self._parent is not None:
            self._parent._forget(self)
        self._place_under(above)
        self._parent = above
        above._remember(self)

    def _remember(self, child: Frame) -> None:
        if self._children is None:
            with _first_child:
                self._children = WeakValueDictionary() if self._children is None else self._children
        self._children[id(child)] = child

    def _forget(self, child: Frame) -> None:
        if self._children is not None:
            self._children.pop(id(child), None)


_the_world: list[Frame] = []
_first_child = SharedLock()
"""So that of two threads that attach a first frame to one parent, neither takes the other's away."""


def _world() -> Frame:
    return _the_world[0]


def become_world(frame: Frame) -> None:
    """Makes `frame` the one that frames without a parent move with."""
    _the_world.append(frame)
