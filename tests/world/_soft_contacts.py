"""Rigid shapes that soft bodies touch, and what their contacts are."""

from __future__ import annotations

import numpy as np

import kido
from kido.shape import Mesh, Shape, Surface
from kido.typing import FloatArray

_WEDGE = [(x, y, z) for z, half in ((0.0, 0.004), (0.05, 0.02)) for x in (-half, half) for y in (-0.03, 0.03)]
_SIDES = [(3, 2, 0), (1, 3, 0), (7, 5, 4), (6, 7, 4), (5, 1, 0), (4, 5, 0), (7, 6, 2), (3, 7, 2)]
_SIDES += [(6, 4, 0), (2, 6, 0), (7, 3, 1), (5, 7, 1)]


def wedge(*, convex: bool = True) -> Mesh:
    """A hull whose edge of 8 mm is at the origin, or the same as a surface of triangles."""
    return Mesh(None, vertices=np.array(_WEDGE), triangles=np.array(_SIDES), convex=convex)


def rigid(
    shape: Shape,
    place: tuple[float, float, float],
    turned: tuple[float, float, float] = (0.0, 0.0, 0.0),
    *,
    mass: float = 0.2,
    joint: kido.Joint | None = None,
    surface: Surface = Surface(),  # noqa: B008 - a frozen value
) -> kido.Skeleton:
    """A shape that moves freely unless a joint is given."""
    robot = kido.Skeleton("rigid")
    inertia = kido.Inertia(mass, moment=5e-4 * mass * np.eye(3))
    body = robot.add_body("body", None, kido.FreeJoint() if joint is None else joint, inertia=inertia)
    body.add_shape_node(shape).surface = surface
    if joint is None:
        robot.positions = (*turned, *place)
    return robot


def face_contacts(world: kido.World) -> list[kido.world.Contact]:
    return [c for c in world.contacts if c.first_face is not None or c.second_face is not None]


def force_on(world: kido.World, robot: kido.Skeleton) -> FloatArray:
    forces = [c.force if c.first.skeleton is robot else -c.force for c in world.contacts]
    return np.sum(forces, axis=0)
