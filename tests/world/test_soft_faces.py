"""Faces of soft bodies in contact with rigid shapes, where no point touches."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from _soft_contacts import face_contacts, force_on, rigid, wedge
from scipy.sparse import coo_array, diags
from scipy.sparse.linalg import spsolve

import kido
from kido.description import SoftSkin
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Shape, Sphere, Surface
from kido.typing import FloatArray

EDGE, RADIUS, GRAVITY = 0.2, 0.005, 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)


def soft_cube(
    place: tuple[float, float, float] = (0.0, 0.0, 0.0),
    *,
    held: bool = False,
    joint: kido.Joint | None = None,
    count: int = 2,
    name: str = "cube",
    surface: Surface = Surface(),  # noqa: B008 - a frozen value
    **springs: float,
) -> kido.Skeleton:
    """A cube of 0.2 m with points of 0.4 kg, free or held at its middle; two triangles a side by default."""
    robot = kido.Skeleton(name)
    free = joint is None and not held
    joint = joint or (kido.WeldJoint(T_parent_joint=place) if held else kido.FreeJoint())
    inertia = kido.Inertia(0.2, moment=4e-4 * np.eye(3))
    body = robot.add_body("core", None, joint, inertia=inertia)
    given = {"vertex_stiffness": 400.0, "edge_stiffness": 800.0, "damping": 2.0, "radius": RADIUS, **springs}
    skin = SoftSkin.of_shape(Box((EDGE,) * 3), 0.4, divisions=(count,) * 3, **given)
    kido.SoftBodyNode.add_skin(body, skin, surface=surface)
    if free:
        robot.positions = (0.0, 0.0, 0.0, *place)
    return robot


def soft_of(robot: kido.Skeleton) -> kido.SoftBodyNode:
    body = robot.bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


SHAPES: dict[str, tuple[Shape, tuple[float, float, float], float]] = {
    # How far the lowest point is below the middle.
    "sphere": (Sphere(0.02), (0.0, 0.0, 0.0), 0.02),
    "flat box": (Box((0.05, 0.06, 0.04)), (0.0, 0.0, 0.0), 0.02),
    "corner of a box": (Box((0.05, 0.05, 0.05)), (0.0, np.pi / 4, 0.0), 0.025),
    "capsule": (Capsule(0.01, 0.1), (0.0, np.pi / 2, 0.0), 0.01),
    "cylinder": (Cylinder(0.02, 0.05), (np.pi / 2, 0.0, 0.0), 0.02),
    "foot of a cylinder": (Cylinder(0.02, 0.05), (0.0, 0.0, 0.0), 0.025),
    "cone": (Cone(0.03, 0.06), (0.0, 0.0, 0.0), 0.03),
    "ellipsoid": (Ellipsoid((0.06, 0.05, 0.03)), (0.0, 0.0, 0.0), 0.015),
    "hull": (wedge(), (0.0, 0.0, 0.0), 0.0),
    "mesh": (
        wedge(convex=False),
        (0.0, 0.0, 0.0),
        0.0,
    ),
}


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("name", SHAPES)
def test_what_falls_on_a_face_stays_outside_and_rests(name: str, count: int) -> None:
    shape, turned, below = SHAPES[name]
    cube, other = soft_cube(held=True, count=count), rigid(shape, (0.02, 0.01, 0.2), turned)
    world = kido.World([cube, other])
    lowest = EDGE / 2 + RADIUS + below
    for _ in range(60):
        world.step(25)
        # Faces yield by some millimeters: the cube is 200 deep.
        assert other.bodies[0].transform()[2, 3] > lowest - 0.02
    assert face_contacts(world)
    forces = [force_on(world, other) for _ in range(200) if world.step() is None]
    assert np.mean(forces, axis=0)[2] == pytest.approx(0.2 * GRAVITY, rel=0.02)
    assert np.abs(other.bodies[0].transform()[:2, 3]).max() < 0.09  # what is round may roll
    assert all(c.depth < 2e-4 for c in world.contacts)


@pytest.mark.parametrize("part", ["tip", "edge"])
def test_tips_and_edges_do_not_cut_through_a_face(part: str) -> None:
    """Guided down, so that they do not fall over, at two meters a second."""
    turned = kido.math.so3_exp((0.0, np.pi / 4, 0.0)) @ kido.math.so3_exp(
        (np.arctan(np.sqrt(0.5)) if part == "tip" else 0.0, 0.0, 0.0)
    )
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turned, (0.02, 0.01, 0.25)
    joint = kido.PrismaticJoint("down", turned.T @ (0.0, 0.0, 1.0), T_parent_joint=T)
    cube, other = soft_cube(held=True), rigid(Box((0.05, 0.05, 0.05)), (0, 0, 0), mass=1.0, joint=joint)
    other.velocities = [-2.0]
    world = kido.World([cube, other])
    lowest = 0.025 * np.sqrt(3.0 if part == "tip" else 2.0)
    for _ in range(120):
        world.step(10)
        assert all(c.depth < 3e-3 for c in face_contacts(world))  # a step's way
    height = other.bodies[0].transform()[2, 3]
    assert height - lowest > EDGE / 2 + RADIUS - 0.06  # the face yields under a kilogram on a tip
    forces = [force_on(world, other)[2] for _ in range(200) if world.step() is None]
    np.testing.assert_allclose(np.mean(forces), GRAVITY, rtol=0.02)


def test_a_peak_of_a_height_field_carries_a_face() -> None:
    heights = np.zeros((9, 9))
    heights[4, 4] = 0.05
    field = rigid(HeightField(heights, (0.02, 0.02)), (0, 0, 0), joint=kido.WeldJoint())
    cube = soft_cube((0.02, 0.01, 0.2), vertex_stiffness=2000.0)
    world = kido.World([field, cube])
    for _ in range(12):
        world.step(25)
        assert cube.positions[5] > 0.13
    found = [c for c in face_contacts(world) if c.force.any()]
    assert found and min(np.hypot(*(c.point[:2])) for c in found) < 0.01


def test_a_face_yields_as_the_springs_of_its_corners_do() -> None:
    """A ball guided down to a place of a face: forces on the corners are its weight, by their shares."""
    at, mass, stiff = np.array([0.03, -0.05]), 0.3, {"vertex_stiffness": 5e3, "edge_stiffness": 8e3}
    cube = soft_cube(held=True, damping=20.0, **stiff)
    joint = kido.PrismaticJoint("down", (0, 0, 1), T_parent_joint=(*at, EDGE / 2 + RADIUS + 0.021))
    ball = rigid(Sphere(0.02), (0, 0, 0), mass=mass, joint=joint)
    world = kido.World([cube, ball])
    world.step(1500)
    skin, body = soft_of(cube).skin, soft_of(cube)
    (contact,) = [c for c in world.contacts if c.force.any()]
    face = contact.first_face if contact.first_face is not None else contact.second_face
    assert face is not None
    corners = skin.faces[face]
    spans = (skin.points[corners[1:]] - skin.points[corners[0]])[:, :2].T
    shares = np.linalg.solve(spans, at - skin.points[corners[0], :2])
    assert (shares > 0.0).all() and shares.sum() < 1.0
    force = -skin.mass * GRAVITY
    force[corners] -= mass * GRAVITY * np.r_[1.0 - shares.sum(), shares]
    a, b = skin.edges.T
    n, k = skin.num_points, skin.edge_stiffness
    off = coo_array((np.r_[k, k], (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()
    sunk = spsolve((diags(skin.vertex_stiffness) + diags(off.sum(axis=1)) - off).tocsc(), force)
    np.testing.assert_allclose(body.displacements[:, 2], sunk, atol=2e-3 * np.abs(sunk).max())
    np.testing.assert_allclose(
        contact.force[2] * (1 if contact.first.skeleton is ball else -1), mass * GRAVITY, rtol=1e-3
    )


def _linear(*robots: kido.Skeleton) -> FloatArray:
    return np.sum([robot.linear_momentum() for robot in robots], axis=0)


def _angular(*robots: kido.Skeleton) -> FloatArray:
    """About the world's origin."""
    return np.sum([r.angular_momentum() + np.cross(r.com(), r.linear_momentum()) for r in robots], axis=0)


