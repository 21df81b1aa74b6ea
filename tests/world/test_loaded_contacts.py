"""Heavy loads that go through a light link into a contact, by a limit of its joint or the points of a pad."""

from __future__ import annotations

import numpy as np
import pytest
from _looped import looped
from _scenes import TIME_STEPS

from kido import BallJoint, PrismaticJoint, RevoluteJoint, ShapeNode, Skeleton, Surface, World, gallery
from kido.description import Inertia
from kido.shape import Box, Shape, Sphere

LIMIT, FOOT = 0.3, 0.2
GRAVITY = 9.81


def press(
    load: float, way: float = 1.0, joint: str = "revolute", heel: str = "edge", friction: float = 0.8
) -> Skeleton:
    """A load on a rail above a foot of 0.2 kg, whose toes it turns up to the limit of the ankle.

    Args:
        load: mass [kg].
        way: 1 or -1, where the toes are along x.
        joint: of the ankle, ``"revolute"`` or ``"ball"``.
        heel: what touches the ground, the ``"edge"`` of a sole, a ``"ball"``, or a ``"pad"`` in its middle.
        friction: of the sole.
    """
    made = Skeleton("press")
    rail = PrismaticJoint("rail", (0, 0, 1))
    top = made.add_body("load", joint=rail, inertia=Inertia(load, (0, 0, 0), np.eye(3) * load * 0.01))
    ankle = RevoluteJoint("ankle", (0, 1, 0)) if joint == "revolute" else BallJoint("ankle")
    foot = made.add_body("foot", top, ankle, inertia=Inertia(FOOT, (0, 0, -0.03), np.eye(3) * FOOT * 1e-3))
    shape: Shape = Sphere(0.02) if heel == "ball" else Box((0.1, 0.2, 0.04))
    at = way * {"edge": 0.1, "ball": 0.05, "pad": 0.0}[heel]
    ShapeNode(foot, "sole", shape, (at, 0.0, -0.04), surface=Surface(friction=friction))
    ankle.position_upper_limits = np.full(ankle.num_dofs, LIMIT)
    ankle.position_lower_limits = np.full(ankle.num_dofs, -LIMIT)
    turned = 0.0 if heel == "pad" else -way * LIMIT
    made.positions = [0.08, *([turned] if joint == "revolute" else [0.0, turned, 0.0])]
    return made


def beyond(made: Skeleton) -> float:
    q = made.joint("ankle").positions
    return float(np.max(np.abs(q)) - LIMIT)


def depth(world: World) -> float:
    return max((contact.depth for contact in world.contacts), default=0.0)


@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped(
    "load, way, joint, heel, friction",
    [
        (50.0, -1.0, "revolute", "edge", 0.0),
        (200.0, 1.0, "revolute", "edge", 0.8),
        (200.0, -1.0, "revolute", "ball", 0.0),
        (200.0, -1.0, "ball", "ball", 0.8),
    ],
)
def test_limits_and_contacts_hold_what_goes_through_both(
    time_step: float, load: float, way: float, joint: str, heel: str, friction: float
) -> None:
    """Loads of 250 to 1000 times the foot, that land at 0.8 m/s."""
    made = press(load, way, joint, heel, friction)
    world = World([gallery.ground(), made], time_step=time_step)
    past = deepest = 0.0
    while world.time < 2.0:
        world.step()
        past, deepest = max(past, beyond(made)), max(deepest, depth(world))
    assert past < np.radians(0.01)
    assert 0.0 < deepest < 2.5e-5
    assert np.abs(made.velocities).max() < 1e-9
    forces = np.array([contact.force * np.sign(contact.force[2]) for contact in world.contacts])
    points = np.array([contact.point for contact in world.contacts])
    assert np.isclose(forces[:, 2].sum(), (load + FOOT) * GRAVITY, rtol=1e-6)
    # About the ankle: what the ground gives at the heel, and the foot's own weight.
    ankle = made.body("foot").transform()
    own = np.cross(ankle[:3, :3] @ (0.0, 0.0, -0.03), (0.0, 0.0, -FOOT * GRAVITY))
    torque = np.cross(points - ankle[:3, 3], forces).sum(axis=0) + own
    limits = world.joint_forces(made).limits
    assert np.isclose(limits[1 if joint == "revolute" else 2], -torque[1], rtol=1e-3)


@pytest.mark.parametrize("heel", ["edge", "ball"])
@looped(
    "time_step, load, way", [(h, load, way) for h in TIME_STEPS for load, way in [(4.0, 1.0), (10.0, -1.0)]]
)
def test_limits_that_give_way_under_a_load_are_held_from_then_on(
    heel: str, time_step: float, load: float, way: float
) -> None:
    made = press(load, way, heel=heel)
    world = World([gallery.ground(), made], time_step=time_step)
    while world.time < 2.0:
        world.step()
        assert beyond(made) < np.radians(0.1)
        assert depth(world) < 2e-4


@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("load, heel", [(load, heel) for load in (10.0, 50.0, 200.0) for heel in ("edge", "pad")])
def test_edges_and_pads_under_ball_joints_carry_loads(time_step: float, load: float, heel: str) -> None:
    """Points that a light link turns against each other: 200 kg sank through them."""
    made = press(load, joint="ball", heel=heel)
    world = World([gallery.ground(), made], time_step=time_step)
    deepest = 0.0
    while world.time < 2.0:
        world.step()
        deepest = max(deepest, depth(world))
        assert beyond(made) < np.radians(0.02)
    assert deepest < 1.2e-3
    assert depth(world) < 5e-5
    assert np.abs(made.velocities).max() < 1e-9
    up = sum(contact.force[2] for contact in world.contacts)
    assert np.isclose(abs(up), (load + FOOT) * GRAVITY, rtol=1e-6)


def test_copies_go_on_alike_while_a_limit_gives_way() -> None:
    made = press(50.0)
    world = World([gallery.ground(), made])
    world.step(95)
    for _ in range(12):
        world.step(1)
        copy = world.clone()
        world.step(3)
        copy.step(3)
        there = copy.skeletons[1]
        assert np.array_equal(made.positions, there.positions)
        assert np.array_equal(made.velocities, there.velocities)


def test_a_humanoid_that_kneels_on_the_edge_of_a_foot_keeps_its_limits() -> None:
    """It stood on the edge of a foot whose ankle gave way by four degrees."""
    made = gallery.humanoid()
    q = made.positions.copy()
    q[1], q[5] = 0.043524474815545666, q[5] + 0.45210537144609586
    made.positions = q
    world = World([gallery.ground(), made])
    for _ in range(1200):
        world.step()
        q = made.positions
        past = np.maximum(made.position_lower_limits - q, q - made.position_upper_limits)
        assert past.max() < np.radians(0.05)


def test_humanoids_that_fall_on_each_other_sink_in_little() -> None:
    """What goes through the lowest of four makes its contacts give way for steps after the impact."""
    deepest = []
    for seed in range(4):
        rng, robots = np.random.default_rng(seed), []
        for k in range(4):
            robot = gallery.humanoid()
            robot.name = f"robot{k}"
            way = rng.uniform(-0.05, 0.05, 5)
            robot.positions = [way[0], np.pi / 2 + way[1], *way[2:], 0.3 + 0.35 * k, *robot.positions[6:]]
            robots.append(robot)
        world = World([gallery.ground(), *robots])
        for _ in range(500):
            world.step()
            deepest.append(max((contact.depth for contact in world.contacts), default=0.0))
    assert np.max(deepest) < 1e-3
    assert np.mean(deepest) < 3.2e-5
