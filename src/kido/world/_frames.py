"""The free frames of a world."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kido.errors import EditError, NameTakenError, UnknownNameError
from kido.frame import Frame, SimpleFrame
from kido.skeleton import BodyNode, FrameNode, Skeleton
from kido.typing import FloatArray

__all__ = ["FrameMotion", "FramePlace", "WorldFrames", "picklable", "set_motion"]

FrameMotion = tuple[str, FloatArray, FloatArray, FloatArray]
"""Name, pose, velocity and acceleration relative to the parent of a frame."""
FramePlace = tuple[int, ...]
"""Where a frame's parent is: () the world; (i,) frame i; skeleton and body; these and the node on it."""


class WorldFrames:
    """The free frames of a world, in the order in which they came: targets, cameras, marks.

    Steps leave them to their user; those whose parent is a body move with it. Clones and pickles of the world
    have copies, on the copies of what they are attached to.
    """

    __slots__ = ("_items", "world")

    def __init__(self, world: str) -> None:
        self._items: list[SimpleFrame] = []
        self.world = world

    def add(self, frame: SimpleFrame) -> SimpleFrame:
        """Add a frame, and return it.

        Raises:
            TypeError: no SimpleFrame.
            NameTakenError: another one has its name.
        """
        if not isinstance(frame, SimpleFrame):
            raise TypeError(f"frame: expected a SimpleFrame, got {type(frame).__name__}")
        if any(other is frame or other.name == frame.name for other in self._items):
            raise NameTakenError("Frame", frame.name, self.world)
        self._items.append(frame)
        return frame

    def remove(self, frame: SimpleFrame | str) -> SimpleFrame:
        """Take a frame, or that of a name, away, and return it. Raises UnknownNameError."""
        found = self[frame] if isinstance(frame, str) else frame
        if found not in self:
            raise self._unknown(str(getattr(found, "name", repr(found))))
        self._items = [item for item in self._items if item is not found]
        return found

    def __getitem__(self, name: str) -> SimpleFrame:
        for frame in self._items:
            if frame.name == name:
                return frame
        raise self._unknown(name)

    def _unknown(self, name: str) -> UnknownNameError:
        return UnknownNameError("frame", name, [frame.name for frame in self._items], self.world)

    def __contains__(self, frame: object) -> bool:
        return any(item is frame for item in self._items)

    def __iter__(self) -> Iterator[SimpleFrame]:
        return iter(tuple(self._items))

    def __len__(self) -> int:
        return len(self._items)

    # ---- as values

    def motions(self) -> tuple[tuple[SimpleFrame, FrameMotion], ...]:
        """The frames, and how each stands and moves in its parent: pose (4, 4) [m], velocity (6,)
        [rad/s, m/s], acceleration (6,) [rad/s^2, m/s^2]."""
        return tuple((frame, _motion(frame)) for frame in self._items)

    def places(self, skeletons: Sequence[Skeleton]) -> list[tuple[FrameMotion, FramePlace | Frame]]:
        """All frames, and where their parents are: in the world, or anything else itself."""
        return [(_motion(frame), self._place(frame.parent_frame, skeletons)) for frame in self._items]

    def _place(self, parent: Frame, skeletons: Sequence[Skeleton]) -> FramePlace | Frame:
        if parent.is_world:
            return ()
        for i, item in enumerate(self._items):
            if item is parent:
                return (i,)
        body = parent.body if isinstance(parent, FrameNode) else parent
        if not isinstance(body, BodyNode):
            return parent
        for i, skeleton in enumerate(skeletons):
            if body.skeleton is not skeleton:
                continue
            if body is parent:
                return i, body.index
            nodes = body.nodes(FrameNode)
            return i, body.index, next(k for k, node in enumerate(nodes) if node is parent)
        return parent

    def fill(
        self, frames: Sequence[tuple[FrameMotion, FramePlace | Frame]], skeletons: Sequence[Skeleton]
    ) -> None:
        """Have copies of frames, on copies of their parents."""
        for motion, _ in frames:
            self.add(SimpleFrame(motion[0]))
        for frame, (motion, place) in zip(self._items, frames, strict=True):
            if place != ():
                frame.set_parent_frame(self._at(place, skeletons))
            set_motion(frame, motion)

    def _at(self, place: FramePlace | Frame, skeletons: Sequence[Skeleton]) -> Frame:
        if isinstance(place, Frame):
            return place
        if len(place) == 1:
            return self._items[place[0]]
        body = skeletons[place[0]].bodies[place[1]]
        return body if len(place) == 2 else body.nodes(FrameNode)[place[2]]


def picklable(
    frames: list[tuple[FrameMotion, FramePlace | Frame]],
) -> list[tuple[FrameMotion, FramePlace | Frame]]:
    """The same; raises EditError for a frame whose parent is no part of the world."""
    for motion, place in frames:
        if isinstance(place, Frame):
            raise EditError(
                f"frame {motion[0]!r}: its parent {place.name!r} is no part of the world, and cannot be "
                "saved with it"
            )
    return frames


def set_motion(frame: SimpleFrame, motion: FrameMotion) -> None:
    """Put a frame where it was in its parent, with the velocity and acceleration it had there."""
    _, frame.relative_transform, frame.relative_spatial_velocity, frame.relative_spatial_acceleration = motion


def _motion(frame: SimpleFrame) -> FrameMotion:
    return (
        frame.name,
        frame.relative_transform.copy(),
        frame.relative_spatial_velocity.copy(),
        frame.relative_spatial_acceleration.copy(),
    )
