"""A sensor of your own: a node on a body, which goes with the robot wherever that goes."""

from dataclasses import dataclass, field

import numpy as np

import kido
from kido import gallery


class Imu(kido.FrameNode):
    """Measures angular velocity [rad/s] and specific force [m/s^2] in its own axes."""

    @dataclass(frozen=True, eq=False)
    class Properties:
        transform: np.ndarray = field(default_factory=lambda: np.eye(4))  # on the body [m]
        bias: tuple = (0.0, 0.0, 0.0)  # of the gyroscope [rad/s]

    @dataclass(frozen=True)
    class State:
        count: int = 0

    def measure(self):
        R = self.transform()[:3, :3]
        gyroscope = self.angular_velocity(in_coordinates_of=self) + self.properties.bias
        accelerometer = R.T @ (self.linear_acceleration() - self.skeleton.gravity)
        self.state = self.State(self.state.count + 1)
        return gyroscope, accelerometer


robot = gallery.quadruped()
imu = Imu(robot.body("trunk"), "imu", (0.1, 0.0, 0.05), properties=Imu.Properties(bias=(0.0, 0.01, 0.0)))
Imu(robot.body("front_left_shin"), "shin_imu")
print("sensors:", ", ".join(f"{node.name} on {node.body.name}" for node in robot.nodes(Imu)))

# At rest it measures what carries the robot, upwards, and its bias.
gyroscope, accelerometer = imu.measure()
print("at rest:", gyroscope.round(3), accelerometer.round(3))
np.testing.assert_allclose(gyroscope, [0.0, 0.01, 0.0])
np.testing.assert_allclose(accelerometer, [0.0, 0.0, 9.81], atol=1e-14)

# Nothing holds the robot in the air, so it falls, and nothing is measured: it weighs nothing.
robot.compute_forward_dynamics()
np.testing.assert_allclose(imu.measure()[1], 0.0, atol=1e-8)

# Tumbling: a frame node answers all that frames answer, at its own place and in its own axes.
robot.accelerations = np.zeros(robot.num_dofs)
robot.joint("root").velocities = [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]
gyroscope, accelerometer = imu.measure()
print("turning:", gyroscope.round(3), accelerometer.round(3))
np.testing.assert_allclose(accelerometer[:2], [-0.1 * 2.0**2, 0.0], atol=1e-14)  # centripetal

# A clone has sensors of its own, with all that they know. What they measure later is theirs alone.
twin = robot.clone("twin")
twin_imu = twin.node(Imu, "imu")
assert twin_imu.body is twin.body("trunk")
assert twin_imu.properties.bias == (0.0, 0.01, 0.0)
assert twin_imu.state.count == 3
for measured, expected in zip(twin_imu.measure(), (gyroscope, accelerometer), strict=True):
    np.testing.assert_array_equal(measured, expected)
assert (twin_imu.state.count, imu.state.count) == (4, 3)

# Its state is part of the skeleton's: what was can be put back.
then = robot.state
imu.measure()
robot.state = then
assert imu.state.count == 3

# It moves along where its body moves, and can be taken off and put back.
leg = robot.body("front_left_hip").split("leg")
assert [node.name for node in leg.nodes(Imu)] == ["shin_imu"]
imu.remove()
assert robot.nodes(Imu) == ()
imu.reattach()
assert robot.node(Imu, "imu") is imu
