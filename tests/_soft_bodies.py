"""Soft bodies for tests of pictures and recordings."""

from __future__ import annotations

from typing import Any

import numpy as np

import kido
from kido.description import Inertia, Material, SoftSkin
from kido.shape import Box, Shape


def soft_body(
    shape: Shape | None = None,
    *,
    rgba: tuple[float, float, float, float] | None = None,
    name: str = "soft",
    place: tuple[float, float, float] = (0.0, 0.0, 0.0),
    **options: Any,
) -> kido.Skeleton:
    """A free soft body at a place [m]: a cube of 0.4 m unless a shape is given; options as of
    `SoftSkin.of_shape`."""
    skeleton = kido.Skeleton(name)
    body = skeleton.add_body("core", joint=kido.FreeJoint(), inertia=Inertia(0.5, moment=np.eye(3) * 4e-3))
    numbers = {
        "mass": 0.5,
        "vertex_stiffness": 60.0,
        "edge_stiffness": 120.0,
        "damping": 0.3,
        "radius": 0.005,
    }
    skin = SoftSkin.of_shape(Box((0.4, 0.4, 0.4)) if shape is None else shape, **(numbers | options))
    material = None if rgba is None else Material("paint", rgba)
    kido.SoftBodyNode.add_skin(body, skin, material=material)
    skeleton.positions = [0.0, 0.0, 0.0, *place]
    return skeleton


def soft_point(place: tuple[float, float, float] = (0.0, 0.0, 0.0), radius: float = 0.1) -> kido.Skeleton:
    """A free body with a single point mass of 0.1 kg, which has no faces, at its origin."""
    skeleton = kido.Skeleton("point")
    body = skeleton.add_body("core", joint=kido.FreeJoint(), inertia=Inertia(0.5, moment=np.eye(3) * 4e-3))
    kido.SoftBodyNode.add_skin(body, SoftSkin.of_point(0.1, vertex_stiffness=50.0, radius=radius))
    skeleton.positions = [0.0, 0.0, 0.0, *place]
    return skeleton


def squeeze(skeleton: kido.Skeleton, factors: tuple[float, float, float]) -> None:
    """Put the points of the first body where they would be if its axes were scaled by factors [1]."""
    body = skeleton.bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    body.displacements = body.skin.points * (np.asarray(factors) - 1.0)
