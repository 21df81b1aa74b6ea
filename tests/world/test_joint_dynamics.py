"""What acts in joints: forces, springs, dampers, friction, limits, actuators."""

from __future__ import annotations

import numpy as np
import pytest
from _scenes import TIME_STEPS, G, as_kind, push

import kido
from kido import ActuatorType, PrismaticJoint, Skeleton, World, gallery
from kido.description import Inertia

WEIGHTLESS = (0.0, 0.0, 0.0)
MASS = 2.0


def slider(**numbers: object) -> Skeleton:
    """A mass on a horizontal rail."""
    made = Skeleton("slider")
    joint = PrismaticJoint("rail", axis=(1.0, 0.0, 0.0), **numbers)
    made.add_body("mass", joint=joint, inertia=Inertia(MASS, (0, 0, 0), np.eye(3)))
    return made


def settled(made: Skeleton) -> Skeleton:
    rng = np.random.default_rng(made.num_dofs)
    made.positions = made.positions + rng.uniform(-0.2, 0.2, made.num_dofs)
    made.velocities = rng.uniform(-1.0, 1.0, made.num_dofs)
    made.commands = rng.uniform(-1.0, 1.0, made.num_dofs)
    return made


def damped_box() -> Skeleton:
    made = gallery.box((0.1, 0.2, 0.4), 2.0)
    made.damping = [0.1] * 6
    return made


def geared(made: Skeleton) -> Skeleton:
    """With armature in all dofs, root joints too."""
    made.armature = np.linspace(0.1, 0.5, made.num_dofs)
    return made


def two_trees() -> Skeleton:
    """A skeleton of a box and an arm, of which each has its own armature."""
    made = gallery.box((0.1, 0.2, 0.4), 2.0)
    arm = gallery.arm7()
    arm.root_bodies[0].move_to(None, skeleton=made)
    return made


TREES = {
    "double pendulum": gallery.double_pendulum,
    "arm": gallery.arm7,
    "humanoid": gallery.humanoid,
    "compound humanoid": lambda: gallery.humanoid(compound_joints=True),
    "quadruped": gallery.quadruped,
    "chain of balls": lambda: gallery.chain(6, kido.BallJoint),
    "cam": gallery.cam,
    "four bar": gallery.four_bar,
    "damped box": damped_box,
    "geared arm": lambda: geared(gallery.arm7()),
    "geared humanoid": lambda: geared(gallery.humanoid(compound_joints=True)),
    "geared chain of balls": lambda: geared(gallery.chain(6, kido.BallJoint)),
    "geared ball on a pivot": lambda: geared(gallery.chain(1, kido.BallJoint)),
    "geared box": lambda: geared(gallery.box((0.1, 0.2, 0.4), 2.0)),
    "geared cam": lambda: geared(gallery.cam()),
    "geared trees": lambda: geared(two_trees()),
}
HINGED = ("double pendulum", "arm", "cam", "four bar", "geared arm", "geared cam")
"""Those whose positions are added."""


def free_to_move(made: Skeleton) -> Skeleton:
    """Without limits and contact, at a random state with random commands."""
    made.position_lower_limits = [-np.inf] * made.num_dofs
    made.position_upper_limits = [np.inf] * made.num_dofs
    for body in made.bodies:
        body.collidable = False
    return settled(made)


