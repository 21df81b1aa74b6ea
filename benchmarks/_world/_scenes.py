"""Scenes, as skeletons; peers are told the same from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import kido
from kido import gallery
from kido.shape import Box, Capsule, Cylinder, Shape, Sphere

_SURFACE = kido.Surface(friction=0.5)
_SETTLING = 1.5


@dataclass(frozen=True)
class Scene:
    """What is simulated.

    Attributes:
        make: the skeletons, anew.
        settle: seconds that pass before anything is measured.
        duration: seconds that are measured.
        target: how many times as fast as the fastest peer kido is to be.
        most_depth: largest depth in the end [m].
    """

    make: Callable[[], list[kido.Skeleton]]
    settle: float
    duration: float
    target: float
    most_depth: float


def _ground() -> kido.Skeleton:
    return gallery.ground(surface=_SURFACE)


def _free(
    shape: Shape, position: object, turn: object = (0.0, 0.0, 0.0), name: str = "body"
) -> kido.Skeleton:
    made = gallery.rigid_body(shape, 1.0, name=name, surface=_SURFACE)
    made.positions = np.concatenate([np.asarray(turn, float), np.asarray(position, float)])
    return made


def _box() -> list[kido.Skeleton]:
    return [_ground(), _free(Box((0.2, 0.2, 0.2)), (0.0, 0.0, 0.1))]


def _stack() -> list[kido.Skeleton]:
    box = Box((0.2, 0.2, 0.2))
    return [_ground(), *(_free(box, (0.0, 0.0, 0.1 + 0.2 * i), name=f"box{i}") for i in range(10))]


def _pile(count: int, *shapes: Shape) -> Callable[[], list[kido.Skeleton]]:
    """Shapes in layers, a little turned and moved, that fall."""

    def make() -> list[kido.Skeleton]:
        rng = np.random.default_rng(0)
        side = 5 if count <= 100 else 8
        made = [_ground()]
        for k in range(count):
            layer, row, column = k // side**2, k // side % side, k % side
            place = np.array([column, row, 0.0]) * 0.14 + np.append(
                rng.uniform(-0.007, 0.007, 2), 0.11 + 0.14 * layer
            )
            turn = rng.standard_normal(3) * 0.2
            made.append(_free(shapes[k % len(shapes)], place, turn, f"body{k}"))
        return made

    return make


def _ragdolls(count: int) -> Callable[[], list[kido.Skeleton]]:
    def make() -> list[kido.Skeleton]:
        made = [_ground()]
        for k in range(count):
            robot = gallery.humanoid()
            robot.name = f"robot{k}"
            for body in robot.bodies:
                for node in body.nodes(kido.ShapeNode):
                    node.surface = _SURFACE
            q = robot.positions.copy()
            q[:3] = 0.1 + 0.05 * k, 0.3 * np.cos(k), 0.7 * k
            q[3:6] += (k % 4 - 1.5) * 0.6, (k // 4 % 2 - 0.5) * 0.8, 0.2 + 1.3 * (k // 8)
            robot.positions = q
            made.append(robot)
        return made

    return make


def _chain() -> list[kido.Skeleton]:
    chain = gallery.chain(10)
    for body in chain.bodies:
        for node in body.nodes(kido.ShapeNode):
            node.collision = False
    chain.positions = np.full(chain.num_dofs, 0.3)
    return [chain]


_BOX, _BALL = Box((0.1, 0.1, 0.1)), Sphere(0.05)
_ROUND = Capsule(0.03, 0.06), Cylinder(0.04, 0.08)

SCENES = {
    "one box": Scene(_box, 0.5, 2.0, 1.2, 1e-4),
    "stack of 10": Scene(_stack, 0.5, 2.0, 3.5, 1e-4),
    "100 boxes at rest": Scene(_pile(100, _BOX), _SETTLING, 0.5, 3.5, 1e-4),
    "500 boxes at rest": Scene(_pile(500, _BOX), _SETTLING, 0.2, 3.5, 1e-4),
    "500 boxes falling": Scene(_pile(500, _BOX), 0.0, 0.4, 2.5, 1e-3),
    "500 spheres falling": Scene(_pile(500, _BALL), 0.0, 0.5, 4.0, 1e-3),
    "200 capsules and cylinders falling": Scene(_pile(200, *_ROUND), 0.0, 0.5, 2.0, 1e-3),
    "ragdoll falling": Scene(_ragdolls(1), 0.0, 2.0, 1.7, 1e-3),
    "20 ragdolls falling": Scene(_ragdolls(20), 0.0, 0.5, 5.0, 1e-3),
    "chain of 10 links": Scene(_chain, 0.0, 5.0, 1.5, 0.0),
}
