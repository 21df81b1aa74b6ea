"""Rules of a collision filter in a native world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from kido import _core
from kido.collision import CollisionFilter
from kido.errors import UnsupportedShapeError
from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.world._colliders import NativeCollider

__all__ = ["FilterRules", "require_tests"]

_UNTESTED = frozenset({frozenset({"plane"}), frozenset({"height_field"})})
"""Kinds of shapes that the native detector does not test with each other."""
_SURFACES = (
    "kido.collision.CoalDetector tests surfaces of triangles (world.detector, the extra coal), and "
    "kido.shape.decompose makes convex parts"
)


class FilterRules:
    """A filter as it was when a world was compiled."""

    __slots__ = ("_version", "rules")

    def __init__(self, rules: CollisionFilter) -> None:
        self.rules, self._version = rules, rules.version

    @property
    def holds(self) -> bool:
        """Whether nothing has changed since."""
        return self.rules.version == self._version

    def apply(self, native: _core.World, nodes: Sequence[ShapeNode]) -> None:
        """Give a native world, whose colliders these nodes are, masks and pairs that never meet."""
        for index, node in enumerate(nodes):
            mask = self.rules.mask(node)
            if mask != (1, 0xFFFFFFFF):
                native.set_mask(index, *mask)
        for first, second in self._excluded(nodes):
            native.exclude(first, second)

    def _excluded(self, nodes: Sequence[ShapeNode]) -> Iterator[tuple[int, int]]:
        if self.rules.has_own_rules:
            for (i, a), (j, b) in combinations(enumerate(nodes), 2):
                if not self.rules.allows(a, b):
                    yield i, j
            return
        for one, other in self.rules.ignored:
            first = [i for i, node in enumerate(nodes) if _is_of(node, one)]
            second = [j for j, node in enumerate(nodes) if _is_of(node, other)]
            yield from ((i, j) for i in first for j in second if i != j)


def require_tests(colliders: Iterable[tuple[NativeCollider, bool]], rules: FilterRules) -> None:
    """Raise UnsupportedShapeError for a pair of shapes that may meet, of which one moves (the second of each
    item says so), and that the native detector cannot test; it names both nodes."""
    special = [item for item in colliders if item[0].shape.kind in ("plane", "mesh", "height_field")]
    for (a, a_moves), (b, b_moves) in combinations(special, 2):
        if not (a_moves or b_moves) or frozenset({a.shape.kind, b.shape.kind}) not in _UNTESTED:
            continue
        first, second = a.node, b.node
        if rules.rules.allows(first, second):
            raise UnsupportedShapeError(
                f"{type(first.shape).__name__} and {type(second.shape).__name__}",
                f"{first.skeleton.name}.{first.name} and {second.skeleton.name}.{second.name}",
                "the native detector",
                "" if "plane" in (a.shape.kind, b.shape.kind) else _SURFACES,
            )


def _is_of(node: ShapeNode, part: object) -> bool:
    match part:
        case ShapeNode():
            return node is part
        case BodyNode():
            return node.body is part
        case Skeleton():
            return node.body.skeleton is part
    return False
