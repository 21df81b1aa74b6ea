"""A pendulum under each actuator: how it moves, and what that takes."""

import numpy as np

import kido


def pendulum(actuator):
    made = kido.Skeleton(str(actuator))
    for name, axis in (("leader", (0.0, 0.0, 1.0)), ("swing", (0.0, 1.0, 0.0))):
        inertia = kido.Inertia(1.0, (0.3, 0.0, 0.0), np.diag([0.01, 0.02, 0.02]))
        joint = kido.RevoluteJoint(name, axis)
        made.add_body(f"{name}_bar", made.bodies[0] if made.bodies else None, joint, inertia=inertia)
    made.joint("leader").actuator = "velocity"  # turns about the vertical at its command
    made.joint("swing").actuator = actuator
    if actuator is kido.ActuatorType.MIMIC:
        made.joint("swing").mimic = kido.description.Mimic("leader", multiplier=2.0, coupled=False)
    return made


load = 0.3 * 9.81  # of gravity, level [N m]
for actuator in kido.ActuatorType:
    robot = pendulum(actuator)
    robot.force_lower_limits, robot.force_upper_limits = [-20.0, -5.0], [20.0, 5.0]
    robot.commands = {"leader": 0.5}
    if actuator.takes_commands:
        robot.commands = {"swing": 0.5}  # [N m], [rad/s] or [rad/s^2]
    before = robot.commands
    world = kido.World([robot])
    world.step(200)
    effort = world.joint_forces(robot).actuators[1]
    velocity = robot.dof("swing").velocity
    print(f"{actuator.value:12}: {velocity:7.3f} rad/s by {effort:7.3f} N m")
    assert (robot.commands == before).all()  # they hold
    expected = {"velocity": 0.5, "servo": 0.5, "acceleration": 0.1, "locked": 0.0, "mimic": 1.0}
    if actuator.value in expected:
        np.testing.assert_allclose(velocity, expected[actuator.value], atol=1e-3)
        assert -5.0 <= effort < -0.5 * load  # it holds the bar up
    else:
        assert velocity > 1.0  # it falls
        np.testing.assert_allclose(effort, 0.5 if actuator.value == "force" else 0.0, atol=1e-9)