def _energy(*robots: kido.Skeleton) -> float:
    springs = sum(b.spring_energy for r in robots for b in r.bodies if isinstance(b, kido.SoftBodyNode))
    return springs + sum(robot.kinetic_energy for robot in robots)


def test_a_collision_with_a_face_keeps_momentum_and_gains_no_energy() -> None:
    found = []
    for step in (1e-3, 2.5e-4):
        cube = soft_cube((0.1, 0.2, 0.3))
        box = rigid(Box((0.06, 0.06, 0.06)), (0.32, 0.23, 0.32), (0.7, 0.4, 0.3), mass=0.3)
        R = box.bodies[0].transform()[:3, :3]
        box.velocities = np.r_[1.0, 2.0, -1.0, R.T @ (-2.0, 0.3, 0.0)]
        world = kido.World([cube, box], gravity=WEIGHTLESS, time_step=step)
        linear, angular, energy = _linear(cube, box), _angular(cube, box), _energy(cube, box)
        touched = 0
        for _ in range(round(0.2 / step)):
            world.step()
            touched += bool(face_contacts(world))
            now = _energy(cube, box)
            assert now <= energy * (1.0 + 1e-12)
            energy = now
        assert touched > 10
        assert cube.linear_momentum()[0] < -0.3
        np.testing.assert_allclose(_linear(cube, box), linear, atol=1e-13)
        found.append(np.abs(_angular(cube, box) - angular).max())
    # Impulses act where bodies were when the step began: an error of a step's length.
    assert found[0] < 2e-4 and found[1] < 0.3 * found[0]


