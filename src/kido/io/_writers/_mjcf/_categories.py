"""Bits of geoms by which MuJoCo lets touch what touches in a scene."""

from __future__ import annotations

from typing import TypeAlias

from kido.description import LinkDescription, SceneDescription, ShapePlacement
from kido.io._writers._losses import Losses

__all__ = ["Categories"]

Kind: TypeAlias = tuple[str, int, int]

_BITS = 31
_USUAL: Kind = ("", 1, 0xFFFFFFFF)
"""A shape as shapes are by default. What stands beside the file is like that, and has the first bit."""


class Categories:
    """Contype and conaffinity of every collision shape of a scene.

    MuJoCo lets two geoms touch where one has a bit of its contype in the other's conaffinity. Here each kind
    of shapes has a bit of its own: those of one category, with the same others, of one robot where its links
    do not touch each other. Kinds that touch nothing have none; where nothing touches anything, contacts are
    not `active`.
    """

    def __init__(self, scene: SceneDescription, losses: Losses) -> None:
        self._alone = {
            placed.name
            for placed in scene.robots
            if not placed.self_collision and sum(bool(link.collisions) for link in placed.robot.links) > 1
        }
        own = {self._kind(owner, shape): None for owner, link in _links(scene) for shape in link.collisions}
        kinds = {_USUAL: None, **own}
        self._kinds = [kind for kind in kinds if any(_touch(kind, other) for other in kinds)]
        self._none = kinds.keys() - set(self._kinds)
        self.active = not own or any(kind not in self._none for kind in own)
        if len(self._kinds) > _BITS:
            losses.ignored("scene", scene.name, f"which of {len(kinds)} kinds of shapes touch each other")

    def of(self, owner: str, shape: ShapePlacement) -> tuple[int, int]:
        """Contype and conaffinity."""
        kind = self._kind(owner, shape)
        if not self.active:
            return 1, 1
        if kind in self._none:
            return 0, 0
        if len(self._kinds) > _BITS:
            return 1, 1
        others = sum(1 << k for k, other in enumerate(self._kinds) if _touch(kind, other))
        return 1 << self._kinds.index(kind), others & 1 if kind == _USUAL else others

    def _kind(self, owner: str, shape: ShapePlacement) -> Kind:
        return owner if owner in self._alone else "", shape.category, shape.collides_with


def _touch(one: Kind, other: Kind) -> bool:
    alone = one[0] != "" and one[0] == other[0]
    return not alone and bool(one[1] & other[2] and other[1] & one[2])


def _links(scene: SceneDescription) -> list[tuple[str, LinkDescription]]:
    of_robots = [(placed.name, link) for placed in scene.robots for link in placed.robot.links]
    return [*of_robots, *((placed.name, placed.link) for placed in scene.objects)]
