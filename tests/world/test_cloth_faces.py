"""Faces of open skins in contact, from both sides, between their points."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from _soft_contacts import face_contacts, force_on, rigid, wedge

import kido
from kido.description import SoftSkin
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Shape, Sphere

RADIUS, GRAVITY = 0.005, 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)


def sheet(
    count: int = 3, *, size: float = 0.4, height: float = 0.0, name: str = "cloth", **options: Any
) -> kido.Skeleton:
    """A square of cloth across z; nothing holds it."""
    robot = kido.Skeleton(name)
    body = robot.add_body("pole", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    given = {"edge_stiffness": 2e3, "damping": 0.2, "radius": RADIUS, **options}
    skin = SoftSkin.of_sheet((size, size), 0.2, divisions=(count, count), **given)
    soft = kido.SoftBodyNode.add_skin(body, skin)
    soft.displacements = np.tile([0.0, 0.0, height], (skin.num_points, 1))
    return robot


def cloth_of(robot: kido.Skeleton) -> kido.SoftBodyNode:
    body = robot.bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


def hem(robot: kido.Skeleton) -> list[int]:
    """The points of a sheet on its border."""
    points = cloth_of(robot).skin.points[:, :2]
    return np.flatnonzero(np.isclose(np.abs(points), np.abs(points).max()).any(axis=1)).tolist()


SHAPES: dict[str, tuple[Shape, tuple[float, float, float], float]] = {
    # How far the lowest point is below the middle.
    "sphere": (Sphere(0.02), (0.0, 0.0, 0.0), 0.02),
    "flat box": (Box((0.05, 0.06, 0.04)), (0.0, 0.0, 0.0), 0.02),
    "corner of a box": (Box((0.05, 0.05, 0.05)), (0.0, np.pi / 4, 0.0), 0.0354),
    "capsule": (Capsule(0.01, 0.1), (0.0, np.pi / 2, 0.0), 0.01),
    "cylinder": (Cylinder(0.02, 0.05), (np.pi / 2, 0.0, 0.0), 0.02),
    "foot of a cylinder": (Cylinder(0.02, 0.05), (0.0, 0.0, 0.0), 0.025),
    "tip of a cone": (Cone(0.03, 0.06), (np.pi, 0.0, 0.0), 0.03),
    "ellipsoid": (Ellipsoid((0.06, 0.05, 0.03)), (0.0, 0.0, 0.0), 0.015),
    "hull": (wedge(), (0.0, 0.0, 0.0), 0.0),
    "mesh": (
        wedge(convex=False),
        (0.0, 0.0, 0.0),
        0.0,
    ),
}


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize("name", SHAPES)
def test_what_falls_between_points_rests_on_the_cloth_from_either_side(
    name: str, count: int, side: float
) -> None:
    shape, turned, below = SHAPES[name]
    cloth = sheet(count)
    cloth_of(cloth).pin(hem(cloth))
    R = kido.math.so3_exp(turned) if side > 0.0 else np.diag([1.0, -1.0, -1.0]) @ kido.math.so3_exp(turned)
    other = rigid(shape, (0.06, 0.03, side * (below + 0.03)), tuple(kido.math.so3_log(R)))
    world = kido.World([cloth, other], gravity=(0.0, 0.0, -side * GRAVITY))
    touched = 0
    for _ in range(150):
        world.step(10)
        touched += bool(face_contacts(world))
        assert side * other.bodies[0].transform()[2, 3] > -0.03  # the cloth sags
        assert all(c.depth < 1e-3 for c in world.contacts)
    assert touched > 100
    before, pushed = other.linear_momentum(), np.zeros(3)
    for _ in range(200):
        world.step()
        pushed += 1e-3 * force_on(world, other)
        assert all(c.depth < 5e-4 for c in world.contacts)
    gained = other.linear_momentum() - before
    np.testing.assert_allclose(pushed - gained, (0.0, 0.0, side * 0.2 * 0.2 * GRAVITY), atol=1e-9)


@pytest.mark.parametrize("step", [1e-3, 1e-2])
@pytest.mark.parametrize("speed", [3.0, 15.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_fast_ball_is_caught_between_points(side: float, speed: float, step: float) -> None:
    cloth = sheet(3, edge_stiffness=2e4)
    cloth_of(cloth).pin(hem(cloth))
    ball = rigid(Sphere(0.02), (0.06, 0.03, 0.2 * side), mass=0.02)
    ball.velocities = (0.0, 0.0, 0.0, 0.0, 0.0, -side * speed)
    world = kido.World([cloth, ball], gravity=WEIGHTLESS, time_step=step)
    touched = 0
    for _ in range(round(0.3 / step)):
        world.step()
        touched += bool(face_contacts(world))
    assert touched
    assert side * ball.velocities[5] > -0.1 * speed  # sent back, or stopped


def test_a_collision_with_cloth_keeps_momentum_and_gains_no_energy() -> None:
    cloth = sheet(3, damping=0.0)
    box = rigid(Box((0.06, 0.06, 0.06)), (0.05, 0.03, 0.07), (0.7, 0.4, 0.3), mass=0.1)
    R = box.bodies[0].transform()[:3, :3]
    box.velocities = np.r_[1.0, 2.0, -1.0, R.T @ (0.2, 0.3, -2.0)]
    world = kido.World([cloth, box], gravity=WEIGHTLESS)
    linear = cloth.linear_momentum() + box.linear_momentum()
    energy = box.kinetic_energy
    touched = 0
    for _ in range(200):
        world.step()
        touched += bool(face_contacts(world))
        now = box.kinetic_energy + cloth.kinetic_energy + cloth_of(cloth).spring_energy
        assert now <= energy * (1.0 + 1e-9)
        energy = now
    assert touched > 5
    assert cloth.linear_momentum()[2] < -0.02
    # The pole stands in the world, which cloth that nothing ties to it does not feel.
    np.testing.assert_allclose(cloth.linear_momentum() + box.linear_momentum(), linear, atol=1e-12)


def test_cloth_hangs_over_a_pole_that_is_smaller_than_its_meshes() -> None:
    cloth = sheet(3, height=0.24)
    soft = cloth_of(cloth)
    tip = np.array([0.06, 0.03, 0.204])
    pole = rigid(Capsule(0.004, 0.1), (0, 0, 0), joint=kido.WeldJoint(T_parent_joint=(*tip[:2], 0.15)))
    world = kido.World([kido.gallery.ground(), pole, cloth], time_step=2e-3)
    carried = 0
    for _ in range(100):
        world.step(10)
        corners = soft.point_positions()[soft.skin.faces]
        spans = np.moveaxis(corners[:, 1:, :2] - corners[:, :1, :2], 1, 2)
        shares = np.linalg.solve(spans, (tip[:2] - corners[:, 0, :2])[..., None])[..., 0]
        over = (shares > 0.0).all(axis=1) & (shares.sum(axis=1) < 1.0)
        heights = corners[:, 0, 2] + (shares * (corners[:, 1:, 2] - corners[:, :1, 2])).sum(axis=1)
        assert (heights[over] > tip[2] + RADIUS - 1e-3).all()
        carried += any(c.first.skeleton is pole or c.second.skeleton is pole for c in face_contacts(world))
    assert carried > 10


@pytest.mark.parametrize("turned", [0.0, 0.4])
def test_cloths_do_not_pass_through_each_other(turned: float) -> None:
    """Coarse ones, whose points meet faces of the other."""
    lower, upper = sheet(4, name="lower"), sheet(5, size=0.2, name="upper", edge_stiffness=500.0)
    cloth_of(lower).pin(hem(lower))
    R = kido.math.so3_exp((0.0, 0.0, turned))
    points = cloth_of(upper).skin.points
    cloth_of(upper).displacements = points @ R.T - points + [0.01, 0.02, 0.05]
    world = kido.World([lower, upper], time_step=2e-3)
    for _ in range(50):
        world.step(10)
        assert (cloth_of(upper).point_positions()[:, 2] > cloth_of(lower).point_positions()[:, 2].min()).all()
    force = np.mean([force_on(world, upper) for _ in range(200) if world.step() is None], axis=0)
    assert force[2] == pytest.approx(0.2 * GRAVITY, rel=0.05)
    assert any(c.first_face is not None for c in world.contacts)
    assert all(c.depth < 5e-4 for c in world.contacts)


@pytest.mark.parametrize("touches", [True, False])
def test_folded_cloth_touches_itself_where_it_may(touches: bool) -> None:
    """A strip that is folded over falls on its other half."""
    robot = kido.Skeleton("strip")
    body = robot.add_body("pole", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    skin = SoftSkin.of_sheet(
        (0.4, 0.1),
        0.1,
        divisions=(13, 4),
        edge_stiffness=500.0,
        damping=0.05,
        radius=RADIUS,
        touches_itself=touches,
    )
    soft = kido.SoftBodyNode.add_skin(body, skin)
    x, y = skin.points[:, 0], skin.points[:, 1]
    upper = x > 0.0
    soft.displacements = np.column_stack(
        [np.where(upper, -2.0 * x + 0.011, 0.0), np.where(upper, 0.007, 0.0), np.where(upper, 0.06, 0.0)]
    )
    soft.pin(np.flatnonzero(~upper).tolist(), offsets=skin.points[~upper])
    world = kido.World([robot], time_step=2e-3)
    world.step(400)
    inner = (x > 0.09) & (np.abs(y) < 0.04)
    heights = soft.point_positions()[inner, 2]
    if touches:
        assert heights.min() > 2.0 * RADIUS - 5e-4
    else:
        assert heights.max() < 0.0


def test_cloth_in_contact_goes_on_bit_for_bit() -> None:
    cloth, box = sheet(4), rigid(Box((0.06, 0.06, 0.06)), (0.05, 0.03, 0.06), (0.7, 0.4, 0.3))
    cloth_of(cloth).pin(hem(cloth))
    world = kido.World([cloth, box])
    world.step(150)
    assert face_contacts(world)
    saved, copy, clone = world.snapshot(), pickle.loads(pickle.dumps(world)), world.clone()
    world.step(50)
    ends = [box.positions.copy()]
    for other in (copy, clone):
        other.step(50)
        ends.append(other.skeletons[1].positions)
    world.restore(saved)
    world.step(50)
    ends.append(box.positions)
    for end in ends[1:]:
        np.testing.assert_array_equal(end, ends[0])


def test_contacts_of_cloth_name_the_face_and_where_it_is_touched() -> None:
    cloth = sheet(3)
    cloth_of(cloth).pin(range(9))
    ball = rigid(Sphere(0.02), (0.06, 0.03, 0.024), mass=0.1)
    world = kido.World([cloth, ball])
    world.step(500)
    (contact,) = [c for c in world.contacts if c.force.any()]
    first = contact.first is cloth_of(cloth).skin_node
    face = contact.first_face if first else contact.second_face
    assert face is not None
    corners = cloth_of(cloth).skin.points[cloth_of(cloth).skin.faces[face], :2]
    shares = np.linalg.solve((corners[1:] - corners[0]).T, np.array([0.06, 0.03]) - corners[0])
    assert (shares > 0.0).all() and shares.sum() < 1.0
    np.testing.assert_allclose(contact.point, (0.06, 0.03, RADIUS), atol=1e-4)
    np.testing.assert_allclose(contact.normal, (0.0, 0.0, -1.0 if first else 1.0), atol=1e-6)
    np.testing.assert_allclose(world.face_forces(cloth_of(cloth))[face], (0, 0, -0.1 * GRAVITY), atol=1e-6)
    # What the three points' pins bear is the ball, by the shares.
    borne = cloth_of(cloth).pin_forces[cloth_of(cloth).skin.faces[face], 2]
    weight = cloth_of(cloth).skin.mass[cloth_of(cloth).skin.faces[face]] * GRAVITY
    expected = np.r_[1.0 - shares.sum(), shares] * 0.1 * GRAVITY
    np.testing.assert_allclose(borne - weight, expected, atol=1e-5)


def test_a_field_of_heights_carries_cloth_between_its_points() -> None:
    heights = np.zeros((9, 9))
    heights[4, 4] = 0.05
    field = rigid(HeightField(heights, (0.02, 0.02)), (0, 0, 0), joint=kido.WeldJoint())
    cloth = sheet(2, height=0.09, size=0.3)
    world = kido.World([field, cloth])
    peak = []
    for _ in range(40):
        world.step(10)
        peak += [c for c in face_contacts(world) if c.force.any() and np.hypot(*c.point[:2]) < 0.01]
    assert peak and all(c.depth < 2e-3 for c in peak)