def _deepest(points: FloatArray, body: kido.SoftBodyNode) -> float:
    """How far points are behind the faces of a body that they are inside of, by winding numbers [m]."""
    corners = body.point_positions()[body.skin.faces]
    deepest = 0.0
    for p in points:
        a, b, c = (corners[:, k] - p for k in range(3))
        la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
        dots = [(x * y).sum(axis=1) for x, y in ((a, b), (b, c), (c, a))]
        volume = (a * np.cross(b, c)).sum(axis=1)
        angles = np.arctan2(volume, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
        if angles.sum() > np.pi:
            normal = np.cross(b - a, c - a)
            normal /= np.linalg.norm(normal, axis=1)[:, None]
            deepest = max(deepest, float((normal * a).sum(axis=1).min()))
    return deepest


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    "turned", [(0.0, 0.0, 0.0), (0.0, np.pi / 4, 0.0), (np.arctan(np.sqrt(0.5)), 0.0, 0.0), (0.6, 0.5, 0.3)]
)
@pytest.mark.parametrize("beside", [(0.03, 0.02), (0.1, 0.07)])
def test_soft_cubes_do_not_enter_each_other(
    count: int, turned: tuple[float, float, float], beside: tuple[float, float]
) -> None:
    """Dropped onto each other, flat, with an edge or with a corner on a face: points stay outside."""
    under, over = soft_cube((0, 0, 0.105), count=count), soft_cube(count=count, name="over")
    over.positions = (*turned, *beside, 0.42)
    world = kido.World([kido.gallery.ground(), under, over])
    touched = 0
    for _ in range(60):
        world.step(15)
        touched += bool(face_contacts(world))
        for one, other in ((under, over), (over, under)):
            assert _deepest(soft_of(one).point_positions(), soft_of(other)) < 1e-3
    assert touched


def test_a_corner_pressed_into_a_soft_face_dents_it() -> None:
    """Guided onto it by 20 N, which it feels whole; the corner stays outside."""
    under = soft_cube(held=True, count=3, vertex_stiffness=200.0)
    T = np.eye(4)
    T[:3, :3] = kido.math.so3_exp((0.0, np.pi / 4, 0.0)) @ kido.math.so3_exp((np.arctan(np.sqrt(0.5)), 0, 0))
    T[:3, 3] = (0.04, 0.05, EDGE / 2 + EDGE * np.sqrt(0.75) + 3 * RADIUS)
    joint = kido.PrismaticJoint("down", T[:3, :3].T @ (0, 0, 1), T_parent_joint=T)
    over = soft_cube(joint=joint, count=3, name="over", vertex_stiffness=2000.0)
    over.commands = [-20.0]
    world = kido.World([under, over], gravity=WEIGHTLESS)
    for _ in range(30):
        world.step(50)
        assert _deepest(soft_of(over).point_positions(), soft_of(under)) < 1e-4
    np.testing.assert_allclose(force_on(world, over), (0.0, 0.0, 20.0), atol=0.2)
    assert soft_of(under).displacements[:, 2].min() < -4e-3
    lowest = soft_of(over).point_positions()[:, 2].min()
    assert lowest < EDGE / 2 + 2 * RADIUS - 4e-3 and face_contacts(world)