@pytest.mark.parametrize("name", HINGED)
@pytest.mark.parametrize("time_step", [1e-4, 1e-3, 5e-3])
def test_a_step_of_hinges_is_that_of_forward_dynamics(name: str, time_step: float) -> None:
    made = free_to_move(TREES[name]())
    world = World([made], time_step=time_step)
    expected = made.clone()
    for _ in range(5):
        expected.positions, expected.velocities = made.positions, made.velocities
        expected.compute_forward_dynamics()
        v = made.velocities + time_step * expected.accelerations
        q = made.positions + time_step * v
        world.step()
        np.testing.assert_allclose(made.velocities, v, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(made.positions, q, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", [name for name in TREES if name != "box"])
def test_accelerations_after_a_step_are_those_of_forward_dynamics(name: str) -> None:
    made = free_to_move(TREES[name]())
    world, expected = World([made]), made.clone()
    expected.compute_forward_dynamics()
    world.step()
    scale = 1.0 + np.abs(expected.accelerations).max()
    np.testing.assert_allclose(made.accelerations, expected.accelerations, atol=1e-10 * scale)


@pytest.mark.parametrize("time_step", [*TIME_STEPS, 1e-2])
def test_a_stiff_spring_is_stable_and_comes_to_its_rest_position(time_step: float) -> None:
    made = slider(spring_stiffness=1e6, rest_positions=0.3)
    made.positions = [0.5]
    world = World([made], time_step=time_step)
    before = world.energy
    for _ in range(50):
        world.step(4)
        assert world.energy <= before * (1.0 + 1e-9)
    assert made.positions[0] == pytest.approx(0.3, abs=1e-3)


def test_a_spring_swings_at_its_frequency() -> None:
    made = slider(spring_stiffness=50.0)
    made.positions = [0.1]
    world, rate = World([made], time_step=1e-5), np.sqrt(50.0 / MASS)
    world.step(100_000)
    assert made.positions[0] == pytest.approx(0.1 * np.cos(rate), abs=1e-3)
    assert made.velocities[0] == pytest.approx(-0.1 * rate * np.sin(rate), abs=5e-3)


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_a_damper_slows_exponentially(time_step: float) -> None:
    """By 1 / (1 + h d / m) a step, which is exp(-d t / m) to first order."""
    made = slider(damping=3.0)
    made.velocities = [2.0]
    steps = round(1.0 / time_step)
    World([made], time_step=time_step).step(steps)
    assert made.velocities[0] == pytest.approx(2.0 * (1.0 + time_step * 3.0 / MASS) ** -steps, rel=1e-10)
    assert made.velocities[0] == pytest.approx(2.0 * np.exp(-1.5), rel=2.0 * time_step)


def test_a_damper_of_any_size_is_stable() -> None:
    made = slider(damping=1e9)
    made.velocities = [2.0]
    World([made], time_step=1e-2).step(2)
    assert abs(made.velocities[0]) < 1e-9


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_coulomb_friction_of_a_joint_slows_by_its_force_and_stops(time_step: float, way: float) -> None:
    made = slider(coulomb_friction=4.0)
    made.velocities = [way]
    world = World([made], time_step=time_step)
    world.step(round(0.25 / time_step))
    assert made.velocities[0] == pytest.approx(way * 0.5, abs=1e-9)
    world.step(round(0.75 / time_step))
    assert made.velocities[0] == pytest.approx(0.0, abs=1e-12)
    assert made.positions[0] == pytest.approx(way * 0.25, abs=2.0 * time_step)


@pytest.mark.parametrize("force, moves", [(3.9, False), (-3.9, False), (4.4, True), (-4.4, True)])
def test_coulomb_friction_holds_what_is_below_it(force: float, moves: bool) -> None:
    made = slider(coulomb_friction=4.0)
    made.commands = [force]
    World([made]).step(500)
    expected = (force - np.sign(force) * 4.0) / MASS * 0.5 if moves else 0.0
    assert made.velocities[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("speed", [-30.0, -2.0, 0.5, 2.0, 30.0])
def test_position_limits_are_not_overshot_and_do_not_kick(time_step: float, speed: float) -> None:
    made = slider(position_lower_limits=-0.5, position_upper_limits=0.4)
    made.velocities = [speed]
    world = World([made], time_step=time_step)
    for _ in range(round(2.0 / time_step)):
        world.step()
        assert -0.5 - 1e-4 <= made.positions[0] <= 0.4 + 1e-4
    assert abs(made.velocities[0]) < 1e-3 * abs(speed)
    assert made.positions[0] == pytest.approx(0.4 if speed > 0.0 else -0.5, abs=1e-3)


def test_a_pressed_limit_holds() -> None:
    made = slider(position_upper_limits=0.1)
    made.commands = [200.0]
    World([made]).step(1000)
    assert made.positions[0] == pytest.approx(0.1, abs=1e-4)
    assert abs(made.velocities[0]) < 1e-9


def test_limits_that_are_not_enforced_do_nothing() -> None:
    made = slider(position_upper_limits=0.1, limits_enforced=False)
    made.velocities = [1.0]
    World([made]).step(1000)
    assert made.positions[0] == pytest.approx(1.0)


def driven(actuator: ActuatorType, command: float) -> Skeleton:
    made = slider(actuator=actuator)
    made.commands = [command]
    return made


@pytest.mark.parametrize(
    "actuator, command, speed",
    [
        (ActuatorType.FORCE, 3.0, 1.5),
        (ActuatorType.ACCELERATION, 3.0, 3.0),
        (ActuatorType.VELOCITY, 3.0, 3.0),
        (ActuatorType.SERVO, 3.0, 3.0),
    ],
)
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_commands_hold_until_they_are_changed(
    actuator: ActuatorType, command: float, speed: float, time_step: float
) -> None:
    made = driven(actuator, command)
    world = World([made], time_step=time_step)
    world.step(round(1.0 / time_step))
    assert made.velocities[0] == pytest.approx(speed, abs=1e-9)
    assert made.commands[0] == command
    made.commands = [0.0]
    before = made.velocities[0]
    world.step(10)
    kept = actuator in (ActuatorType.FORCE, ActuatorType.ACCELERATION)
    assert made.velocities[0] == pytest.approx(before if kept else 0.0, abs=1e-9)


@pytest.mark.parametrize("effort", [1.0, 4.0])
def test_a_servo_gives_at_most_its_effort(effort: float) -> None:
    made = driven(ActuatorType.SERVO, 5.0)
    made.force_lower_limits, made.force_upper_limits = [-effort], [effort]
    world = World([made])
    world.step(500)
    assert made.velocities[0] == pytest.approx(effort / MASS * 0.5, rel=1e-9)
    world.step(10_000)
    assert made.velocities[0] == pytest.approx(5.0, rel=1e-12)


@pytest.mark.parametrize("actuator, speed", [(ActuatorType.PASSIVE, 2.0), (ActuatorType.LOCKED, 0.0)])
def test_what_takes_no_command_coasts_or_stands(actuator: ActuatorType, speed: float) -> None:
    made = slider(actuator=actuator)
    made.velocities = [2.0]
    World([made]).step(100)
    assert made.velocities[0] == pytest.approx(speed, abs=1e-12)


def test_a_servo_holds_an_arm_against_gravity() -> None:
    arm = gallery.arm7()
    for joint in arm.joints:
        if joint.num_dofs:
            joint.actuator = ActuatorType.SERVO
    arm.force_lower_limits, arm.force_upper_limits = [-1e4] * 7, [1e4] * 7
    before = arm.positions
    World([arm]).step(1000)
    np.testing.assert_allclose(arm.positions, before, atol=1e-5)
    np.testing.assert_allclose(arm.velocities, 0.0, atol=1e-9)


def test_a_locked_joint_hangs_on_a_swinging_one() -> None:
    """A double pendulum whose elbow is locked swings as one body."""
    made = gallery.double_pendulum()
    made.positions = [0.4, 0.0]
    made.joint(1).actuator = ActuatorType.LOCKED
    world = World([made], time_step=1e-4)
    before = world.energy
    for _ in range(50):
        world.step(100)
        assert made.positions[1] == pytest.approx(0.0, abs=1e-12)
        assert world.energy == pytest.approx(before, abs=2e-3 * abs(before))
    assert abs(made.positions[0] - 0.4) > 0.01


def test_a_gripper_closes_with_both_fingers() -> None:
    gripper = gallery.gripper()
    gripper.mimic_enforced = False
    follower, leader = (gripper.dof(i) for i in (1, 0))
    gripper.commands = [-1.0, 0.0]
    world = World([gripper], gravity=WEIGHTLESS)
    world.step(50)
    assert abs(leader.velocity) > 1e-4
    assert follower.position == pytest.approx(leader.position, abs=1e-3)


def test_an_external_force_acts_for_one_step() -> None:
    made = slider()
    world = World([made], gravity=WEIGHTLESS)
    made.body(0).add_external_force((4.0, 0.0, 0.0))
    world.step(5)
    assert made.velocities[0] == pytest.approx(4.0 / MASS * 1e-3, rel=1e-12)
    assert not made.body(0).external_wrench.any()
    world.step()
    assert made.velocities[0] == pytest.approx(4.0 / MASS * 1e-3, rel=1e-12)


@pytest.mark.parametrize("kind", ["rigid body", "tree"])
def test_an_external_force_off_the_center_turns_a_free_body(kind: str) -> None:
    made = as_kind(kind, gallery.box((0.1, 0.2, 0.4), 2.0))
    world = World([made], gravity=WEIGHTLESS)
    force, offset = np.array([3.0, 0.0, 0.0]), np.array([0.0, 0.1, 0.0])
    made.body(0).add_external_force(force, offset=offset)
    world.step()
    np.testing.assert_allclose(made.velocities[3:], force / 2.0 * 1e-3, atol=1e-7)
    spun = np.linalg.inv(made.body(0).inertia.moment) @ np.cross(offset, force) * 1e-3
    np.testing.assert_allclose(made.velocities[:3], spun, atol=1e-6)


def test_commands_of_a_free_joint_lift_its_body() -> None:
    box = gallery.box((0.1, 0.2, 0.4), 2.0)
    box.commands = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * (G + 1.0)]
    World([box]).step(1000)
    np.testing.assert_allclose(box.velocities[3:], [0.0, 0.0, 1.0], atol=1e-9)


@pytest.mark.parametrize(
    ("what", "number", "speed"),
    [
        ("coulomb_friction", 2.0, 1.0 - 0.2),
        ("damping", 2.0, np.exp(-0.2)),
        ("spring_stiffness", 25.0, np.cos(0.5)),
        ("velocity_upper_limits", 0.5, 0.5),
        ("position_upper_limits", 0.04, 0.0),
    ],
)
def test_what_acts_in_a_free_joint_acts_on_its_body(what: str, number: float, speed: float) -> None:
    """None of it else: a free body without any of it is not asked for its joint's dofs."""
    box = push(gallery.box((0.1, 0.1, 0.1), 1.0), (1.0, 0.0, 0.0))
    joint = box.joints[0]
    numbers = np.array(getattr(joint, what))
    numbers[3] = number
    setattr(joint, what, numbers)
    World([box], gravity=WEIGHTLESS).step(100)
    assert box.velocities[3] == pytest.approx(speed, abs=2e-3)
