"""Forces of the last step: of actuators, limits, friction, constraints and contacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _mechanisms import WEIGHTLESS, G, box, pendulum, slider

import kido
from kido import ActuatorType, Skeleton, World, gallery
from kido.world import JointForces

MASS = 2.0


def balance(world: World, made: Skeleton, before: Skeleton, forces: JointForces) -> np.ndarray:
    """M a + C + G of the step less all forces that the report knows (num_dofs,); zeros if it is complete.

    `before` is the skeleton as it stood before the step, with its external forces.
    """
    h = world.time_step
    a = made.accelerations
    q = before.velocities + h * a
    inertial = before.mass_matrix @ a + before.coriolis_and_gravity_forces
    springs = before.spring_forces - before.spring_stiffness * h * q
    passive = springs - before.damping * q
    return np.asarray(inertial - passive - before.external_forces - sum(forces))


def driven_arm() -> Skeleton:
    """An arm with one joint of each actuator, springs, dampers, friction."""
    arm = gallery.arm7()
    kinds = ("force", "passive", "servo", "acceleration", "velocity", "locked", "servo")
    for joint, kind in zip((j for j in arm.joints if j.num_dofs), kinds, strict=True):
        joint.actuator = ActuatorType(kind)
    rng = np.random.default_rng(3)
    arm.positions = rng.uniform(-0.5, 0.5, 7)
    arm.velocities = rng.uniform(-1.0, 1.0, 7)
    arm.commands = [2.0, 0.0, 0.4, 3.0, -0.5, 0.0, 50.0]
    arm.spring_stiffness, arm.damping = rng.uniform(0.0, 5.0, 7), rng.uniform(0.0, 0.5, 7)
    arm.coulomb_friction = [0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.001]
    limits = np.array([1.5] * 6 + [0.01])
    arm.force_lower_limits, arm.force_upper_limits = -limits, limits
    return arm


@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
def test_all_forces_of_a_step_add_up(time_step: float) -> None:
    arm = driven_arm()
    world = World([arm], time_step=time_step)
    for _ in range(20):
        before = arm.clone()
        world.step()
        forces = world.joint_forces(arm)
        scale = 1.0 + max(np.abs(f).max() for f in forces)
        np.testing.assert_allclose(balance(world, arm, before, forces), 0.0, atol=1e-9 * scale)


def test_what_each_actuator_took() -> None:
    arm = driven_arm()
    world = World([arm])
    world.step(5)
    forces = world.joint_forces(arm.name)
    assert forces.actuators[0] == 1.5  # the command, within its limits
    assert forces.actuators[1] == 0.0
    assert forces.friction[1] == pytest.approx(-0.3 * np.sign(arm.velocities[1]), rel=1e-9)
    assert abs(forces.actuators[2]) <= 1.5 + 1e-12
    assert forces.actuators[6] == pytest.approx(0.01, rel=1e-12)  # a servo that cannot reach its velocity
    before = arm.clone()
    world.step()
    before.accelerations = arm.accelerations
    before.compute_inverse_dynamics(with_damping_forces=True, with_spring_forces=True)
    forces = world.joint_forces(arm)
    for k in (3, 4, 5):  # given motion: what inverse dynamics says
        assert forces.actuators[k] == pytest.approx(before.forces[k], abs=1e-9)
    assert before.forces[5] != 0.0


def driven(actuator: str, command: float, **numbers: object) -> tuple[World, Skeleton]:
    made = slider(mass=MASS, actuator=actuator, **numbers)
    made.commands = [command]
    return World([made], gravity=WEIGHTLESS), made


@pytest.mark.parametrize(
    "actuator, command, effort",
    [
        ("force", 3.0, 3.0),
        ("acceleration", 3.0, 3.0 * MASS),
        ("velocity", 3e-3, 3.0 * MASS),
        ("servo", 3e-3, 3.0 * MASS),
    ],
)
def test_efforts_of_a_first_step(actuator: str, command: float, effort: float) -> None:
    world, made = driven(actuator, command)
    world.step()
    np.testing.assert_allclose(world.joint_forces(made).actuators, [effort], rtol=1e-9)
    assert made.commands[0] == command


@pytest.mark.parametrize("actuator, effort", [("passive", 0.0), ("locked", -5.0)])
def test_efforts_of_what_takes_no_command(actuator: str, effort: float) -> None:
    world, made = driven("force", 0.0)
    made.joint(0).actuator = ActuatorType(actuator)
    made.body(0).add_external_force((5.0, 0.0, 0.0))
    world.step()
    np.testing.assert_allclose(world.joint_forces(made).actuators, [effort], atol=1e-12)


def test_servos_keep_both_limits_of_force() -> None:
    for command, effort in ((10.0, 4.0), (-10.0, -1.0)):
        world, made = driven("servo", command, force_lower_limits=-1.0, force_upper_limits=4.0)
        world.step(100)
        np.testing.assert_allclose(world.joint_forces(made).actuators, [effort], rtol=1e-12)
        assert made.velocities[0] == pytest.approx(effort / MASS * 0.1, rel=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_limits_push_back(side: float) -> None:
    world, made = driven("force", 30.0 * side, position_lower_limits=-0.1, position_upper_limits=0.1)
    world.step(2000)
    np.testing.assert_allclose(world.joint_forces(made).limits, [-30.0 * side], rtol=1e-6)


@pytest.mark.parametrize("held", [3.0, -3.0])
def test_friction_holds(held: float) -> None:
    world, made = driven("force", held, coulomb_friction=4.0)
    world.step(10)
    np.testing.assert_allclose(world.joint_forces(made).friction, [-held], rtol=1e-9)


@pytest.mark.parametrize("kind", ["rigid body", "tree"])
@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (0.4, -0.3, 1.0)])
def test_contacts_and_constraints_on_a_free_body(kind: str, turned: tuple[float, float, float]) -> None:
    """A box in a ball joint off its center: the average force of a step is what its momentum gained."""
    made = box(mass=MASS)
    if kind == "tree":
        made.damping = [1e-12] * 6
    made.positions, made.velocities = [*turned, 0.1, 0.2, 0.3], [1.0, -2.0, 0.5, 0.0, 0.0, 0.0]
    world = World([made])
    world.constraints.add(kido.BallConstraint(made.body(0), point=(0.1, 0.25, 0.5)))
    for _ in range(10):
        before = made.clone()
        world.step()
        forces = world.joint_forces(made)
        np.testing.assert_allclose(forces.actuators, 0.0, atol=1e-9)
        wrench = world.constraint_wrench(next(iter(world.constraints)))
        R = before.body(0).transform()[:3, :3]
        np.testing.assert_allclose(R @ forces.constraints[3:], wrench[3:], atol=1e-7)
        arm = np.array([0.1, 0.25, 0.5]) - before.positions[3:]
        torque = np.cross(arm, wrench[3:])
        np.testing.assert_allclose(R @ forces.constraints[:3], torque, atol=1e-5)
    assert np.abs(forces.constraints[:3]).max() > 0.1


def test_a_standing_box_is_carried() -> None:
    made = box(mass=MASS, origin=(0.0, 0.0, 0.15))
    world = World([gallery.ground(), made])
    world.step(1000)
    np.testing.assert_allclose(world.joint_forces(made).constraints, [0, 0, 0, 0, 0, MASS * G], atol=1e-3)


def test_contacts_of_a_tree_stand_in_its_forces() -> None:
    robot = gallery.quadruped()
    world = World([gallery.ground(), robot])
    world.step(300)
    for _ in range(5):
        before = robot.clone()
        world.step()
        forces = world.joint_forces(robot)
        scale = 1.0 + np.abs(forces.constraints).max()
        np.testing.assert_allclose(balance(world, robot, before, forces), 0.0, atol=1e-7 * scale)
    assert np.abs(forces.constraints[3:6]).max() > 1.0


def test_nothing_acts_before_the_first_step_and_on_what_stands() -> None:
    made, still = pendulum(), slider()
    still.mobile = False
    world = World([made, still])
    for skeleton in (made, still):
        for force in world.joint_forces(skeleton):
            np.testing.assert_array_equal(force, 0.0)
    world.step()
    np.testing.assert_array_equal(world.joint_forces(still).constraints, [0.0])
    with pytest.raises(kido.errors.UnknownNameError, match="other"):
        world.joint_forces("other")


def held(kind: str) -> tuple[World, kido.constraint.Constraint, Callable[[], np.ndarray]]:
    """A box of 2 kg held at rest, and the force on it."""
    made = box(mass=MASS)
    world = World([made])
    body = made.body(0)
    constraint: kido.constraint.Constraint = {
        "weld": lambda: kido.WeldConstraint(body),
        "ball": lambda: kido.BallConstraint(body, point=(0, 0, 0)),
        "revolute": lambda: kido.RevoluteConstraint(body, point=(0, 0, 0), axis=(1, 0, 0)),
        "cylindrical": lambda: kido.CylindricalConstraint(body, point=(0, 0, 0), axis=(1, 0, 0)),
        "distance": lambda: kido.DistanceConstraint(body, second_point=(0, 0, 1.0)),
        "rope": lambda: kido.RopeConstraint(body, second_point=(0, 0, 1.0)),
        "spring": lambda: kido.SpringConstraint(
            body, second_point=(0, 0, 1.0), length=1.0, stiffness=1e3, damping=1e2
        ),
    }[kind]()
    world.constraints.add(constraint)
    return world, constraint, lambda: world.constraint_wrench(constraint)


@pytest.mark.parametrize("kind", ["weld", "ball", "revolute", "cylindrical", "distance", "rope", "spring"])
def test_wrenches_of_constraints_between_bodies(kind: str) -> None:
    world, constraint, wrench = held(kind)
    np.testing.assert_array_equal(wrench(), 0.0)
    world.step(2000)
    np.testing.assert_allclose(wrench(), [0, 0, 0, 0, 0, MASS * G], atol=1e-6)
    np.testing.assert_allclose(world.joint_forces(world.skeletons[0]).constraints[5], MASS * G, atol=1e-6)
    with pytest.raises(kido.errors.EditError, match="expected a gear or rows"):
        world.constraint_force(constraint)  # type: ignore[arg-type]
