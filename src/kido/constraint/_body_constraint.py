"""Base of constraints between two bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from kido.constraint._constraint import Constraint, Part
from kido.constraint._softness import RIGID, SoftnessNumbers
from kido.errors import EditError
from kido.skeleton import BodyNode
from kido.typing import FloatArray
from kido.values import register

__all__ = ["BodyConstraint", "Components", "frames_at"]


@register
class Components(NamedTuple):
    """A constraint as the solver takes it.

    Frames (4, 4) on the first body and the second (or the world) [m]; which components of the first frame's
    pose in the second stay zero: linear x, y, z, angular x, y, z; else, where `length` is given, the distance
    of both origins [m], and whether its force may pull and push; the numbers of a softness (zeros: rigid).
    """

    first_frame: FloatArray
    second_frame: FloatArray
    held: tuple[bool, bool, bool, bool, bool, bool]
    length: float | None = None
    softness: SoftnessNumbers = RIGID
    pulls: bool = True
    pushes: bool = True

    @property
    def is_joint(self) -> bool:
        """Whether it holds a frame in a frame, rigidly."""
        return self.length is None and self.softness == RIGID


class BodyConstraint(Constraint, ABC):
    """Holds two bodies of any skeletons together, or one to the world, once it is added to
    `World.constraints`."""

    __slots__ = ()

    def __init__(self, first: BodyNode, second: BodyNode | None) -> None:
        self._hold(first, second)

    def _hold(self, *parts: Part) -> None:
        first, second = parts
        for name, body in (("first", first), ("second", second)):
            if not isinstance(body, BodyNode) and not (name == "second" and body is None):
                raise TypeError(f"{name}: expected a BodyNode, got {type(body).__name__}")
        if isinstance(first, BodyNode) and first is second:
            raise EditError(f"first, second: expected two different bodies, got {first.name!r} twice")
        super()._hold(first, second)

    @property
    def first(self) -> BodyNode:
        """The body that is held."""
        first = self._parts[0]
        assert isinstance(first, BodyNode)
        return first

    @property
    def second(self) -> BodyNode | None:
        """The body that it is held to; None: the world."""
        second = self._parts[1]
        assert second is None or isinstance(second, BodyNode)
        return second

    @property
    @abstractmethod
    def components(self) -> Components:
        """The constraint as the solver takes it."""

    def __repr__(self) -> str:
        second = "the world" if self.second is None else repr(self.second.name)
        return f"<{type(self).__name__} {self.first.name!r} to {second}>"


def frames_at(first: BodyNode, second: BodyNode | None, T_world: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A frame that stands at a pose in the world (4, 4) now, on both bodies."""
    return _inverse(first.transform()) @ T_world, (
        T_world if second is None else _inverse(second.transform()) @ T_world
    )


def _inverse(T: FloatArray) -> FloatArray:
    out = np.eye(4)
    out[:3, :3] = T[:3, :3].T
    out[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return out
