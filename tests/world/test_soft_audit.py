"""Audits of worlds with soft bodies: energies and momenta of points, and where they come from."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.description import SoftSkin
from kido.shape import Box
from kido.typing import FloatArray

GRAVITY = 9.81
CORE = kido.Inertia(0.2, (0.01, -0.02, 0.005), np.diag([4e-4, 5e-4, 6e-4]))


def cube(height: float = 0.2, joint: kido.Joint | None = None, **options: float) -> kido.Skeleton:
    robot = kido.Skeleton("cube")
    body = robot.add_body("core", None, kido.FreeJoint() if joint is None else joint, inertia=CORE)
    given = {"vertex_stiffness": 200.0, "edge_stiffness": 500.0, "damping": 1.0, "radius": 0.005, **options}
    kido.SoftBodyNode.add_skin(body, SoftSkin.of_shape(Box((0.2, 0.2, 0.2)), 0.4, **given))
    if joint is None:
        robot.positions = (0.3, 0.1, -0.2, 0.0, 0.0, height)
    return robot


def soft_of(robot: kido.Skeleton) -> kido.SoftBodyNode:
    body = robot.bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


def shaken(robot: kido.Skeleton) -> kido.SoftBodyNode:
    rng = np.random.default_rng(0)
    body = soft_of(robot)
    body.displacements = 0.01 * rng.normal(size=(26, 3))
    body.displacement_velocities = 0.3 * rng.normal(size=(26, 3))
    return body


def momentum_of(robot: kido.Skeleton) -> FloatArray:
    return np.concatenate([soft_of(robot).angular_momentum(), robot.linear_momentum()])


@pytest.mark.parametrize("beyond", [{"bulk_modulus": 300.0}, {"yield_distance": 0.005}])
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_an_audit_has_the_energies_and_momenta_of_body_and_points(
    step: float, beyond: dict[str, float]
) -> None:
    robot = cube(1.0, **beyond)
    body = shaken(robot)
    robot.velocities = (1.0, -2.0, 0.5, 0.3, 0.2, 0.1)
    world = kido.World([robot])
    world.time_step = step
    for _ in range(3):
        kinetic, potential, momentum = robot.kinetic_energy, robot.potential_energy, momentum_of(robot)
        world.step()
        audit = world.audit
        assert audit.kinetic_energy == pytest.approx(robot.kinetic_energy, rel=1e-10)
        assert audit.potential_energy == pytest.approx(robot.potential_energy, rel=1e-10)
        assert audit.kinetic_energy_gain == pytest.approx(robot.kinetic_energy - kinetic, abs=1e-10)
        assert audit.potential_energy_gain == pytest.approx(robot.potential_energy - potential, abs=1e-10)
        np.testing.assert_allclose(audit.momentum, momentum_of(robot), atol=1e-11)
        np.testing.assert_allclose(audit.momentum_gain, momentum_of(robot) - momentum, atol=1e-11)
        assert audit.work.total == pytest.approx(audit.kinetic_energy_gain, abs=1e-12)
    assert body.spring_energy > 0.0
    np.testing.assert_allclose(audit.impulses.gravity[3:], [0, 0, -GRAVITY * 0.6 * step], atol=1e-12)


def test_nothing_is_left_over_in_free_flight() -> None:
    robot = cube(1.0)
    body = shaken(robot)
    body.displacements = body.displacements + np.array([0.05, 0.0, 0.0])
    robot.velocities = (1.0, 2.0, 0.5, 0.3, 0.0, 0.0)
    world = kido.World([robot])
    world.step()
    audit = world.audit
    np.testing.assert_allclose(audit.impulses.numerical[3:], 0.0, atol=1e-13)
    np.testing.assert_allclose(audit.impulses.numerical[:3], 0.0, atol=2e-5)  # gravity moves its lever
    np.testing.assert_allclose(audit.impulses.root_joints, 0.0, atol=1e-11)
    assert audit.work.dampers < 0.0


def test_work_of_springs_dampers_and_forces_adds_up_as_steps_get_short() -> None:
    left = []
    for step in (1e-3, 1e-4):
        robot = cube(1.0, bulk_modulus=500.0)
        body = shaken(robot)
        robot.velocities = (1.0, 2.0, 0.5, 0.3, 0.0, 0.0)
        body.point_forces = np.random.default_rng(2).normal(size=(26, 3))
        world = kido.World([robot])
        world.time_step = step
        total, numerical = 0.0, 0.0
        for _ in range(round(0.01 / step)):
            world.step()
            work = world.audit.work
            total += abs(work.springs) + abs(work.dampers) + abs(work.external) + abs(work.gravity)
            numerical += work.numerical
        left.append(abs(numerical) / total)
    assert left[0] < 0.6 and left[1] < 0.2 * left[0]


def test_the_impulse_of_a_force_on_a_point_is_from_outside() -> None:
    robot = cube(1.0)
    forces = np.zeros((26, 3))
    forces[7] = (0.5, -1.0, 2.0)
    body = soft_of(robot)
    body.point_forces = forces
    R, place = robot.bodies[0].transform()[:3, :3], body.point_positions()[7]
    world = kido.World([robot], gravity=(0, 0, 0))
    world.step()
    force = R @ forces[7]
    expected = 1e-3 * np.concatenate([np.cross(place, force), force])
    np.testing.assert_allclose(world.audit.impulses.external, expected, atol=1e-12)
    np.testing.assert_allclose(world.audit.momentum_gain, expected, atol=1e-7)
    assert world.audit.work.external == pytest.approx(world.audit.kinetic_energy_gain, rel=0.3)
    assert world.audit.work.external > 1e-6


def test_contacts_on_points_bear_the_body_and_do_their_work() -> None:
    robot = cube(0.13)
    robot.positions = (0.0, 0.0, 0.0, 0.0, 0.0, 0.106)
    world = kido.World([kido.gallery.ground(), robot])
    lost, pressed = [], 0.0
    for k in range(30):
        energy = robot.kinetic_energy + robot.potential_energy
        world.step()
        audit = world.audit
        found = robot.kinetic_energy + robot.potential_energy
        assert audit.kinetic_energy_gain + audit.potential_energy_gain == pytest.approx(
            found - energy, abs=1e-9
        )
        lost.append(audit.work.contacts)
        if k > 10:  # points stand while the core sinks
            pressed += abs(audit.impulses.contacts[5] * robot.velocities[5])
    assert min(lost) < -1e-5 and max(lost) < 1e-6  # landing takes energy, and standing none
    assert np.abs(lost[11:]).sum() < 0.1 * pressed
    world.step(3000)
    audit = world.audit
    np.testing.assert_allclose(
        audit.impulses.contacts[3:], [0, 0, GRAVITY * 0.6 * 1e-3], rtol=1e-3, atol=1e-7
    )
    assert abs(audit.work.contacts) < 1e-9


def test_a_root_that_holds_a_soft_body_gives_what_gravity_takes() -> None:
    robot = cube(joint=kido.RevoluteJoint(axis=(0, 1, 0)), damping=5.0)
    robot.joints[0].actuator = "locked"
    world = kido.World([robot])
    world.step(4000)
    audit = world.audit
    np.testing.assert_allclose(audit.impulses.root_joints[3:], [0, 0, GRAVITY * 0.6 * 1e-3], atol=1e-8)
    wrench = world.joint_wrench(robot.bodies[0])
    np.testing.assert_allclose(wrench[3:], [0, 0, GRAVITY * 0.6], atol=1e-6)


def test_forces_on_a_face_work_at_its_corners_by_their_shares() -> None:
    robot = kido.Skeleton("cube")
    body = robot.add_body("core", None, kido.WeldJoint(), inertia=CORE)
    springs = {"vertex_stiffness": 200.0, "edge_stiffness": 500.0, "damping": 2.0, "radius": 0.005}
    skin = SoftSkin.of_shape(Box((0.2, 0.2, 0.2)), 0.4, divisions=(2, 2, 2), **springs)
    soft = kido.SoftBodyNode.add_skin(body, skin)
    ball = kido.gallery.ball(0.02, mass=0.1)
    ball.positions = (0.0, 0.0, 0.0, 0.03, -0.05, 0.126)
    ball.velocities = (0.0, 0.0, 0.0, 0.1, 0.0, -0.5)
    world = kido.World([robot, ball])
    steps = 0
    for _ in range(30):
        corners, slow, flight = (
            soft.point_positions(),
            soft.point_velocities(),
            ball.bodies[0].linear_velocity(),
        )
        center = ball.com()
        world.step()
        touching = [c for c in world.contacts if c.force.any()]
        if len(touching) != 1 or touching[0].first.skeleton is touching[0].second.skeleton:
            continue
        contact = touching[0]
        on_ball = contact.force if contact.first.skeleton is ball else -contact.force
        face = contact.second_face if contact.first.skeleton is ball else contact.first_face
        if face is None:
            continue
        steps += 1
        a, b, c = corners[skin.faces[face]]
        normal = np.cross(b - a, c - a)
        place = center - normal * (normal @ (center - a)) / (normal @ normal)
        areas = [normal @ np.cross(u - place, v - place) for u, v in ((b, c), (c, a), (a, b))]
        shares = np.array(areas) / (normal @ normal)
        points = shares @ (0.5 * (slow + soft.point_velocities()))[skin.faces[face]]
        moved = 0.5 * (flight + ball.bodies[0].linear_velocity())
        spin = ball.bodies[0].spatial_velocity(in_coordinates_of=kido.WORLD)[:3]
        expected = world.time_step * float(on_ball @ (moved - points))
        limit = world.time_step * float(np.linalg.norm(on_ball) * (1e-3 + 0.025 * np.linalg.norm(spin)))
        audit = world.audit
        assert audit.work.contacts == pytest.approx(expected, abs=limit)
        assert audit.kinetic_energy == pytest.approx(robot.kinetic_energy + ball.kinetic_energy, rel=1e-10)
        np.testing.assert_allclose(audit.impulses.numerical[3:], 0.0, atol=1e-12)
    assert steps > 3
