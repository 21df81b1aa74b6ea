"""What acted in the last step: forces in dofs, wrenches on bodies and in joints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _scenes import KINDS, G, as_kind, on_ground, push, put, spin, velocity

import kido
from kido import ActuatorType, BodyNode, Inertia, Skeleton, World, gallery
from kido.errors import EditError
from kido.shape import Box

MASS = 2.0


def lying_humanoid() -> World:
    """It falls onto the ground with every kind of force in its joints."""
    made = gallery.humanoid()
    n = made.num_dofs
    made.coulomb_friction = [0.0] * 6 + [0.05] * (n - 6)
    made.spring_stiffness = [0.0] * 6 + [3.0] * (n - 6)
    made.damping = [0.0] * 6 + [0.2] * (n - 6)
    made.joint(5).actuator = ActuatorType.SERVO
    made.joint(7).actuator = ActuatorType.ACCELERATION
    made.commands = np.random.default_rng(1).uniform(-1.0, 1.0, n)
    made.joint(6).actuator = ActuatorType.LOCKED
    return on_ground(made)


def carrying_arm() -> World:
    """An arm under servos that carries a welded box, with another one falling onto it."""
    arm = gallery.arm7()
    arm.positions = [0.2, 0.5, 0.1, 0.9, 0.0, 0.6, 0.0]
    for joint in arm.joints:
        if joint.num_dofs:
            joint.actuator = ActuatorType.SERVO
    crate = gallery.box((0.1, 0.1, 0.1), mass=MASS, name="crate")
    hand = arm.bodies[-1].transform()[:3, 3]
    put(crate, hand + np.array([0.0, 0.0, 0.1]))
    crate.body(0).collidable = False
    top = put(gallery.box((0.2, 0.2, 0.2), name="top"), hand + np.array([0.0, 0.0, 0.3]))
    world = on_ground(arm, crate, top)
    world.constraints.add(kido.WeldConstraint(crate.body(0), arm.bodies[-1]))
    return world


def closing_gripper() -> World:
    """Fingers that follow each other take a box that is pulled at."""
    gripper = gallery.gripper()
    box = put(gallery.box((0.04, 0.04, 0.04), name="held"), gripper.com() + np.array([0.0, 0.0, 0.2]))
    for joint in gripper.joints:
        if joint.actuator.takes_commands:
            joint.commands = [0.5] * joint.num_dofs
    world = World([gripper, box])
    box.body(0).add_external_force((0.0, 1.0, 3.0))
    return world


def closed_loop() -> World:
    """A linkage whose loop is closed under a falling crate, beside dofs that a gear couples."""
    bars = gallery.chain(3)
    bars.positions = [0.3, 0.8, 0.9]
    wheel = gallery.double_pendulum()
    tip = bars.bodies[-1]
    world = World([bars, wheel, put(gallery.box((0.1, 0.1, 0.1), name="crate"), (0.0, 0.0, 0.4))])
    world.constraints.add(kido.BallConstraint(tip, None, point=tip.transform()[:3, 3]))
    world.constraints.add(kido.GearConstraint(wheel.dof(1), wheel.dof(0), ratio=-0.5))
    return world


def tonne_on_a_kilogram() -> World:
    """Heavy on light, which is solved directly, with a robot's arm under it."""
    light = as_kind("tree", put(gallery.box((0.3, 0.3, 0.1), mass=1.0, name="light"), (0.0, 0.0, 0.05)))
    heavy = as_kind("tree", put(gallery.box((0.3, 0.3, 0.3), mass=1000.0, name="heavy"), (0.02, 0.0, 0.25)))
    return on_ground(light, heavy)


SCENES = {
    "humanoid": lying_humanoid,
    "arm": carrying_arm,
    "gripper": closing_gripper,
    "closed loop": closed_loop,
    "heavy on light": tonne_on_a_kilogram,
}
scenes = pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)


