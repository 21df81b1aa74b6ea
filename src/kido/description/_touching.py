"""Which shapes of a scene touch each other, told alike however a format says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from kido.description._link import LinkDescription, ShapePlacement
from kido.description._reference import LinkReference
from kido.description._scene import SceneDescription

__all__ = ["Touching"]

Kind: TypeAlias = tuple[str, int, int]
"""Robot whose links do not touch each other, else empty; category; categories that are touched."""

_BESIDE: Kind = ("", 1, 0xFFFFFFFF)
"""A shape beside the scene, as shapes are by default."""


class Touching:
    """Classes of the collision shapes of a scene: shapes of one class touch the same shapes.

    Classes have numbers in the order in which they come first. That the links of a robot do not touch each
    other is told likewise, whether a flag or categories say so.
    """

    def __init__(self, scene: SceneDescription) -> None:
        self._alone = {placed.name for placed in scene.robots if not placed.self_collision}
        self._kinds_of: dict[tuple[str, str], set[Kind]] = {}
        for owner, link, shape in _shapes(scene):
            self._kinds_of.setdefault((owner, link), set()).add(self._kind(owner, shape))
        kinds = list(dict.fromkeys(self._kind(owner, shape) for owner, _, shape in _shapes(scene)))
        rows = {kind: tuple(_touch(kind, other) for other in (*kinds, _BESIDE)) for kind in kinds}
        numbers: dict[tuple[bool, ...], int] = {}
        self._class = {kind: numbers.setdefault(row, len(numbers)) for kind, row in rows.items()}
        self._touched = {
            number: sorted({self._class[kind] for kind, met in zip(kinds, row, strict=False) if met})
            for row, number in numbers.items()
        }
        self._beside = {number: row[-1] for row, number in numbers.items()}

    def text(self, owner: str, shape: ShapePlacement) -> str:
        """Class of a shape, and what it touches."""
        number = self._class[self._kind(owner, shape)]
        touched = [str(other) for other in self._touched[number]]
        touched += ["what is beside"] if self._beside[number] else []
        return f"shapes of kind {number} touch {', '.join(touched) or 'nothing'}"

    def between(self, first: LinkReference, second: LinkReference) -> bool:
        """Whether shapes of two links can touch each other, but for what excludes them."""
        some, others = (self._kinds_of.get((end.owner, end.link), set()) for end in (first, second))
        return any(_touch(one, other) for one in some for other in others)

    def within(self, owner: str, links: tuple[LinkDescription, ...]) -> bool:
        """Whether shapes of a robot can touch each other."""
        own = {self._kind(owner, shape) for link in links for shape in link.collisions}
        return any(_touch(one, other) for one in own for other in own)

    def _kind(self, owner: str, shape: ShapePlacement) -> Kind:
        return owner if owner in self._alone else "", shape.category, shape.collides_with


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
