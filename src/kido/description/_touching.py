"""Pairs of shapes of a scene that touch each other, told alike however a format says it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from kido.description._link import LinkDescription, ShapePlacement
from kido.description._reference import LinkReference
from kido.description._scene import SceneDescription

__all__ = ["Touching"]

Kind: TypeAlias = tuple[str, int, int]
"""Robot whose links do not touch each other, else empty; category; categories that are touched."""

Key: TypeAlias = tuple[bool, bool, int]
"""Whether a class touches what is beside, whether itself, and the set of bits of what it touches."""

_BESIDE: Kind = ("", 1, 0xFFFFFFFF)
"""A shape beside the scene, as shapes are by default."""


class Touching:
    """Classes of the collision shapes of a scene: shapes of one class touch the same shapes.

    Classes have numbers in the order of the names of owners, of those that are among `names` by these, and of
    links. That the links of a robot do not touch each
    other is told likewise, whether a flag or categories say so; and whether a link would touch another one
    like it does not matter where it is the only one.
    """

    def __init__(self, scene: SceneDescription, names: Mapping[str, str]) -> None:
        self._alone = {
            placed.name
            for placed in scene.robots
            if not placed.self_collision and sum(bool(link.collisions) for link in placed.robot.links) > 1
        }
        self._kinds_of: dict[tuple[str, str], dict[Kind, None]] = {}
        shapes = sorted(_shapes(scene), key=lambda one: (names.get(one[0], one[0]), one[1]))
        for owner, link, shape in shapes:
            self._kinds_of.setdefault((owner, link), {})[self._kind(owner, shape)] = None
        counts = Counter(chain.from_iterable(self._kinds_of.values()))
        kinds = list(counts)
        rows = _rows(kinds)
        self._class = _classes(kinds, rows, [counts[kind] == 1 for kind in kinds])
        touched: dict[int, set[int]] = defaultdict(set)
        beside: dict[int, bool] = {}
        for index, (kind, row) in enumerate(zip(kinds, rows, strict=True)):
            others = row & ~(1 << index) if counts[kind] == 1 else row
            touched[self._class[kind]] |= {self._class[kinds[k]] for k in _bits(others)}
            beside[self._class[kind]] = _touch(kind, _BESIDE)
        self._texts = {number: _text(number, touched[number], beside[number]) for number in beside}

    def text(self, owner: str, shape: ShapePlacement) -> str:
        """Class of a shape, and what it touches."""
        return self._texts[self._class[self._kind(owner, shape)]]

    def between(self, first: LinkReference, second: LinkReference) -> bool:
        """Whether shapes of two links can touch each other, but for what excludes them."""
        some, others = (self._kinds_of.get((end.owner, end.link), {}) for end in (first, second))
        return any(_touch(one, other) for one in some for other in others)

    def within(self, owner: str, links: tuple[LinkDescription, ...]) -> bool:
        """Whether shapes of a robot can touch each other."""
        own = {self._kind(owner, shape) for link in links for shape in link.collisions}
        several = sum(bool(link.collisions) for link in links) > 1
        return several and any(_touch(one, other) for one in own for other in own)

    def _kind(self, owner: str, shape: ShapePlacement) -> Kind:
        return owner if owner in self._alone else "", shape.category, shape.collides_with


def _rows(kinds: list[Kind]) -> list[int]:
    """Of each kind the set of bits of those that it touches."""
    by_bits: dict[tuple[int, int], int] = defaultdict(int)
    by_robot: dict[str, int] = defaultdict(int)
    for index, (owner, *bits) in enumerate(kinds):
        by_bits[bits[0], bits[1]] |= 1 << index
        by_robot[owner] |= 1 << index
    touched = {
        one: sum(mask for other, mask in by_bits.items() if one[0] & other[1] and other[0] & one[1])
        for one in by_bits
    }
    return [touched[a, b] & ~(by_robot[owner] if owner else 0) for owner, a, b in kinds]


def _classes(kinds: list[Kind], rows: list[int], single: list[bool]) -> dict[Kind, int]:
    """Numbers of classes. Kinds are alike if they touch the same others, and each other as themselves; what
    is of a single link may do either."""
    found: dict[Kind, int] = {}
    numbers: dict[Key, int] = {}
    keys_of: list[list[Key]] = []
    for index, (kind, row) in enumerate(zip(kinds, rows, strict=True)):
        beside, own = _touch(kind, _BESIDE), 1 << index
        keys = [(beside, True, row | own), (beside, False, row & ~own)]
        if not single[index]:
            keys = keys[:1] if row & own else keys[1:]
        known = next((key for key in keys if key in numbers), None)
        if known is None:
            found[kind] = len(keys_of)
            keys_of.append(keys)
            numbers.update(dict.fromkeys(keys, found[kind]))
            continue
        found[kind] = numbers[known]
        for other in keys_of[found[kind]]:
            if other != known:
                del numbers[other]
        keys_of[found[kind]] = [known]
    return found


def _text(number: int, touched: set[int], beside: bool) -> str:
    parts: list[list[int]] = []
    for other in sorted(touched):
        if parts and parts[-1][1] == other - 1:
            parts[-1][1] = other
        else:
            parts.append([other, other])
    shown = [str(first) if first == last else f"{first} to {last}" for first, last in parts]
    shown += ["what is beside"] if beside else []
    return f"shapes of kind {number} touch {', '.join(shown) or 'nothing'}"


def _bits(row: int) -> Iterator[int]:
    while row:
        lowest = row & -row
        yield lowest.bit_length() - 1
        row ^= lowest


def _shapes(scene: SceneDescription) -> Iterator[tuple[str, str, ShapePlacement]]:
    """Collision shapes with their links and the owners of these."""
    for placed in scene.robots:
        for link in placed.robot.links:
            yield from ((placed.name, link.name, shape) for shape in link.collisions)
    for thing in scene.objects:
        yield from ((thing.name, thing.link.name, shape) for shape in thing.link.collisions)


def _touch(one: Kind, other: Kind) -> bool:
    alone = one[0] != "" and one[0] == other[0]
    return not alone and bool(one[1] & other[2] and other[1] & one[2])
