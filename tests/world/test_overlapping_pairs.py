"""Every pair of shapes, overlapped by 5 cm: recovers within half a second, and nothing pops."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import kido
from kido import FreeJoint, Inertia, Skeleton, World, gallery
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Shape, Sphere

SHAPES: dict[str, Callable[[], Shape]] = {
    "box": lambda: Box((0.24, 0.24, 0.24)),
    "sphere": lambda: Sphere(0.12),
    "capsule": lambda: Capsule(0.12, 0.2),
    "cylinder": lambda: Cylinder(0.12, 0.24),
    "cone": lambda: Cone(0.15, 0.3),
    "ellipsoid": lambda: Ellipsoid((0.12, 0.15, 0.1)),
}
PAIRS = [*itertools.combinations_with_replacement(SHAPES, 2), *itertools.product(SHAPES, ("plane", "field"))]
DEPTH = 0.05


def body(name: str, shape: Shape, kind: str, height: float = 0.0) -> Skeleton:
    made = Skeleton(name)
    link = made.add_body(name, joint=FreeJoint(name), inertia=Inertia(1.0, (0, 0, 0), 5e-3 * np.eye(3)))
    kido.ShapeNode(link, name, shape)
    if kind == "tree":
        made.position_upper_limits = [1e9] * 6
    made.mobile = kind != "fixed"
    made.positions = [0.0, 0.0, 0.0, 0.0, 0.0, height]
    return made


def overlapped(first: str, second: str, kind: str, height: float, time_step: float) -> World:
    """One above the other."""
    match second:
        case "plane":
            other = gallery.ground()
        case "field":
            other = body("other", HeightField(np.zeros((17, 17)), (0.1, 0.1)), "fixed")
        case _:
            other = body("other", SHAPES[second](), kind)
    upper = body("upper", SHAPES[first](), kind, height)
    return World([other, upper], gravity=(0.0, 0.0, 0.0), time_step=time_step)


def deepest(world: World) -> float:
    return max((c.depth for c in world.contacts), default=0.0)


def height_of_depth(first: str, second: str) -> float:
    """Where they overlap by about 5 cm, by bisection of where they begin to touch."""
    low, high = 0.0, 0.6
    for _ in range(20):
        middle = 0.5 * (low + high)
        world = overlapped(first, second, "rigid body", middle, 1e-3)
        world.step()
        low, high = (middle, high) if deepest(world) > 0.0 else (low, middle)
    return low - DEPTH


@pytest.mark.parametrize("kind", ["rigid body", "tree"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_an_overlap_of_five_centimetres_recovers_without_popping(first: str, second: str, kind: str) -> None:
    height = height_of_depth(first, second)
    for time_step in (1e-3, 5e-3):
        world = overlapped(first, second, kind, height, time_step)
        world.step()
        assert deepest(world) > 0.5 * DEPTH
        liveliest = 0.0
        for _ in range(round(0.5 / time_step)):
            world.step()
            liveliest = max(liveliest, world.kinetic_energy)
        assert liveliest < 1e-5  # [J]
        assert deepest(world) < 1e-4