def moving(world: World) -> list[Skeleton]:
    return [skeleton for skeleton in world.skeletons if skeleton.num_dofs and skeleton.mobile]


@scenes
@pytest.mark.parametrize("steps", [1, 7])
def test_inverse_dynamics_of_the_step_gives_the_forces_in_the_dofs(
    scene: Callable[[], World], steps: int
) -> None:
    world = scene()
    for _ in range(60):
        world.step(steps)
        for skeleton in moving(world):
            step = world.last_step(skeleton)
            wrenches = step.contacts + step.constraints + step.external
            needed = skeleton.tree.inverse_dynamics(
                step.positions, step.velocities, step.accelerations, wrenches
            )
            there = step.actuators + step.joint_friction + step.limits + step.springs + step.dampers
            there = there + step.couplings
            scale = 1.0 + np.abs(step.contacts).max() + np.abs(step.accelerations).max()
            np.testing.assert_allclose(there, needed, rtol=0.0, atol=1e-10 * scale)


@scenes
def test_wrenches_of_joints_hold_every_body(scene: Callable[[], World]) -> None:
    """Newton and Euler for each body by itself, from its motion."""
    world = scene()
    world.step(200)
    for skeleton in moving(world):
        step = world.last_step(skeleton)
        velocities = skeleton.tree.body_velocities(step.positions, step.velocities)
        rates = skeleton.tree.body_accelerations(step.positions, step.velocities, step.accelerations)
        for body in skeleton.bodies:
            i, inertia, R = body.index, body.inertia, step.transforms[body.index][:3, :3]
            w, dw, a = velocities[i, :3], rates[i, :3], rates[i, 3:]
            a = a + np.cross(dw, inertia.com) + np.cross(w, np.cross(w, inertia.com))
            force = inertia.mass * (a - R.T @ world.gravity)
            central = inertia.moment
            torque = central @ dw + np.cross(w, central @ w) + np.cross(inertia.com, force)
            given = step.joint_wrenches[i] + step.contacts[i] + step.constraints[i] + step.external[i]
            for child in body.child_bodies:
                T = np.linalg.inv(step.transforms[i]) @ step.transforms[child.index]
                f = T[:3, :3] @ step.joint_wrenches[child.index, 3:]
                moment = T[:3, :3] @ step.joint_wrenches[child.index, :3] + np.cross(T[:3, 3], f)
                given = given - np.concatenate([moment, f])
            scale = 1.0 + np.abs(step.joint_wrenches).max() + np.abs(step.accelerations).max()
            np.testing.assert_allclose(given, [*torque, *force], rtol=0.0, atol=1e-9 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_contacts_of_a_falling_box_give_what_its_momentum_gains(kind: str) -> None:
    box = push(
        put(as_kind(kind, gallery.box((0.2, 0.3, 0.4), mass=MASS)), (0, 0, 0.27)), (1, 0, -3), (1, 2, 3)
    )
    world = on_ground(box)
    largest = 0.0
    for _ in range(100):
        before = MASS * velocity(box)
        world.step()
        gained = (MASS * velocity(box) - before) / 1e-3 + [0.0, 0.0, MASS * G]
        wrench = world.contact_wrench(box)
        np.testing.assert_allclose(wrench[3:], gained, atol=1e-9 * (1.0 + np.abs(gained).max()))
        largest = max(largest, wrench[5])
    assert largest > 1000.0


@pytest.mark.parametrize("scene", ["humanoid", "heavy on light"])
def test_forces_of_contacts_on_bodies_are_those_that_the_world_tells(scene: str) -> None:
    world = SCENES[scene]()
    world.step(400)
    felt = 0
    for skeleton in moving(world):
        step = world.last_step(skeleton)
        for body in skeleton.bodies:
            force = step.transforms[body.index, :3, :3] @ step.contacts[body.index, 3:]
            told = world.contact_wrench(body)[3:]
            np.testing.assert_allclose(force, told, atol=1e-9 * max(1.0, np.abs(told).max()))
            felt += bool(told.any())
    assert felt


def test_a_constraint_on_a_welded_body_acts_at_its_frame() -> None:
    """An arm of two welded bodies, turned, whose end hangs on a ball joint to the world."""
    arm = Skeleton("arm")
    beam = arm.add_body("beam", joint=kido.RevoluteJoint("pivot", axis=(0, 1, 0)))
    beam.inertia = Inertia(3.0, (0.2, 0.0, 0.0), np.eye(3) * 1e-2)
    tip = arm.add_body("tip", parent=beam, joint=kido.WeldJoint("end", T_parent_joint=(0.5, 0.1, 0.0)))
    tip.inertia = Inertia(1.0, (0.0, 0.0, 0.0), np.eye(3) * 1e-3)
    arm.positions = [0.7]
    point = tip.transform()[:3, 3] + [0.1, 0.05, -0.2]
    hold = kido.BallConstraint(tip, None, point=point)
    world = World(arm)
    world.constraints.add(hold)
    world.step(200)
    step, wrench = world.last_step(arm), world.constraint_wrench(hold)
    T = step.transforms[tip.index]
    held = T[:3, :3] @ step.constraints[tip.index].reshape(2, 3).T
    np.testing.assert_allclose(held[:, 1], wrench[3:], atol=1e-9)
    lever = np.cross(point - T[:3, 3], wrench[3:])
    np.testing.assert_allclose(held[:, 0], wrench[:3] + lever, atol=1e-6)
    assert np.abs(wrench[3:]).max() > 1.0


def test_contacts_and_their_wrench_belong_to_parts() -> None:
    low, high = gallery.box((0.4, 0.4, 0.2), mass=3.0, name="low"), gallery.box((0.2, 0.2, 0.2), name="high")
    world = on_ground(put(low, (0.0, 0.0, 0.1)), put(high, (0.05, 0.0, 0.3)))
    world.step(500)
    node = high.body(0).shape_nodes[0]
    assert len(world.contacts_of(high)) == len(world.contacts_of(high.body(0))) == 4
    assert len(world.contacts_of(low)) == len(world.contacts) == 8
    assert [c.point.tolist() for c in world.contacts_of(node)] == [
        c.point.tolist() for c in world.contacts_of(high)
    ]
    weight = G * high.mass
    np.testing.assert_allclose(world.contact_wrench(node), [0, 0, 0, 0, 0, weight], atol=2e-3)
    np.testing.assert_allclose(world.contact_wrench(low), [0, 0, 0, 0, 0, 3.0 * G], atol=2e-2)
    ground = world.contact_wrench(world.skeleton("ground"), about=(0.0, 1.0, 0.0))
    np.testing.assert_allclose(ground[3:], [0, 0, -3.0 * G - weight], atol=1e-2)
    np.testing.assert_allclose(ground[:2], [3.0 * G + weight, 0.05 * weight], atol=2e-2)


def stand_with_sensor(mass: float) -> tuple[Skeleton, BodyNode]:
    """A plate on a welded flange at the end of a lever that is welded to the world."""
    made = Skeleton("stand")
    lever = made.add_body("lever", joint=kido.WeldJoint("root", T_parent_joint=(0.0, 0.0, 1.0)))
    lever.inertia = Inertia(1.0, (0.1, 0.0, 0.0), np.eye(3) * 1e-2)
    plate = made.add_body(
        "plate", parent=lever, joint=kido.WeldJoint("flange", T_parent_joint=(0.5, 0.0, 0.0))
    )
    plate.inertia = Inertia(mass, (0.0, 0.0, 0.0), np.eye(3) * 1e-2 * (mass > 0.0))
    plate.add_shape_node(Box((0.4, 0.4, 0.02)), (0.0, 0.0, -0.01))
    return made, plate


def test_a_force_torque_sensor_in_a_weld_reads_what_stands_on_it() -> None:
    """Closed form: weights and their levers."""
    stand, plate = stand_with_sensor(0.7)
    block = put(gallery.box((0.1, 0.1, 0.1), mass=MASS), (0.6, 0.05, 1.05))
    world = World([stand, block])
    world.step(1000)
    expected = [0.05 * MASS * G, -0.1 * MASS * G, 0.0, 0.0, 0.0, (MASS + 0.7) * G]
    np.testing.assert_allclose(world.joint_wrench(plate), expected, atol=1e-3)
    root = world.joint_wrench(stand.body("lever"))
    np.testing.assert_allclose(root[3:], [0.0, 0.0, (MASS + 1.7) * G], atol=1e-3)
    np.testing.assert_allclose(root[1], -(0.1 * 1.0 + 0.5 * 0.7 + 0.6 * MASS) * G, atol=1e-3)


def test_a_sensor_between_welded_bodies_of_one_link_feels_contacts_and_constraints_beyond_it() -> None:
    """The foot of a leg that slides on a rail: shin and foot are one link, the foot stands on the ground
    and a crate is welded to it."""
    leg = Skeleton("leg")
    shin = leg.add_body("shin", joint=kido.PrismaticJoint("rail", axis=(0, 0, 1), T_parent_joint=(0, 0, 0.5)))
    shin.inertia = Inertia(4.0, (0.0, 0.0, 0.0), np.eye(3) * 1e-2)
    foot = leg.add_body("foot", parent=shin, joint=kido.WeldJoint("ankle", T_parent_joint=(0.2, 0.0, -0.45)))
    foot.inertia = Inertia(1.0, (0.0, 0.0, 0.0), np.eye(3) * 1e-3)
    foot.add_shape_node(Box((0.1, 0.1, 0.1)))
    crate = put(gallery.box((0.1, 0.1, 0.1), mass=MASS, name="crate"), (0.2, 0.0, 0.3))
    crate.body(0).collidable = False
    world = on_ground(leg, crate)
    world.constraints.add(kido.WeldConstraint(crate.body(0), foot))
    world.step(2000)
    read = world.joint_wrench(foot)
    np.testing.assert_allclose(read, [0, 0, 0, 0, 0, -4.0 * G], atol=1e-2)  # the shin stands on it
    np.testing.assert_allclose(world.contact_wrench(foot)[5], (4.0 + 1.0 + MASS) * G, atol=1e-2)
    rail = world.joint_wrench(shin)
    np.testing.assert_allclose(rail[4], 0.0, atol=1e-2)
    np.testing.assert_allclose(rail[1], 0.2 * 4.0 * G, atol=1e-2)  # which keeps it upright


def test_forces_from_outside_are_in_the_wrench_of_the_step_that_they_act_in() -> None:
    stand, plate = stand_with_sensor(0.0)
    world = World([gallery.ball(0.1), stand])
    weight = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    plate.add_external_force((1.0, 2.0, 3.0), (0.1, 0.0, 0.0))
    world.step()
    np.testing.assert_allclose(
        world.joint_wrench(plate), weight - [0.0, -0.3, 0.2, 1.0, 2.0, 3.0], atol=1e-12
    )
    world.step()
    np.testing.assert_allclose(world.joint_wrench(plate), weight, atol=1e-12)


def test_a_pendulum_is_held_by_its_weight_and_its_swing() -> None:
    """A point mass on a rod that swings: m g cos + m v^2 / l along it (textbook)."""
    made = Skeleton("pendulum")
    body = made.add_body("bob", joint=kido.RevoluteJoint("pivot", axis=(0, 1, 0)))
    body.inertia = Inertia(MASS, (0.0, 0.0, -1.0), np.eye(3) * 1e-9)
    made.positions = [1.0]
    world = World([made], time_step=1e-4)
    world.step(5000)
    step = world.last_step(made)
    angle, speed = step.positions[0], step.velocities[0]
    wrench = world.joint_wrench(body)
    np.testing.assert_allclose(wrench[5], MASS * (G * np.cos(angle) + speed * speed), rtol=1e-6)
    np.testing.assert_allclose(wrench[1], 0.0, atol=1e-9)


@pytest.mark.parametrize("integrator", ["runge_kutta", "midpoint"])
def test_steps_of_other_integrators_tell_the_forces_at_their_beginning(integrator: str) -> None:
    names = {i.name.lower(): i for i in kido.world.Integrator}
    found = next(value for name, value in names.items() if integrator.split("_")[0] in name)
    made = gallery.double_pendulum()
    made.positions, made.damping = [1.0, 0.5], [0.3, 0.2]
    world = World([made], integrator=found)
    world.step(50)
    step = world.last_step(made)
    needed = made.tree.inverse_dynamics(step.positions, step.velocities, step.accelerations)
    np.testing.assert_allclose(step.dampers, needed, atol=1e-12)
    np.testing.assert_allclose(step.dampers, -made.damping * step.velocities, atol=1e-12)


def test_the_last_step_goes_with_snapshots_and_clones() -> None:
    world = carrying_arm()
    arm = world.skeleton("arm7")
    world.step(20)
    saved, expected = world.snapshot(), world.joint_wrench(arm.bodies[-1])
    copied = world.clone()
    np.testing.assert_array_equal(copied.joint_wrench(copied.skeleton("arm7").bodies[-1]), expected)
    world.step(20)
    assert not np.array_equal(world.joint_wrench(arm.bodies[-1]), expected)
    world.restore(saved)
    np.testing.assert_array_equal(world.joint_wrench(arm.bodies[-1]), expected)


def test_before_the_first_step_nothing_has_acted() -> None:
    stand, plate = stand_with_sensor(0.5)
    box = put(gallery.box(mass=MASS), (0.5, 0.0, 5.0))
    world = World([stand, box])
    step = world.last_step(box)
    assert step.duration == 0.0
    np.testing.assert_array_equal(step.positions, box.positions)
    assert not step.contacts.any() and not world.contact_wrench(box).any() and world.contacts_of(box) == []
    np.testing.assert_allclose(world.joint_wrench(plate)[5], 0.5 * G)


def test_a_free_body_that_spins_has_no_wrench_in_its_joint() -> None:
    box = push(put(gallery.box((0.1, 0.2, 0.4)), (0.0, 0.0, 5.0)), (1.0, 0.0, 3.0), (3.0, 2.0, 1.0))
    box.body(0).inertia = Inertia(MASS, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))
    world = World([box])
    world.step(10)
    np.testing.assert_allclose(world.joint_wrench(box.body(0)), np.zeros(6), atol=1e-9)
    assert np.linalg.norm(spin(box)) > 1.0


