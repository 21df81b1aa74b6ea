"""Shapes that are asked together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from kido._core import brief
from kido.collision._collision_filter import CollisionFilter, Part
from kido.errors import EditError
from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.typing import ArrayLike, FloatArray
from kido.values import checked_part

__all__ = ["Parts", "Positions", "ShapeGroup", "group_of", "pairs_between", "poses_of"]

_KINDS: Any = (Skeleton, BodyNode, ShapeNode)


class ShapeGroup:
    """Skeletons, bodies and shapes that are asked together; what these get later belongs to it, too."""

    __slots__ = ("_parts",)

    def __init__(self, *parts: Part) -> None:
        """Make a group of skeletons, bodies and shapes. Raises TypeError for other things."""
        self._parts: list[Part] = []
        for part in parts:
            self.add(part)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts that it was made of, in the order in which they came."""
        return tuple(self._parts)

    @property
    def nodes(self) -> list[ShapeNode]:
        """All shapes that can touch others now, each once."""
        found: dict[int, ShapeNode] = {}
        for part in self._parts:
            for node in _nodes_of(part):
                if node.collision and node.body.collidable:
                    found.setdefault(id(node), node)
        return list(found.values())

    def add(self, part: Part) -> None:
        """Add a skeleton, body or shape.

        Raises:
            TypeError: something else.
            EditError: it is there.
        """
        kept: Part = checked_part("part", _KINDS, part)
        if any(kept is other for other in self._parts):
            raise EditError(f"part: {kept!r} was added before")
        self._parts.append(kept)

    def remove(self, part: Part) -> None:
        """Take a part away. Raises EditError where it is not there."""
        left = [other for other in self._parts if other is not part]
        if len(left) == len(self._parts):
            raise EditError(f"part: {part!r} is none of this group's")
        self._parts = left

    def __iter__(self) -> Iterator[ShapeNode]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"<ShapeGroup: {len(self._parts)} parts, {len(self)} shapes>"


Parts = Part | ShapeGroup | Iterable[Part]
"""What questions are about."""
Positions = Mapping[Skeleton, ArrayLike]
"""Positions (..., num_dofs) of skeletons, in place of their own."""


def group_of(name: str, parts: Parts) -> ShapeGroup:
    """The group of some parts. Raises TypeError naming the argument."""
    if isinstance(parts, ShapeGroup):
        return parts
    if isinstance(parts, _KINDS):
        return ShapeGroup(parts)
    if isinstance(parts, Iterable) and not isinstance(parts, str | bytes | Mapping):
        return ShapeGroup(*(checked_part(name, _KINDS, part) for part in parts))
    raise TypeError(f"{name}: expected a skeleton, body, shape node, or several, got {brief(parts)}")


def pairs_between(
    first: ShapeGroup, second: ShapeGroup | None, rules: CollisionFilter | None
) -> list[tuple[ShapeNode, ShapeNode]]:
    """The pairs that are asked: those of two groups, each once, or within one; shapes of one body never.

    Without rules, all pairs of two groups are asked, and those within one by the rules of a new filter.
    """
    nodes = first.nodes
    if second is None:
        kept = CollisionFilter() if rules is None else rules
        within = ((a, b) for k, a in enumerate(nodes) for b in nodes[k + 1 :])
        return [(a, b) for a, b in within if kept.allows(a, b)]
    seen: set[frozenset[int]] = set()
    found = []
    for a in nodes:
        for b in second.nodes:
            key = frozenset((id(a), id(b)))
            if a.body is not b.body and key not in seen and (rules is None or rules.allows(a, b)):
                seen.add(key)
                found.append((a, b))
    return found


def poses_of(node: ShapeNode, positions: Positions | None) -> FloatArray:
    """Poses (..., 4, 4) of a shape in the world at given positions of its skeleton, or at its own."""
    body = node.body
    given = None if positions is None else positions.get(body.skeleton)
    if given is None:
        return node.transform()
    return np.asarray(body.skeleton.tree.transform(given, body.index)) @ node.relative_transform


def _nodes_of(part: Part) -> Iterable[ShapeNode]:
    match part:
        case Skeleton():
            return part.nodes(ShapeNode)
        case BodyNode():
            return part.shape_nodes
    return (part,)
