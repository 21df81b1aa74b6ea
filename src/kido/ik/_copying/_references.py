"""References to parts of a skeleton by their names, in place of the parts, for copies on another skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kido.errors import EditError, RemovedError
from kido.frame import Frame
from kido.ik._copying._frame_values import FrameValue, frame_of_value, frame_value
from kido.skeleton import Addon, BodyNode, DegreeOfFreedom, Joint, Node, Skeleton
from kido.values import register

__all__ = [
    "Reference",
    "attributes_of",
    "belongs_to",
    "dereferenced",
    "is_living",
    "part_of",
    "reference_to",
    "referenced",
]

_PARTS = (Skeleton, BodyNode, Joint, Node, DegreeOfFreedom, Addon, Frame)


@register
class Reference(NamedTuple):
    """A part of a skeleton, by its place.

    Attributes:
        role: "skeleton", "body", "joint", "dof", "node", "addon"; "owner", the module or hierarchy that has
            the reference, "target", its target, or "module", one of it that is not attached to its node.
        name: of the body, joint, dof or node; of a module its number among these.
        kind: class of the node or addon.
        place: of what an addon is attached to.
    """

    role: str
    name: str = ""
    kind: type[Any] | None = None
    place: Reference | None = None


_OWNER, _TARGET = Reference("owner"), Reference("target")


def belongs_to(part: object, skeleton: Skeleton) -> bool:
    """Whether an object is a skeleton, or a body, joint, node, dof, addon or frame that goes with it."""
    if isinstance(part, Skeleton):
        return part is skeleton
    if isinstance(part, Addon):
        return belongs_to(part.owner, skeleton)
    try:
        if isinstance(part, BodyNode | Joint | Node | DegreeOfFreedom):
            return part.skeleton is skeleton
        if isinstance(part, Frame) and not part.is_world:
            return belongs_to(part.parent_frame, skeleton)
    except RemovedError:
        return False
    return False


def is_living(part: object) -> bool:
    """Whether an object is a part of some skeleton, or a frame."""
    return isinstance(part, _PARTS)


def reference_to(part: object, skeleton: Skeleton) -> Reference | FrameValue:
    """A part of a skeleton by its place; a frame that moves with a body, by that.

    Raises EditError for an addon that is not attached any more.
    """
    if isinstance(part, Skeleton):
        return Reference("skeleton")
    if isinstance(part, Addon):
        if part.owner.addon(type(part)) is not part:
            raise EditError(f"{part!r} is not attached any more: {part.owner!r} has another one, or none")
        place = reference_to(part.owner, skeleton)
        assert isinstance(place, Reference)
        return Reference("addon", kind=type(part), place=place)
    if isinstance(part, BodyNode):
        return Reference("body", part.name)
    if isinstance(part, Joint):
        return Reference("joint", part.name)
    if isinstance(part, Node):
        return Reference("node", part.name, type(part))
    if isinstance(part, DegreeOfFreedom):
        return Reference("dof", part.name)
    assert isinstance(part, Frame)
    return frame_value("a frame", part, skeleton)


def part_of(reference: Reference, skeleton: Skeleton, owner: Any, loose: Sequence[Any] = ()) -> Any:
    """The part of a skeleton that has the place, or the loose module. Raises UnknownNameError, or EditError
    where an addon is missing."""
    role, name, kind = reference.role, reference.name, reference.kind
    if role == "owner":
        return owner
    if role == "module":
        return loose[int(name)]
    if role == "target":
        return owner.target
    if role == "skeleton":
        return skeleton
    if role == "addon":
        assert reference.place is not None and kind is not None
        place = part_of(reference.place, skeleton, owner)
        addon = place.addon(kind)
        if addon is None:
            raise EditError(f"{place!r} has no {kind.__name__}")
        return addon
    if role == "node":
        assert kind is not None
        return skeleton.node(kind, name)
    return {"body": skeleton.body, "joint": skeleton.joint, "dof": skeleton.dof}[role](name)


def referenced(value: Any, skeleton: Skeleton, owner: object, loose: Sequence[object] = ()) -> Any:
    """A value with references in place of the parts of a skeleton and of loose modules, also in tuples,
    lists, sets and dictionaries. Raises as `reference_to` does, and TypeError for a frame that moves with
    another frame."""
    if value is owner:
        return _OWNER
    for number, module in enumerate(loose):
        if value is module:
            return Reference("module", str(number))
    if isinstance(value, Frame) and value is getattr(owner, "target", None):
        return _TARGET
    if is_living(value) and belongs_to(value, skeleton):
        return reference_to(value, skeleton)
    return _mapped(value, lambda item: referenced(item, skeleton, owner, loose))


def dereferenced(value: Any, skeleton: Skeleton, owner: Any, loose: Sequence[Any] = ()) -> Any:
    """A value with parts of a skeleton and loose modules in place of references to them. Raises as `part_of`
    does."""
    if isinstance(value, Reference):
        return part_of(value, skeleton, owner, loose)
    if isinstance(value, FrameValue):
        return frame_of_value(value, skeleton)
    return _mapped(value, lambda item: dereferenced(item, skeleton, owner, loose))


def _mapped(value: Any, change: Any) -> Any:
    if type(value) in (tuple, list, set, frozenset):
        return type(value)(change(item) for item in value)
    if type(value) is dict:
        return {key: change(item) for key, item in value.items()}
    return value


def attributes_of(part: object) -> dict[str, Any]:
    """All attributes that an object has in its `__dict__` and slots."""
    found = dict(getattr(part, "__dict__", {}))
    for kind in type(part).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(part, name):
                found.setdefault(name, getattr(part, name))
    return found
