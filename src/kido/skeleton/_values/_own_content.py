"""Content of users' addons, nodes and joints besides `Properties` and `State`, carried by pickles.

A pickle takes what a class that defines `copied_from` keeps, and hands it to `copied_from` of the new part,
as a clone does: on a stand-in for the original, which belongs to no skeleton.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._nodes._addon import Extension
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._values._parts import SkeletonParts
from kido.skeleton._values._state_access import extensions_of

__all__ = ["OwnContent", "own_attributes", "read_own_content", "write_own_content"]

OwnContent: TypeAlias = dict[tuple[str, type[Extension]], dict[str, Any]]
"""Attributes of users' parts, by the place and class of each."""

_KIDOS_OWN = {"_addons", "_body", "_home", "_node_name", "_properties", "_state", "owner"}


def read_own_content(skeleton: SkeletonParts) -> OwnContent:
    """The content of all parts whose class defines `copied_from`."""
    return {
        (place, type(part)): _content(part)
        for place, part in _parts(skeleton)
        if type(part).copied_from is not Extension.copied_from
    }


def write_own_content(skeleton: SkeletonParts, content: OwnContent) -> None:
    """Call `copied_from` of the parts that content was read of."""
    found = {(place, type(part)): part for place, part in _parts(skeleton)}
    for key, attributes in content.items():
        if not found[key]._take_pickled(attributes):
            found[key].copied_from(_stand_in(found[key], attributes))


def _parts(skeleton: SkeletonParts) -> Iterator[tuple[str, Extension]]:
    yield from extensions_of(skeleton)
    for body in skeleton.bodies:
        if isinstance(body._joint, Extension):
            yield f"joint {body._joint.name}", body._joint


def _content(part: Extension) -> dict[str, Any]:
    pickled = part._to_pickle()
    return own_attributes(part) if pickled is None else pickled


def own_attributes(part: object) -> dict[str, Any]:
    """Attributes that a user's class gave, in its `__dict__` or slots."""
    names = dict.fromkeys(getattr(part, "__dict__", ()))
    for kind in type(part).__mro__:
        if kind.__module__.split(".")[0] != "kido":
            names.update(dict.fromkeys(vars(kind).get("__slots__", ())))
    missing = object()
    values = {name: getattr(part, name, missing) for name in names if name not in _KIDOS_OWN}
    return {name: value for name, value in values.items() if value is not missing}


def _stand_in(part: Extension, attributes: dict[str, Any]) -> Extension:
    """A part of the same class, properties and state, with the attributes that the original had."""
    original = type(part).__new__(type(part))
    if isinstance(original, NodeKind) and isinstance(part, NodeKind):
        original._start_blank(part.properties)
        original._node_name = part._node_name
    elif isinstance(original, JointKind) and isinstance(part, JointKind):
        original._start_blank(part.name)
    original._start(part.properties, part.state)
    for name, value in attributes.items():
        setattr(original, name, value)
    return original
