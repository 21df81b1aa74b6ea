"""References from a scene to parts of its robots and objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from kido.description._named_values import checked_name
from kido.description._transform import frozen_transform
from kido.errors import DescriptionError, UnknownNameError
from kido.typing import TransformLike
from kido.values import Transform, Value, checked, text, value, whole

__all__ = [
    "Attachment",
    "DofReference",
    "JointReference",
    "LinkReference",
    "PlacedParts",
    "Reference",
    "SceneParts",
    "ShapeReference",
]


class PlacedParts(Protocol):
    """Links, shapes and joints of a robot or object that a reference can name."""

    @property
    def name(self) -> str:
        """Name in the scene."""
        ...

    @property
    def shape_counts(self) -> dict[str, int]:
        """Number of collision shapes of each link."""
        ...

    @property
    def dof_counts(self) -> dict[str, int]:
        """Number of dofs of each joint."""
        ...


class SceneParts:
    """The links and joints of all robots and objects of a scene, by name."""

    def __init__(self, placed: Iterable[PlacedParts]) -> None:
        self._shapes: dict[str, dict[str, int]] = {}
        self._dofs: dict[str, dict[str, int]] = {}
        for parts in placed:
            self._shapes[parts.name] = parts.shape_counts
            self._dofs[parts.name] = parts.dof_counts

    def num_shapes(self, owner: str, link: str) -> int:
        """Number of collision shapes of a link; raises UnknownNameError."""
        return self._find("link", self._shapes, owner, link)

    def num_dofs(self, owner: str, joint: str) -> int:
        """Number of dofs of a joint; raises UnknownNameError."""
        return self._find("joint", self._dofs, owner, joint)

    def _find(self, kind: str, counts: dict[str, dict[str, int]], owner: str, name: str) -> int:
        if owner not in counts:
            raise UnknownNameError("robot", owner, counts)
        if name not in counts[owner]:
            raise UnknownNameError(kind, name, counts[owner], owner)
        return counts[owner][name]


class Reference(Protocol):
    """Interface of references to parts of a scene."""

    def check(self, parts: SceneParts) -> None:
        """Raises UnknownNameError or DescriptionError where it refers to nothing."""
        ...


@value
class LinkReference(Value):
    """Link `link` of the robot or object `owner`."""

    owner: str = text()
    link: str = text()

    def check(self, parts: SceneParts) -> None:
        """Raises UnknownNameError where there is no such link."""
        parts.num_shapes(self.owner, self.link)


@value
class JointReference(Value):
    """Joint `joint` of the robot or object `owner`."""

    owner: str = text()
    joint: str = text()

    def check(self, parts: SceneParts) -> None:
        """Raises UnknownNameError where there is no such joint."""
        parts.num_dofs(self.owner, self.joint)


@value
class DofReference(Value):
    """Dof number `index` of joint `joint` of the robot or object `owner`."""

    owner: str = text()
    joint: str = text()
    index: int = whole(default=0)

    def check(self, parts: SceneParts) -> None:
        """Raises UnknownNameError or DescriptionError where there is no such dof."""
        _check_index(self.index, parts.num_dofs(self.owner, self.joint), "dofs", "joint", self.joint)


@value
class ShapeReference(Value):
    """Collision shape number `index` of link `link` of the robot or object `owner`."""

    owner: str = text()
    link: str = text()
    index: int = whole(default=0)

    def check(self, parts: SceneParts) -> None:
        """Raises UnknownNameError or DescriptionError where there is no such shape."""
        count = parts.num_shapes(self.owner, self.link)
        _check_index(self.index, count, "collision shapes", "link", self.link)


@value
class Attachment(Value):
    """A frame on link `link` of the robot or object `owner`; without owner and link, a frame on the world.

    `T_link_frame` (4, 4) is the pose of the frame in the link, or in the world [m].
    """

    owner: str | None = text(default=None)
    link: str | None = text(default=None)
    T_link_frame: Transform = checked(frozen_transform, default=None)

    def _check(self) -> None:
        owner, link = self.owner, self.link
        if (owner is None) != (link is None):
            raise DescriptionError(f"expected an owner and a link, or neither, got {owner!r} and {link!r}")

    @classmethod
    def on(cls, reference: LinkReference, T_link_frame: TransformLike | None = None) -> Attachment:
        """A frame on a link; pose (4, 4) [m], None: the link's own."""
        return cls(reference.owner, reference.link, T_link_frame)

    @property
    def body(self) -> LinkReference | None:
        """The link; None: the world."""
        if self.owner is None or self.link is None:
            return None
        return LinkReference(self.owner, self.link)

    def check(self, parts: SceneParts) -> None:
        """Raises UnknownNameError where there is no such link."""
        if self.body is not None:
            self.body.check(parts)


def _check_index(index: int, count: int, things: str, kind: str, name: str) -> None:
    if not 0 <= index < count:
        raise DescriptionError(f"has {count} {things}, none number {index}", kind, checked_name(kind, name))