def test_soft_bodies_that_collide_keep_momentum_and_gain_no_energy() -> None:
    left, right = soft_cube((0.0, 0.0, 0.0), count=3), soft_cube(count=3, name="right")
    right.positions = (0.7, 0.4, 0.3, 0.33, 0.06, 0.05)
    R = right.bodies[0].transform()[:3, :3]
    right.velocities = np.r_[1.0, 2.0, -1.0, R.T @ (-2.0, 0.3, 0.0)]
    world = kido.World([left, right], gravity=WEIGHTLESS)
    linear, angular, energy = _linear(left, right), _angular(left, right), _energy(left, right)
    touched = 0
    for _ in range(250):
        world.step()
        touched += bool(face_contacts(world))
        now = _energy(left, right)
        assert now <= energy * (1.0 + 1e-12)
        energy = now
    assert touched > 10 and left.linear_momentum()[0] < -0.4
    np.testing.assert_allclose(_linear(left, right), linear, atol=1e-12)
    np.testing.assert_allclose(_angular(left, right), angular, atol=3e-4)


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_friction_on_a_face_is_an_exact_cone(angle: float) -> None:
    rough = Surface(friction=0.5)
    cube = soft_cube(held=True, surface=rough, vertex_stiffness=1e5, edge_stiffness=1e5, damping=50.0)
    joint = kido.TranslationalJoint("slides", T_parent_joint=(-0.03, -0.02, EDGE / 2 + RADIUS + 0.02))
    ball = rigid(Sphere(0.02), (0, 0, 0), mass=1.0, joint=joint, surface=rough)
    world = kido.World([cube, ball])
    world.step(200)
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    for factor in (0.98, 1.1):
        ball.commands = factor * 0.5 * GRAVITY * along
        world.step(100)
        assert face_contacts(world)
        for contact in world.contacts:
            lift = contact.force @ contact.normal
            assert np.linalg.norm(contact.force - lift * contact.normal) <= 0.5 * lift * (1.0 + 1e-6)
        force, speed = force_on(world, ball), ball.velocities @ along
        rubbing = force[:2] @ along[:2]
        if factor < 1.0:
            assert speed < 1e-4 and rubbing == pytest.approx(-0.49 * GRAVITY, rel=1e-2)
        else:
            assert speed == pytest.approx(0.05 * GRAVITY * 0.1, rel=0.03)
            assert rubbing == pytest.approx(-0.5 * force[2], rel=1e-3)


def test_contacts_name_the_face() -> None:
    cube, ball = soft_cube(held=True), rigid(Sphere(0.02), (0.03, -0.05, 0.13))
    world = kido.World([cube, ball])
    world.step(300)
    contacts = [c for c in world.contacts if c.force.any()]
    assert contacts
    for contact in contacts:
        on_skin = contact.first if contact.first_face is not None else contact.second
        face = contact.first_face if contact.first_face is not None else contact.second_face
        assert on_skin is soft_of(cube).skin_node and face is not None
        assert (contact.first_face is None) != (contact.second_face is None)
        corners = soft_of(cube).point_positions()[soft_of(cube).skin.faces[face]]
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        normal /= np.linalg.norm(normal)
        inside = contact.point - RADIUS * normal
        shares = np.linalg.lstsq(np.vstack([corners.T, np.ones(3)]), np.r_[inside, 1.0], rcond=None)[0]
        assert (shares > -1e-3).all() and abs(normal @ (inside - corners[0])) < 1e-3
    flat = kido.World([kido.gallery.ground(), soft_cube((0, 0, EDGE / 2 + RADIUS))])
    flat.step(10)
    assert len(flat.contacts) == 4  # a plane touches the points
    assert all(c.first_face is None and c.second_face is None for c in flat.contacts)


def _pressed_world(**options: Any) -> kido.World:
    things = [rigid(Box((0.05, 0.05, 0.05)), (0.02, 0.01, 0.15), (0.6, 0.5, 0.2))]
    return kido.World([kido.gallery.ground(), soft_cube((0, 0, 0.105), count=3), *things], **options)


