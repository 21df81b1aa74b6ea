"""Frames as constraints keep them: where they are on a body, by names."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.ik._carrier import carrier_of
from kido.math import as_transform_matrix
from kido.typing import FloatArray, TransformLike, frozen_array
from kido.values import Checked, Value, checked, value

__all__ = ["FrameLike", "FramePlace", "checked_direction", "checked_place", "checked_point"]


_IDENTITY = frozen_array("", np.eye(4), (4, 4))


def _checked_pose(name: str, pose: TransformLike | None) -> FloatArray:
    if pose is None:
        return _IDENTITY
    T = np.asarray(as_transform_matrix(pose, name))
    if T.shape != (4, 4):
        raise ValueError(f"{name}: expected shape (4, 4) [m], got {T.shape}")
    return frozen_array(name, T, (4, 4), "m")


def _checked_name(name: str, given: str | None) -> str | None:
    if given is not None and not isinstance(given, str):
        raise TypeError(f"{name}: expected a name or None, got {type(given).__name__}")
    return given


@value
class FramePlace(Value):
    """A frame fixed on a body of a skeleton, or in the world.

    Attributes:
        skeleton: name of the skeleton; None is the world.
        body: name of the body; None is the world.
        pose: (4, 4) of the frame on it [m].

    Raises TypeError or ValueError naming the argument.
    """

    skeleton: str | None = checked(_checked_name, default=None)
    body: str | None = checked(_checked_name, default=None)
    pose: Checked[TransformLike | None, FloatArray] = checked(_checked_pose, default=None)

    def _check(self) -> None:
        if (self.skeleton is None) != (self.body is None):
            raise ValueError(
                f"body: expected skeleton and body, or neither, got {self.skeleton}, {self.body}"
            )

    @classmethod
    def of(cls, frame: Frame) -> FramePlace:
        """A frame as it stands on the body that carries it now, or in the world."""
        carrier = carrier_of(frame)
        if carrier is None:
            return cls(pose=np.array(frame.transform()))
        if carrier is frame:
            return cls._unchecked(carrier.skeleton.name, carrier.name, _IDENTITY)
        return cls(carrier.skeleton.name, carrier.name, np.array(frame.transform(relative_to=carrier)))

    @property
    def is_world(self) -> bool:
        """Whether this is the world itself."""
        return self.body is None and self.pose is _IDENTITY

    def moved(self, offset: FloatArray) -> FramePlace:
        """The same axes at a point (3,) of this frame [m]."""
        if not offset.any():
            return self
        T = self.pose.copy()
        T[:3, 3] += T[:3, :3] @ offset
        return FramePlace(self.skeleton, self.body, T)

    def __str__(self) -> str:
        return "the world" if self.body is None else f"{self.skeleton}.{self.body}"


_WORLD = FramePlace()

FrameLike = Frame | FramePlace | None
"""A frame, a frame's place, or None, which is the world."""


def checked_place(name: str, frame: FrameLike) -> FramePlace:
    """The place of a frame; None is the world. Raises TypeError for what is no frame."""
    if frame is None:
        return _WORLD
    if isinstance(frame, FramePlace):
        return frame
    if not isinstance(frame, Frame):
        raise TypeError(f"{name}: expected a frame, got {type(frame).__name__}")
    return FramePlace.of(frame)


def checked_point(name: str, given: object) -> FloatArray:
    """A point (3,) [m]. Raises TypeError or ValueError."""
    return frozen_array(name, given, (3,), "m")  # type: ignore[arg-type]


def checked_direction(name: str, given: object) -> FloatArray:
    """A unit vector (3,) along the given one. Raises TypeError, or ValueError for a zero vector."""
    vector = frozen_array(name, given, (3,))  # type: ignore[arg-type]
    length = float(np.linalg.norm(vector))
    if not length > 0.0:
        raise ValueError(f"{name}: expected a vector other than zero")
    return vector if abs(length - 1.0) < 4e-16 else frozen_array(name, vector / length, (3,))
