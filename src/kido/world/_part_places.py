"""Places of skeletons, bodies and shapes in a world, so that a copy of it finds its own."""

from __future__ import annotations

from collections.abc import Sequence

from kido.collision import Part
from kido.errors import RemovedError
from kido.skeleton import BodyNode, ShapeNode, Skeleton

__all__ = ["PartPlace", "part_at", "place_of"]

PartPlace = tuple[int, int | None, int | None]
"""Index of a skeleton in its world, of a body in that, of a shape on that; None: all."""


def place_of(skeletons: Sequence[Skeleton], part: Part) -> PartPlace | None:
    """Place of a part of a filter; None where it is of none of the skeletons."""
    try:
        body = part.body if isinstance(part, ShapeNode) else part if isinstance(part, BodyNode) else None
        owner = part if isinstance(part, Skeleton) else None if body is None else body.skeleton
    except RemovedError:
        return None
    index = next((i for i, skeleton in enumerate(skeletons) if skeleton is owner), None)
    if index is None:
        return None
    if not isinstance(part, ShapeNode):
        return index, None if body is None else body.index, None
    assert body is not None
    return index, body.index, next(k for k, node in enumerate(body.shape_nodes) if node is part)


def part_at(skeletons: Sequence[Skeleton], place: PartPlace | None) -> Part | None:
    """The part of a place; None where there is no place."""
    if place is None:
        return None
    skeleton, body, shape = place
    owner = skeletons[skeleton]
    if body is None:
        return owner
    return owner.bodies[body] if shape is None else owner.bodies[body].shape_nodes[shape]
