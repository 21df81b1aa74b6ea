"""Constraints without their world, for clones and pickles: parts of skeletons by their places."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from kido.constraint import Components, Constraint
from kido.errors import EditError, RemovedError
from kido.skeleton import BodyNode, DegreeOfFreedom, Joint, Node, Skeleton
from kido.typing import frozen_array
from kido.values import checked_flag, checked_positive, register

__all__ = ["HeldConstraint", "checked_held", "held_constraint", "rebuilt_constraint"]

_PARTS = (Skeleton, BodyNode, Joint, DegreeOfFreedom, Node)


@register
class PartPlace(NamedTuple):
    """A part of one of some skeletons: the skeleton's index, what it is, the index of its body, its
    number on that."""

    skeleton: int
    kind: str
    body: int = 0
    number: int = 0


@register
class HeldConstraint(NamedTuple):
    """A constraint: its class, its attributes and its parts, with places for parts of skeletons."""

    kind: type[Constraint]
    content: dict[str, Any]
    parts: tuple[PartPlace | None, ...]


def held_constraint(constraint: Constraint, skeletons: Sequence[Skeleton]) -> HeldConstraint:
    """A constraint without its skeletons; attributes are not copied.

    Raises EditError where it has a part of another skeleton.
    """

    def place(part: Any) -> Any:
        return _place(constraint, part, skeletons)

    parts = tuple(None if part is None else place(part) for part in constraint.parts)
    content = {name: _replaced(value, _PARTS, place) for name, value in constraint.content().items()}
    return HeldConstraint(type(constraint), content, parts)


def checked_held(held: HeldConstraint) -> HeldConstraint:
    """A constraint as a file holds it, which can be rebuilt: its components are numbers of the right shapes.

    Raises TypeError or ValueError.
    """
    if not (isinstance(held.kind, type) and issubclass(held.kind, Constraint)):
        raise TypeError(f"constraints: expected a class of constraints, got {held.kind!r}")
    if not isinstance(held.content, dict) or not isinstance(held.parts, tuple):
        raise TypeError(f"constraints: expected attributes and parts, got {held.content!r}, {held.parts!r}")
    content = {
        name: _checked_components(value) if isinstance(value, Components) else value
        for name, value in held.content.items()
    }
    return held._replace(content=content)


def _checked_components(components: Components) -> Components:
    frames = [frozen_array("frames", frame, (4, 4), "m") for frame in components[:2]]
    if len(components.held) != 6 or not all(isinstance(one, bool) for one in components.held):
        raise ValueError(f"held: expected six flags, got {components.held!r}")
    softness = frozen_array("softness", components.softness, (4,))
    if (softness < 0.0).any():
        raise ValueError(f"softness: expected no number below 0, got {softness.tolist()}")
    return components._replace(
        first_frame=frames[0],
        second_frame=frames[1],
        length=None if components.length is None else checked_positive("length", components.length, "m"),
        softness=components.softness,
        pulls=checked_flag("pulls", components.pulls),
        pushes=checked_flag("pushes", components.pushes),
    )


def rebuilt_constraint(held: HeldConstraint, skeletons: Sequence[Skeleton]) -> Constraint:
    """The constraint between skeletons that stand in the places of the first ones, with copies of its
    attributes."""

    def part(place: PartPlace) -> Any:
        return _part(place, skeletons)

    parts = tuple(None if place is None else part(place) for place in held.parts)
    content = {
        name: _replaced(copy.deepcopy(value), (PartPlace,), part) for name, value in held.content.items()
    }
    return held.kind.from_content(content, *parts)


def _replaced(value: Any, kinds: tuple[type, ...], replace: Callable[[Any], Any]) -> Any:
    """A value with what is of some kinds replaced, in lists, tuples, sets and dictionaries too."""
    if isinstance(value, kinds):
        return replace(value)
    if isinstance(value, dict) and type(value) is dict:
        return {_replaced(k, kinds, replace): _replaced(v, kinds, replace) for k, v in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_replaced(item, kinds, replace) for item in value)
    return value


def _place(constraint: Constraint, part: Any, skeletons: Sequence[Skeleton]) -> PartPlace:
    try:
        owner = part if isinstance(part, Skeleton) else part.skeleton
    except RemovedError:
        owner = None
    for index, skeleton in enumerate(skeletons):
        if skeleton is owner:
            return _place_in(part, index)
    raise EditError(f"constraint: {constraint!r} holds {part!r}, which belongs to no skeleton of this world")


def _place_in(part: Any, skeleton: int) -> PartPlace:
    if isinstance(part, Skeleton):
        return PartPlace(skeleton, "skeleton")
    if isinstance(part, BodyNode):
        return PartPlace(skeleton, "body", part.index)
    if isinstance(part, Joint):
        return PartPlace(skeleton, "joint", part.child_body.index)
    if isinstance(part, DegreeOfFreedom):
        return PartPlace(skeleton, "dof", part.child_body.index, part.index_in_joint)
    nodes = part.body.nodes()
    return PartPlace(skeleton, "node", part.body.index, next(i for i, n in enumerate(nodes) if n is part))


def _part(place: PartPlace, skeletons: Sequence[Skeleton]) -> Any:
    skeleton = skeletons[place.skeleton]
    if place.kind == "skeleton":
        return skeleton
    body = skeleton.bodies[place.body]
    if place.kind == "body":
        return body
    if place.kind == "node":
        return body.nodes()[place.number]
    return body.parent_joint if place.kind == "joint" else body.parent_joint.dof(place.number)
