"""Round bodies that roll without rolling friction: nothing drives them and nothing slows them."""

from __future__ import annotations

import numpy as np
import pytest
from _looped import looped
from _scenes import KINDS, TIME_STEPS, as_kind, push, put, spin, velocity

from kido import FreeJoint, Inertia, ShapeNode, Skeleton, Surface, WeldJoint, World, gallery
from kido.shape import Capsule, Cylinder, HeightField, Shape, Sphere

SIDEWAYS = (np.pi / 2, 0.0, 0.0)
"""Rotation that lays the z axis of a shape along -y."""
SHAPES: dict[str, tuple[Shape, float]] = {
    "sphere": (Sphere(0.06), 0.06),
    "capsule": (Capsule(0.04, 0.1), 0.04),
    "cylinder": (Cylinder(0.05, 0.12), 0.05),
}
FLOORS = ("plane", "box", "box, added last", "height field")


def rolling(shape: str, kind: str, speed: float) -> Skeleton:
    """A body on z = 0 that rolls along x [m/s]."""
    round_one, radius = SHAPES[shape]
    made = put(as_kind(kind, gallery.rigid_body(round_one, 0.5)), (0.0, 0.0, radius), SIDEWAYS)
    return push(made, (speed, 0.0, 0.0), (0.0, speed / radius, 0.0))


def on_floor(floor: str, made: Skeleton, time_step: float) -> World:
    """A world of a floor whose surface is z = 0, and what lies on it."""
    if floor == "plane":
        return World([gallery.ground(), made], time_step=time_step)
    if floor == "height field":
        below = Skeleton("floor")
        ShapeNode(
            below.add_body("floor", joint=WeldJoint("floor_joint")), "floor", HeightField(np.zeros((9, 9)))
        )
    else:
        below = put(gallery.box((20.0, 20.0, 1.0), name="floor"), (0.0, 0.0, -0.5))
    below.mobile = False
    order = [made, below] if floor.endswith("last") else [below, made]
    return World(order, time_step=time_step)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("shape, floor, speed", [(s, f, v) for s in SHAPES for f in FLOORS for v in (0.001, 0.01, 0.1, 1.0)])
def test_what_rolls_keeps_its_speed(
    kind: str, time_step: float, shape: str, floor: str, speed: float
) -> None:
    """Its point of contact stays below its center, however slowly it moves away from there."""
    made = rolling(shape, kind, speed)
    world = on_floor(floor, made, time_step)
    world.step(round(0.1 / time_step))
    before = velocity(made)
    np.testing.assert_allclose(before, (speed, 0.0, 0.0), atol=1e-4 * speed + 5e-6)
    world.step(round(2.0 / time_step))
    np.testing.assert_allclose(velocity(made), before, atol=1e-5)
    np.testing.assert_allclose(spin(made)[1] * SHAPES[shape][1], before[0], atol=2e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_almost_at_rest_is_not_driven(kind: str, shape: str) -> None:
    made = rolling(shape, kind, 1e-7)
    world = on_floor("plane", made, 1e-3)
    world.step(20_000)
    assert np.linalg.norm(velocity(made)) < 1e-4


@pytest.mark.parametrize("angle", np.linspace(0.0, np.pi, 5).tolist())
def test_rolling_friction_holds_what_turns_more_easily_one_way(angle: float) -> None:
    """On a slope: a ball whose principal axes are between those in which friction is solved."""
    surface = Surface(friction=1.0, rolling_friction=0.05)
    inertia = Inertia(1.0, (0, 0, 0), 4e-3 * np.array([[1.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.2]]))
    made = Skeleton("ball")
    node = made.add_body("ball", None, FreeJoint("root"), inertia=inertia).add_shape_node(Sphere(0.1))
    node.surface = surface
    made.positions = (0.0, 0.0, 0.0, 0.0, 0.0, 0.1)
    ground = gallery.ground()
    ground.body(0).shape_nodes[0].surface = surface
    down = 9.81 * np.array([0.2 * np.cos(angle), 0.2 * np.sin(angle), -1.0])
    World([ground, made], gravity=down).step(1000)
    assert np.abs(made.positions[3:5]).max() < 1e-5
    assert np.abs(made.velocities).max() < 1e-5
