"""Places on bodies that constraints name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido.frame import Frame
from kido.ik._carrier import carrier_of
from kido.skeleton import Skeleton
from kido.tree import Tree
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["BodyFrame"]


@dataclass(frozen=True, slots=True, eq=False)
class BodyFrame:
    """A frame fixed on a body of a skeleton, or in the world.

    Attributes:
        body: name of the body; None is the world.
        pose: (4, 4) of the frame on it [m].
    """

    body: str | None
    pose: FloatArray

    @classmethod
    def of(cls, name: str, frame: Frame | None, skeleton: Skeleton) -> BodyFrame:
        """A frame as it stands on its body now; None is the world.

        Raises TypeError for what is no frame, ValueError for one that moves with another skeleton.
        """
        if frame is None:
            return cls(None, read_only(np.eye(4)))
        if not isinstance(frame, Frame):
            raise TypeError(f"{name}: expected a frame of the skeleton, got {type(frame).__name__}")
        carrier = carrier_of(frame)
        if carrier is not None:
            if carrier.skeleton is not skeleton:
                raise ValueError(
                    f"{name}: expected a frame of the skeleton {skeleton.name!r}, got {frame.name!r} of "
                    f"{carrier.skeleton.name!r}"
                )
            return cls(carrier.name, read_only(np.array(frame.transform(relative_to=carrier))))
        return cls(None, read_only(np.array(frame.transform())))

    def moved(self, point: FloatArray) -> BodyFrame:
        """The same axes at a point (3,) of this frame [m]."""
        pose = self.pose.copy()
        pose[:3, 3] += pose[:3, :3] @ point
        return BodyFrame(self.body, read_only(pose))

    def index(self, tree: Tree) -> int:
        """Index of the body; -1 is the world. Raises UnknownNameError where there is none of that name."""
        return -1 if self.body is None else tree.body_index(self.body)

    def transform(self, tree: Tree, bodies: FloatArray) -> FloatArray:
        """Pose (4, 4) in the world, of poses of all bodies (num_bodies, 4, 4) [m]."""
        if self.body is None:
            return self.pose
        pose: FloatArray = bodies[tree.body_index(self.body)] @ self.pose
        return pose

    @property
    def text(self) -> str:
        """The name of the body, for messages."""
        return "the world" if self.body is None else repr(self.body)


def frozen_point(name: str, point: ArrayLike) -> FloatArray:
    """A point (3,) [m]; raises TypeError or ValueError."""
    return frozen_array(name, point, (3,), "m")