def test_faces_in_contact_go_on_bit_for_bit() -> None:
    world = _pressed_world()
    world.step(150)
    assert face_contacts(world)
    snapshot = world.snapshot()
    twins = [world.clone(), pickle.loads(pickle.dumps(world))]
    found = kido.rollout(world, np.zeros((2, 120, 12)), threads=2)
    world.step(120)
    expected = [np.r_[s.positions, s.velocities] for s in world.skeletons]
    shape = soft_of(world.skeletons[1]).displacements
    for twin in twins:
        twin.step(120)
        for got, wanted in zip(twin.skeletons, expected, strict=True):
            np.testing.assert_array_equal(np.r_[got.positions, got.velocities], wanted)
        np.testing.assert_array_equal(soft_of(twin.skeletons[1]).displacements, shape)
    for positions in found.positions[:, -1]:
        np.testing.assert_array_equal(
            positions, np.r_[world.skeletons[1].positions, world.skeletons[2].positions]
        )
    world.restore(snapshot)
    world.step(120)
    for got, wanted in zip(world.skeletons, expected, strict=True):
        np.testing.assert_array_equal(np.r_[got.positions, got.velocities], wanted)


def test_a_skin_that_touches_nothing_is_passed_through() -> None:
    for skin, own in ((False, True), (True, False)):
        cube, ball = soft_cube(held=True), rigid(Sphere(0.02), (0.02, 0.01, 0.14))
        soft_of(cube).skin_node.collision = skin
        ball.bodies[0].shape_nodes[0].collision = own
        world = kido.World([cube, ball])
        world.step(500)
        assert not world.contacts and ball.positions[5] < 0.0


def test_forces_on_faces_are_those_of_the_contacts() -> None:
    cube, ball = soft_cube((0, 0, EDGE / 2 + RADIUS)), rigid(Sphere(0.02), (0.03, -0.05, 0.24))
    world = kido.World([kido.gallery.ground(), cube, ball])
    body = soft_of(cube)
    np.testing.assert_array_equal(world.face_forces(body), np.zeros((12, 3)))
    world.step(200)
    forces = world.face_forces(body)
    np.testing.assert_allclose(forces.sum(axis=0), force_on(world, cube), atol=1e-12)
    pressed = [c for c in face_contacts(world) if c.force.any()]
    assert pressed
    for contact in pressed:
        face = contact.first_face if contact.first_face is not None else contact.second_face
        assert face is not None
        assert forces[face, 2] < -0.5
    # The ground holds four points; faces around each share its force by their areas.
    points = np.zeros((8, 3))
    for contact in world.contacts:
        if contact.first_face is None and contact.second_face is None:
            sign = 1.0 if contact.first.skeleton is cube else -1.0
            nearest = np.linalg.norm(body.point_positions() - contact.point, axis=1).argmin()
            points[nearest] += sign * contact.force
    for point in range(8):
        around = np.flatnonzero((body.skin.faces == point).any(axis=1))
        corners = body.point_positions()[body.skin.faces[around]]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(normals, axis=1)
        forces[around] -= areas[:, None] / areas.sum() * points[point]
    for contact in pressed:
        sign = 1.0 if contact.first.skeleton is cube else -1.0
        face = contact.first_face if contact.first_face is not None else contact.second_face
        forces[face] -= sign * contact.force
    np.testing.assert_allclose(forces, 0.0, atol=1e-9)
    other = soft_cube(name="other")
    np.testing.assert_array_equal(world.face_forces(soft_of(other)), np.zeros((12, 3)))
    with pytest.raises(TypeError, match="body: expected a SoftBodyNode, got BodyNode"):
        world.face_forces(ball.bodies[0])  # type: ignore[arg-type]


def _sheet_pair(touches_itself: bool) -> tuple[kido.Skeleton, kido.SoftBodyNode]:
    """A flat closed slab, two sheets 40 mm apart, whose points are held weakly."""
    robot = kido.Skeleton("slab")
    body = robot.add_body("core", None, kido.WeldJoint(), inertia=kido.Inertia(0.1, moment=1e-4 * np.eye(3)))
    skin = SoftSkin.of_shape(
        Box((0.2, 0.2, 0.04)),
        0.2,
        divisions=(5, 4, 2),
        vertex_stiffness=5.0,
        edge_stiffness=0.0,
        damping=0.2,
        radius=RADIUS,
        touches_itself=touches_itself,
    )
    kido.SoftBodyNode.add_skin(body, skin)
    return robot, soft_of(robot)


