"""Heavy bodies on light links of skeletons that are held: fingers, lifts, flaps on their stops."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from _scenes import KINDS, G, as_kind, on_ground, origin, put
from test_heavy_on_light import depth, drift, solved_directly, stiff

import kido
from kido import Skeleton, Surface, World, gallery
from kido.shape import Box

ROUGH = Surface(friction=0.8)


def box(mass: float, place: Sequence[float], size: Sequence[float] = (0.2, 0.2, 0.2)) -> Skeleton:
    return put(gallery.rigid_body(Box(size), mass, name="load", surface=ROUGH), place)


def link_on(
    joint: kido.Joint, mass: float, shape: Box, com: Sequence[float] = (0.0, 0.0, 0.0), name: str = "link"
) -> Skeleton:
    """A light link on a base that does not move."""
    made = Skeleton(name)
    base = made.add_body("base", joint=kido.WeldJoint("base"))
    inertia = kido.Inertia(mass=mass, com=com, moment=np.eye(3) * mass * 1e-2)
    body = made.add_body("link", base, joint, inertia=inertia)
    T = np.eye(4)
    T[:3, 3] = com
    kido.ShapeNode(body, "link", shape, transform=T, surface=ROUGH)
    return made


def lift(servo: bool, load: float) -> Skeleton:
    made = link_on(kido.PrismaticJoint("lift", axis=(0, 0, 1)), 0.3, Box((0.4, 0.4, 0.02)))
    if servo:
        made.joint("lift").actuator = kido.ActuatorType.SERVO
        made.force_upper_limits, made.force_lower_limits = [1e6], [-1e6]
    else:
        made.commands = [(load + 0.3) * G]
    return made


def flap(mass: float) -> Skeleton:
    """On a hinge, horizontal at its stop."""
    made = link_on(kido.RevoluteJoint("hinge", axis=(0, 1, 0)), mass, Box((0.4, 0.4, 0.02)), (0.2, 0.0, 0.0))
    made.position_lower_limits, made.position_upper_limits = [-1.0], [0.0]
    return made


def gripper() -> Skeleton:
    """Two fingers of 0.1 kg on prismatic joints."""
    made = Skeleton("gripper")
    base = made.add_body("base", joint=kido.WeldJoint("base"))
    for side in range(2):
        inertia = kido.Inertia(mass=0.1, com=(0, 0, 0), moment=np.eye(3) * 1e-4)
        joint = kido.PrismaticJoint(f"joint_{side}", axis=(1, 0, 0))
        finger = made.add_body(f"finger_{side}", base, joint, inertia=inertia)
        kido.ShapeNode(finger, f"finger_{side}", Box((0.02, 0.06, 0.06)), surface=ROUGH)
    made.positions = [-0.06, 0.06]
    return made


@pytest.mark.parametrize("servo", [False, True])
@pytest.mark.parametrize("load", [10.0, 100.0])
def test_a_light_lift_carries_a_heavy_box(servo: bool, load: float) -> None:
    tray, crate = lift(servo, load), box(load, (0.03, 0.02, 0.11))
    world = World([tray, crate])
    deepest = 0.0
    for _ in range(20):
        world.step(20)
        deepest = max(deepest, depth(world))
    assert solved_directly(world) == 1
    assert deepest < 2e-6
    assert drift(world, [crate], 500) < 1e-8
    assert tray.positions[0] == pytest.approx(0.0, abs=2e-6)
    assert sum(abs(c.force[2]) for c in world.contacts) == pytest.approx(load * G, rel=1e-6)


def test_a_flap_at_its_stop_carries_a_thousand_times_its_mass() -> None:
    made, crate = flap(0.1), box(100.0, (0.2, 0.02, 0.11))
    world = World([made, crate])
    deepest = 0.0
    for _ in range(20):
        world.step(20)
        deepest = max(deepest, depth(world))
    assert solved_directly(world) == 1
    assert deepest < 2e-5
    assert drift(world, [crate], 500) < 1e-8
    assert abs(made.positions[0]) < 2e-5


@pytest.mark.parametrize("servo", [False, True])
def test_light_fingers_hold_ten_kilograms(servo: bool) -> None:
    hand, crate = gripper(), box(10.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    force = 1.5 * 10.0 * G / (2.0 * 0.8)
    hand.commands = [force, -force]
    if servo:
        for k in range(2):
            hand.joint(f"joint_{k}").actuator = kido.ActuatorType.SERVO
        hand.force_upper_limits, hand.force_lower_limits = [force, force], [-force, -force]
        hand.commands = [0.5, -0.5]
    world = World([hand, crate])
    world.step(60)  # what forces do is seen after some steps
    assert solved_directly(world) == 2
    for _ in range(20):
        world.step(20)
        assert depth(world) < 2e-6
    assert abs(origin(crate)[2]) < 2e-5
    assert drift(world, [crate], 2000) < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_a_robot_stands_on_a_light_box(kind: str) -> None:
    robot = stiff(gallery.humanoid())
    for joint in robot.joints:
        if joint.num_dofs and not isinstance(joint, kido.FreeJoint):
            joint.actuator = kido.ActuatorType.SERVO
    crate = as_kind(kind, gallery.rigid_body(Box((0.5, 0.6, 0.3)), 1.0, name="crate", surface=ROUGH))
    put(crate, (0.0, 0.0, 0.15))
    robot.positions = [*robot.positions[:5], robot.positions[5] + 0.3, *robot.positions[6:]]
    world = on_ground(crate, robot)
    world.step(300)
    assert solved_directly(world) == 3
    assert depth(world) < 2e-5
    place = robot.com()
    assert drift(world, [crate], 1000) < 1e-8
    np.testing.assert_allclose(robot.com(), place, atol=1e-8)


def test_arms_that_carry_little_are_not_solved_directly() -> None:
    tray, crate = lift(True, 2.0), box(2.0, (0.0, 0.0, 0.11))
    world = World([tray, crate, put(gallery.box((1, 1, 1), 500.0, name="aside"), (9.0, 0.0, 0.0))])
    for _ in range(20):
        world.step(20)
        assert solved_directly(world) == 0


def test_copies_go_on_bit_for_bit() -> None:
    def bits(world: World) -> bytes:
        return b"".join(np.array([*s.positions, *s.velocities]).tobytes() for s in world.skeletons)

    world = World([flap(0.1), box(100.0, (0.2, 0.02, 0.12))])
    world.step(60)
    assert solved_directly(world) == 1
    saved, others = world.snapshot(), [world.clone(), pickle.loads(pickle.dumps(world))]
    world.step(100)
    expected = bits(world)
    for other in others:
        other.step(100)
        assert bits(other) == expected
    world.restore(saved)
    world.step(100)
    assert bits(world) == expected