def test_accelerations_of_free_bodies_are_those_of_the_last_step() -> None:
    box = put(gallery.box(), (0.0, 0.0, 5.0))
    world = on_ground(box)
    world.step(5)
    np.testing.assert_allclose(box.accelerations, [0, 0, 0, 0, 0, -G], atol=1e-9)
    world.step(1500)
    np.testing.assert_allclose(box.accelerations, np.zeros(6), atol=1e-3)


def test_parts_that_are_none_are_refused() -> None:
    world, other = on_ground(put(gallery.box(), (0.0, 0.0, 0.5))), gallery.ball()
    for question in (world.contacts_of, world.contact_wrench):
        with pytest.raises(TypeError, match="part: expected a Skeleton, BodyNode or ShapeNode, got str"):
            question("box")  # type: ignore[operator]
    with pytest.raises(TypeError, match="body: expected a BodyNode, got Skeleton"):
        world.joint_wrench(other)  # type: ignore[arg-type]
    with pytest.raises(EditError, match="'ball' is none of this world's"):
        world.joint_wrench(other.body(0))
    with pytest.raises(EditError, match="none of this world's"):
        world.last_step(other)
    with pytest.raises(ValueError, match="about"):
        world.contact_wrench(world.skeletons[1], about=(0.0, np.nan, 0.0))
