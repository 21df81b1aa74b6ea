"""The picture of the page on simulation."""

from __future__ import annotations

import numpy as np

import kido
from examples.pictures._style import Canvas, Pixels
from kido.description import Material

__all__ = ["simulation"]

_ORANGE = Material("orange", rgba=(0.90, 0.46, 0.14, 1.0))
_THINGS = 36
_STEPS = 1300


def simulation(canvas: Canvas) -> Pixels:
    """A humanoid that falls beside boxes and balls, some of which are still in the air."""
    rng = np.random.default_rng(1)
    world = kido.World([kido.gallery.ground(), kido.gallery.humanoid()])
    for index in range(_THINGS):
        world.add(_thing(index, rng))
    world.step(_STEPS)
    return canvas.shot(world)


def _thing(index: int, rng: np.random.Generator) -> kido.Skeleton:
    name = f"thing {index}"
    if index % 3:
        thing = kido.gallery.box((0.24, 0.18, 0.14), mass=1.0, name=name)
    else:
        thing = kido.gallery.ball(0.1, mass=0.5, name=name)
    thing.body(0).shape_nodes[0].material = _ORANGE
    origin = np.array([0.6, 0.2, 0.3 + 0.25 * index]) + rng.uniform(-0.2, 0.2, 3)
    thing.positions = [*rng.uniform(-1.0, 1.0, 3), *origin]
    return thing
