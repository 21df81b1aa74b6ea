"""A soft cube on the floor, as each library has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kido
from kido.shape import Box

__all__ = ["SETTLING", "Cube", "kido_cube"]

SETTLING = 1500
"""Steps before what is measured."""


@dataclass(frozen=True)
class Cube:
    """Edges of 0.2 m with `count` points along each; a core of 0.2 kg, points of 0.4 kg; steps of 1 ms.

    Springs to the core and along edges [N/m] are such that the cube yields by some millimeters.
    """

    count: int
    edge = 0.2
    core = 0.2
    mass = 0.4
    radius = 0.005
    edge_stiffness = 100.0
    damping = 0.1
    step = 1e-3

    @property
    def points(self) -> int:
        """Number of points on the surface."""
        return self.count**3 - max(self.count - 2, 0) ** 3

    @property
    def vertex_stiffness(self) -> float:
        """Of each point [N/m]."""
        return 2000.0 / self.points


def kido_cube(cube: Cube, *, on_floor: bool) -> kido.World:
    """The cube in a world of kido, settled where there is a floor."""
    robot = kido.Skeleton("cube")
    inertia = kido.Inertia(cube.core, moment=4e-4 * np.eye(3))
    body = robot.add_body("core", joint=kido.FreeJoint(), inertia=inertia)
    skin = kido.SoftSkin.of_shape(
        Box((cube.edge,) * 3),
        cube.mass,
        divisions=(cube.count,) * 3,
        vertex_stiffness=cube.vertex_stiffness,
        edge_stiffness=cube.edge_stiffness,
        damping=cube.damping,
        radius=cube.radius,
    )
    kido.SoftBodyNode.add_skin(body, skin)
    robot.positions = (0.0, 0.0, 0.0, 0.0, 0.0, 0.5 * cube.edge + 2.0 * cube.radius)
    world = kido.World([kido.gallery.ground(), robot] if on_floor else [robot], time_step=cube.step)
    world.step(SETTLING if on_floor else 10)
    return world
