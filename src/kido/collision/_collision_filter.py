"""Filter of pairs of shapes that meet."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from kido.errors import EditError
from kido.skeleton import EDITS, BodyNode, ShapeNode, Skeleton
from kido.values import checked_flag, checked_part, checked_whole

__all__ = ["CollisionFilter", "Part", "parts_of"]

Part = Skeleton | BodyNode | ShapeNode
"""What a filter speaks of: all shapes of a skeleton or a body, or one."""

_KINDS: Any = (Skeleton, BodyNode, ShapeNode)
_ALL = 0xFFFFFFFF


class CollisionFilter:
    """Filter of pairs of shapes: pairs that ignore each other, bits of categories, bodies of one skeleton.

    Without further ado these never meet: shapes of one body, shapes with `collision` false or on bodies with
    `collidable` false; those of one skeleton where its `self_collision_check` is false; of parent and child
    where its `adjacent_body_check` is false. A class derived from this may give `allows` rules of its own: it
    is asked for all pairs when a world is compiled, and for those near each other by queries.
    """

    __slots__ = ("__weakref__", "_adjacent_bodies", "_ignored", "_masks", "_self_collisions", "_version")

    def __init__(self, *, self_collisions: bool | None = None, adjacent_bodies: bool | None = None) -> None:
        """Make a filter.

        Args:
            self_collisions: whether bodies of one skeleton meet; None: as each skeleton says.
            adjacent_bodies: whether parents and children meet, too; None: as each skeleton says.

        Raises TypeError for other things than True, False and None.
        """
        self._self_collisions = _flag_or_none("self_collisions", self_collisions)
        self._adjacent_bodies = _flag_or_none("adjacent_bodies", adjacent_bodies)
        self._ignored: dict[frozenset[int], tuple[Part, Part]] = {}
        self._masks: dict[int, tuple[Part, int, int]] = {}
        self._version = 0

    # ---- rules

    @property
    def self_collisions(self) -> bool | None:
        """Whether bodies of one skeleton meet; None: as each skeleton says. Can be set."""
        return self._self_collisions

    @self_collisions.setter
    def self_collisions(self, meet: bool | None) -> None:
        self._self_collisions = _flag_or_none("self_collisions", meet)
        self._changed()

    @property
    def adjacent_bodies(self) -> bool | None:
        """Whether parents and children of one skeleton meet, too; None: as each skeleton says. Can be set."""
        return self._adjacent_bodies

    @adjacent_bodies.setter
    def adjacent_bodies(self, meet: bool | None) -> None:
        self._adjacent_bodies = _flag_or_none("adjacent_bodies", meet)
        self._changed()

    @property
    def ignored(self) -> tuple[tuple[Part, Part], ...]:
        """The pairs that ignore each other, in the order in which they came."""
        return tuple(self._ignored.values())

    def ignore(self, first: Part, second: Part) -> None:
        """Have two skeletons, bodies or shapes ignore each other.

        Raises:
            TypeError: something else.
            EditError: a body or shape with itself.
        """
        a: Part = checked_part("first", _KINDS, first)
        b: Part = checked_part("second", _KINDS, second)
        if a is b and not isinstance(a, Skeleton):
            raise EditError(f"first, second: expected two different parts, got {a.name!r} twice")
        if not self._has(a, b):
            self._ignored[_key(a, b)] = (a, b)
            self._changed()

    def unignore(self, first: Part, second: Part) -> None:
        """Take back `ignore`. Raises EditError where the two do not ignore each other."""
        if not self._has(first, second):
            raise EditError(f"first, second: {first!r} and {second!r} are no pair that was ignored")
        del self._ignored[_key(first, second)]
        self._changed()

    def set_mask(self, part: Part, *, category: int = 1, collides_with: int = _ALL) -> None:
        """Give all shapes of a part bits. Two shapes meet where the category of each has bits in common with
        what the other collides with; a mask of a shape counts before that of its body or skeleton.

        Args:
            part: a skeleton, body or shape.
            category: what it is, 32 bits.
            collides_with: what it meets, 32 bits.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        kept: Part = checked_part("part", _KINDS, part)
        bits = _bits("category", category), _bits("collides_with", collides_with)
        self._masks.pop(id(kept), None)
        self._masks[id(kept)] = (kept, *bits)
        self._changed()

    def mask(self, node: ShapeNode) -> tuple[int, int]:
        """Category and what it collides with of a shape; 1 and all bits where nothing was set."""
        for part in parts_of(node) if self._masks else ():
            if id(part) in self._masks:
                return self._masks[id(part)][1:]
        return 1, _ALL

    @property
    def masks(self) -> tuple[tuple[Part, int, int], ...]:
        """The parts that were given bits, each with its category and what it collides with."""
        return tuple(self._masks.values())

    # ---- questions

    def allows(self, first: ShapeNode, second: ShapeNode) -> bool:
        """Whether two shapes meet."""
        a, b = first.body, second.body
        if a is b or not all((first.collision, second.collision, a.collidable, b.collidable)):
            return False
        if a.skeleton is b.skeleton:
            if not self.checks_self(a.skeleton):
                return False
            if (a.parent_body is b or b.parent_body is a) and not self.checks_adjacent(a.skeleton):
                return False
        (category, meets), (other_category, other_meets) = self.mask(first), self.mask(second)
        if not category & other_meets or not other_category & meets:
            return False
        return not any(self._has(p, q) for p in parts_of(first) for q in parts_of(second))

    def checks_self(self, skeleton: Skeleton) -> bool:
        """Whether bodies of a skeleton meet."""
        return skeleton.self_collision_check if self._self_collisions is None else self._self_collisions

    def checks_adjacent(self, skeleton: Skeleton) -> bool:
        """Whether parents and children of a skeleton meet, where its bodies do."""
        return skeleton.adjacent_body_check if self._adjacent_bodies is None else self._adjacent_bodies

    @property
    def has_own_rules(self) -> bool:
        """Whether a derived class decides with code of its own."""
        return type(self).allows is not CollisionFilter.allows

    @property
    def version(self) -> int:
        """Count of the changes, by which worlds know that they are to be compiled anew."""
        return self._version

    def changed(self) -> None:
        """Tell worlds that `allows` of a derived class has other answers now."""
        self._changed()

    # ---- for copies of worlds

    def mapped(self, of: Callable[[Any], Any]) -> CollisionFilter:
        """The same rules about what parts are mapped to; without those about parts that become None."""
        like = copy.copy(self)
        pairs = [(of(a), of(b)) for a, b in self._ignored.values()]
        masks = [(of(part), category, meets) for part, category, meets in self._masks.values()]
        like._ignored = {_key(a, b): (a, b) for a, b in pairs if a is not None and b is not None}
        like._masks = {id(mask[0]): mask for mask in masks if mask[0] is not None}
        return like

    def _has(self, first: Part, second: Part) -> bool:
        return bool(self._ignored) and _key(first, second) in self._ignored

    def _changed(self) -> None:
        self._version += 1
        EDITS.count += 1

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self._ignored)} pairs, {len(self._masks)} masks>"


def parts_of(node: ShapeNode) -> tuple[Part, Part, Part]:
    """A shape, its body, its skeleton."""
    return node, node.body, node.body.skeleton


def _key(first: Part, second: Part) -> frozenset[int]:
    """Of two parts, whichever comes first; who keeps it keeps the parts."""
    return frozenset((id(first), id(second)))


def _flag_or_none(name: str, value: bool | None) -> bool | None:
    return None if value is None else checked_flag(name, value)


def _bits(name: str, value: int) -> int:
    bits = checked_whole(name, value)
    if not 0 <= bits <= _ALL:
        raise ValueError(f"{name}: expected 32 bits, 0 to {_ALL:#x}, got {bits:#x}")
    return bits