@pytest.mark.parametrize("touches", [True, False])
def test_a_body_pressed_flat_touches_itself_where_it_may(touches: bool) -> None:
    robot, body = _sheet_pair(touches)
    world = kido.World([robot], gravity=WEIGHTLESS)
    above = body.skin.points[:, 2] > 0.0
    # The sheets do not face each other point by point.
    body.displacements = np.where(above[:, None], (0.013, 0.009, 0.0), 0.0)
    push = np.zeros((body.num_points, 3))
    push[above, 2] = -0.5
    push[~above, 2] = 0.5
    for _ in range(40):
        body.point_forces = push
        world.step(25)
    gap = (body.skin.points + body.displacements)[:, 2]
    if not touches:
        assert not world.contacts and gap[above].max() < gap[~above].min() - 0.05  # right through each other
        return
    places, below = body.skin.points + body.displacements, ~above[body.skin.faces].any(axis=1)
    for corners in places[body.skin.faces[below]]:
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        normal /= np.linalg.norm(normal)  # downwards
        arms = places[above] - corners[0]
        shares = np.linalg.lstsq((corners[1:] - corners[0]).T, arms.T, rcond=None)[0]
        over = (shares > 0.0).all(axis=0) & (shares.sum(axis=0) < 1.0)
        assert (arms[over] @ normal < 1e-3 - 2 * RADIUS).all()
    inner = [c for c in world.contacts if c.force.any()]
    assert inner and all(c.first.body is body and c.second.body is body for c in inner)
    assert all((c.first_face is None) != (c.second_face is None) for c in inner)
    np.testing.assert_allclose(world.face_forces(body).sum(axis=0), 0.0, atol=1e-9)


def test_what_rests_never_touches_itself() -> None:
    shapes: list[tuple[Shape, tuple[int, ...]]] = [
        (Box((0.2, 0.2, 0.2)), (9, 9, 9)),  # points 25 mm apart, balls of 40 mm
        (Sphere(0.1), (12, 9)),
        (Cylinder(0.05, 0.02), (12, 2, 3)),
    ]
    for shape, divisions in shapes:
        robot = kido.Skeleton("soft")
        body = robot.add_body(
            "core", None, kido.FreeJoint(), inertia=kido.Inertia(0.2, moment=4e-4 * np.eye(3))
        )
        skin = SoftSkin.of_shape(
            shape, 0.3, divisions=divisions, vertex_stiffness=50.0, radius=0.02, touches_itself=True
        )
        kido.SoftBodyNode.add_skin(body, skin)
        robot.velocities = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
        world = kido.World([robot])
        world.step(20)
        assert all(not c.force.any() and c.depth < 0.0 for c in world.contacts)


def test_touching_itself_keeps_momentum_and_gains_no_energy() -> None:
    robot = kido.Skeleton("soft")
    body = robot.add_body("core", None, kido.FreeJoint(), inertia=kido.Inertia(0.1, moment=1e-4 * np.eye(3)))
    options = {"vertex_stiffness": 5.0, "edge_stiffness": 20.0, "damping": 0.01, "radius": RADIUS}
    skin = SoftSkin.of_shape(Box((0.2, 0.2, 0.06)), 0.2, divisions=(4, 4, 2), touches_itself=True, **options)
    soft = kido.SoftBodyNode.add_skin(body, skin)
    robot.velocities = (0.3, -0.2, 0.4, 0.1, 0.2, 0.3)
    soft.displacement_velocities = -np.sign(skin.points[:, 2:]) * (0.1, 0.2, 3.0)
    world = kido.World([robot], gravity=WEIGHTLESS, time_step=5e-4)
    linear, energy, touched = _linear(robot), _energy(robot), 0
    for _ in range(300):
        world.step()
        touched += any(c.force.any() for c in world.contacts)
        now = _energy(robot)
        assert now <= energy * (1.0 + 1e-9)
        energy = now
    assert touched > 5
    np.testing.assert_allclose(_linear(robot), linear, atol=1e-13)
    rest = pickle.loads(pickle.dumps(world))
    for one in (rest, world):
        one.step(50)
    np.testing.assert_array_equal(rest.skeletons[0].positions, robot.positions)


def test_faces_without_area_are_named() -> None:
    points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)]
    with pytest.raises(kido.errors.DescriptionError, match=r"faces: \[0, 1, 2\] has no area"):
        SoftSkin(points, 1.0, faces=[(0, 1, 3), (0, 1, 2)])
    with pytest.raises(TypeError, match="touches_itself"):
        SoftSkin.of_shape(Box((1, 1, 1)), 1.0, touches_itself=1)
