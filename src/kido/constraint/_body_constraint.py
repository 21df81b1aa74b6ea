"""What holds two bodies together in a simulation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from kido.errors import EditError
from kido.skeleton import BodyNode
from kido.typing import FloatArray

__all__ = ["BodyConstraint", "Components", "frames_at"]

if TYPE_CHECKING:
    from typing_extensions import Self


class Components(NamedTuple):
    """A constraint as the solver takes it.

    Frames (4, 4) on the first body and the second (or the world) [m]; which components of the first frame's
    pose in the second stay zero: linear x, y, z, angular x, y, z; else, where `length` is given, the distance
    of both origins [m], with a stiffness [N/m] and damping [N s/m] (both zero: rigid), and whether the force
    may pull and push.
    """

    first_frame: FloatArray
    second_frame: FloatArray
    held: tuple[bool, bool, bool, bool, bool, bool]
    length: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    pulls: bool = True
    pushes: bool = True


class BodyConstraint(ABC):
    """Holds two bodies of any skeletons together, or one to the world, once it is added to
    `World.constraints`."""

    __slots__ = ("_bodies",)

    def __init__(self, first: BodyNode, second: BodyNode | None) -> None:
        for name, body in (("first", first), ("second", second)):
            if not isinstance(body, BodyNode) and not (name == "second" and body is None):
                raise TypeError(f"{name}: expected a BodyNode, got {type(body).__name__}")
        if first is second:
            raise EditError(f"first, second: expected two different bodies, got {first.name!r} twice")
        self._bodies = first, second

    @property
    def first(self) -> BodyNode:
        """The body that is held."""
        return self._bodies[0]

    @property
    def second(self) -> BodyNode | None:
        """The body that it is held to; None: the world."""
        return self._bodies[1]

    @property
    @abstractmethod
    def components(self) -> Components:
        """The constraint as the solver takes it."""

    def copy_to(self, first: BodyNode, second: BodyNode | None) -> Self:
        """The same constraint between other bodies, such as clones. Raises EditError for one twice."""
        return self.from_content(self.content(), first, second)

    def content(self) -> dict[str, Any]:
        """All attributes but the bodies."""
        slots = (name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()))
        names = {*slots, *getattr(self, "__dict__", ())} - {"_bodies", "__dict__", "__weakref__"}
        return {name: getattr(self, name) for name in sorted(names) if hasattr(self, name)}

    @classmethod
    def from_content(cls, content: dict[str, Any], first: BodyNode, second: BodyNode | None) -> Self:
        """A constraint of this class between two bodies. Raises EditError for one twice."""
        made = cls.__new__(cls)
        BodyConstraint.__init__(made, first, second)
        for name, attribute in content.items():
            setattr(made, name, attribute)
        return made

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {self!r} alone: pickle its world, and it goes along")

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
