"""The picture of soft bodies on the home page."""

from __future__ import annotations

import numpy as np

import kido
from examples.pictures._style import Canvas, Pixels
from kido.description import Material
from kido.shape import Box, Sphere

__all__ = ["soft"]

_GREEN = Material("green", rgba=(0.35, 0.68, 0.40, 1.0))


def soft(canvas: Canvas) -> Pixels:
    """A soft cube and a soft ball, each below a heavy box."""
    shapes = (Box((0.24, 0.24, 0.24)), (6, 6, 6)), (Sphere(0.14), (16, 10))
    skeletons = [kido.gallery.ground()]
    for k, (shape, divisions) in enumerate(shapes):
        y = 0.4 * k - 0.2
        skeletons += [_soft_body(f"soft {k}", shape, divisions, y), _weight(f"weight {k}", y)]
    world = kido.World(skeletons)
    world.step(900)
    return canvas.shot(world, camera=((1.08, 0.5, 0.55), (0.0, 0.0, 0.16), (0.0, 0.0, 1.0)))


def _soft_body(name: str, shape: Box | Sphere, divisions: tuple[int, ...], y: float) -> kido.Skeleton:
    skeleton = kido.Skeleton(name)
    core = skeleton.add_body(
        "core", joint=kido.FreeJoint(), inertia=kido.Inertia(0.2, moment=4e-4 * np.eye(3))
    )
    skin = kido.SoftSkin.of_shape(
        shape,
        mass=0.4,
        divisions=divisions,
        vertex_stiffness=12.0,
        edge_stiffness=30.0,
        damping=0.4,
        radius=0.005,
    )
    kido.SoftBodyNode.add_skin(core, skin, material=_GREEN)
    skeleton.positions = (0.0, 0.0, 0.0, 0.0, y, 0.16)
    return skeleton


def _weight(name: str, y: float) -> kido.Skeleton:
    box = kido.gallery.box((0.16, 0.16, 0.08), mass=2.5, name=name)
    box.positions = [0.0, 0.0, 0.0, 0.0, y, 0.40]
    return box
