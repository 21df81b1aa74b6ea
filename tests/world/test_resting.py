"""What comes to rest: stacks, robots; forces that carry them."""

from __future__ import annotations

import numpy as np
import pytest
from _scenes import G, KINDS, as_kind, on_ground, origin, put

import kido
from kido import Skeleton, World, gallery


def stack(kind: str, count: int = 10) -> list[Skeleton]:
    """Boxes of 1 kg on each other."""
    made = [as_kind(kind, gallery.box((0.1, 0.1, 0.1), 1.0, name=f"box_{i}")) for i in range(count)]
    return [put(box, (0.0, 0.0, 0.05 + 0.1 * i)) for i, box in enumerate(made)]


def force_between(world: World, first: Skeleton, second: Skeleton) -> np.ndarray:
    """Force of the second skeleton on the first (3,) [N]."""
    total = np.zeros(3)
    for contact in world.contacts:
        pair = (contact.first.skeleton, contact.second.skeleton)
        if pair == (first, second):
            total += contact.force
        elif pair == (second, first):
            total -= contact.force
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_a_stack_of_ten_comes_to_rest_without_drift(kind: str) -> None:
    boxes = stack(kind)
    world = on_ground(*boxes)
    world.step(7000)
    before = np.array([origin(box) for box in boxes])
    world.step(3000)
    after = np.array([origin(box) for box in boxes])
    assert np.abs(after - before).max() < 1e-5
    assert np.abs(after[:, :2]).max() < 5e-5
    assert (0.05 + 0.1 * np.arange(10) - after[:, 2]).max() < 1.1e-4
    assert max(contact.depth for contact in world.contacts) < 2e-5
    assert max(np.abs(box.velocities).max() for box in boxes) < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_each_box_of_a_stack_carries_the_weight_above_it(kind: str) -> None:
    boxes = stack(kind)
    world = on_ground(*boxes)
    world.step(6000)
    ground = world.skeleton("ground")
    for i, (below, box) in enumerate(zip([ground, *boxes], boxes, strict=False)):
        np.testing.assert_allclose(
            force_between(world, box, below), [0.0, 0.0, (10 - i) * G], atol=2e-3 * 10 * G
        )


@pytest.mark.parametrize("kind", KINDS)
def test_contacts_say_what_touches_where_and_how_hard(kind: str) -> None:
    box = put(as_kind(kind, gallery.box((0.2, 0.2, 0.1), 3.0)), (1.0, 2.0, 0.05))
    world = on_ground(box)
    assert world.contacts == []
    world.step(500)
    contacts = world.contacts
    assert len(contacts) == 4
    corners = {(0.9, 1.9), (0.9, 2.1), (1.1, 1.9), (1.1, 2.1)}
    assert {(round(c.point[0], 4), round(c.point[1], 4)) for c in contacts} == corners
    for contact in contacts:
        sign = 1.0 if contact.first.skeleton is box else -1.0
        assert {contact.first.skeleton, contact.second.skeleton} == {box, world.skeleton("ground")}
        np.testing.assert_allclose(contact.normal, [0.0, 0.0, sign], atol=1e-9)
        np.testing.assert_allclose(contact.force, [0.0, 0.0, sign * 3.0 * G / 4.0], atol=1e-4)
        assert 0.0 < contact.depth < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_a_pushed_box_at_rest_is_held_by_just_the_force_that_pushes(kind: str) -> None:
    box = put(as_kind(kind, gallery.box((0.2, 0.2, 0.1), 2.0)), (0.0, 0.0, 0.05))
    tilt = 0.3
    world = on_ground(box, gravity=G * np.array([np.sin(tilt), 0.0, -np.cos(tilt)]))
    world.step(500)
    held = force_between(world, box, world.skeleton("ground"))
    np.testing.assert_allclose(held, 2.0 * G * np.array([-np.sin(tilt), 0.0, np.cos(tilt)]), atol=1e-3)


def test_a_ball_is_carried_by_an_inclined_plane_along_its_normal() -> None:
    normal = np.array([0.3, -0.2, 0.9]) / np.linalg.norm([0.3, -0.2, 0.9])
    ground = gallery.ground(normal=normal, offset=0.7, surface=kido.Surface(friction=0.0))
    ball = put(gallery.ball(0.1, 2.0), normal * 0.8)
    world = World([ground, ball])
    world.step(300)
    np.testing.assert_allclose(
        force_between(world, ball, ground), 2.0 * G * normal[2] * normal, rtol=1e-4, atol=1e-6
    )
    assert origin(ball) @ normal == pytest.approx(0.8, abs=1e-5)
    down = np.array([0.0, 0.0, -G]) + G * normal[2] * normal
    np.testing.assert_allclose(origin(ball) - 0.8 * normal, 0.5 * down * 0.3**2, rtol=1e-2, atol=2e-5)


@pytest.mark.parametrize("compound_joints", [False, True])
def test_a_humanoid_falls_and_comes_to_rest(compound_joints: bool) -> None:
    robot = gallery.humanoid(compound_joints=compound_joints)
    height = robot.com()[2]
    world = on_ground(robot)
    for _ in range(400):
        world.step(10)
        assert all(contact.depth < 5e-3 for contact in world.contacts)
    assert robot.com()[2] < 0.5 * height
    assert robot.kinetic_energy < 1e-2
    assert max(contact.depth for contact in world.contacts) < 2e-4
    force = force_between(world, robot, world.skeleton("ground"))
    assert force[2] == pytest.approx(robot.mass * G, rel=0.02)


def test_a_falling_humanoid_keeps_its_limits() -> None:
    robot = gallery.humanoid()
    world = on_ground(robot)
    lower, upper = robot.position_lower_limits, robot.position_upper_limits
    beyond, met = 0.0, 0
    for _ in range(500):
        world.step(3)
        beyond = max(beyond, (lower - robot.positions).max(), (robot.positions - upper).max())
        met += bool((robot.positions - lower < 1e-3).any() or (upper - robot.positions < 1e-3).any())
    assert met > 50, "limits are met"
    assert beyond < np.deg2rad(0.5)
