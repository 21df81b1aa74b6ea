"""An arm at velocity level: reach, follow a line, and go around a ball; limits hold in every step."""

import sys
from pathlib import Path

import numpy as np

import kido
from kido.ik import (
    CollisionAvoidance,
    ConfigurationLimit,
    DifferentialIK,
    FrameTask,
    PostureTask,
    VelocityLimit,
)
from kido.shape import Sphere

dt, speed = 0.01, 1.5  # [s], [rad/s]
robot = kido.gallery.arm7()
robot.positions = home = np.array([0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1])
tool = robot.end_effector("tool")
start = np.array(tool.transform())

# The ball is in the middle of the line, and the tool carries a small one.
goal = start.copy()
goal[:3, 3] += (0.0, 0.38, -0.05)
obstacle = kido.Skeleton("obstacle")
ball = obstacle.add_body("ball", joint=kido.WeldJoint("place"))
middle = np.eye(4)
middle[:3, 3] = (start[:3, 3] + goal[:3, 3]) / 2.0 + (0.0, 0.0, 0.03)
ball.parent_joint.T_parent_joint = middle
large = ball.add_shape_node(Sphere(0.1), name="large")
small = tool.body.add_shape_node(Sphere(0.03), name="small")
small.relative_transform = tool.relative_transform

reach = FrameTask(tool, gain=0.2, orientation_weight=0.3)
tasks = [reach, PostureTask(home, gain=0.1, level=1)]
limits = [ConfigurationLimit(gain=0.5), VelocityLimit(speed)]
avoid = CollisionAvoidance([(small, large)], 0.01, influence=0.2)


def follow(limits: list[kido.ik.DifferentialLimit]) -> np.ndarray:
    """The tool's path (n, 3) [m] along the line and beyond its end, until it stands still."""
    robot.positions = home
    ik = DifferentialIK(robot, tasks, limits)
    lower, upper = robot.position_lower_limits, robot.position_upper_limits
    path = []
    for step in range(400):
        along = min(step / 250.0, 1.0)
        target = start.copy()
        target[:3, 3] += along * (goal[:3, 3] - start[:3, 3])
        reach.target = target
        velocities = ik.solve(dt=dt).velocities
        robot.positions = robot.tree.integrate(robot.positions, velocities, dt)
        assert np.all(np.abs(velocities) <= speed)
        assert np.all(robot.positions >= lower) and np.all(robot.positions <= upper)
        path.append(tool.transform()[:3, 3])
    return np.array(path)


straight, around = follow(limits), follow([*limits, avoid])
nearest = [np.linalg.norm(path - middle[:3, 3], axis=1).min() for path in (straight, around)]
print(f"nearest to the ball's centre: {nearest[0]:.3f} m, with avoidance {nearest[1]:.3f} m")
print(f"from the goal at the end: {np.linalg.norm(around[-1] - goal[:3, 3]):.5f} m")
assert nearest[0] < 0.1 < 0.13 < nearest[1]
assert np.linalg.norm(around[-1] - goal[:3, 3]) < 2e-3

if len(sys.argv) > 1:  # where to draw it
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (side, distance) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    side.add_patch(plt.Circle(middle[1:3, 3], 0.1, color="0.85"))
    side.add_patch(plt.Circle(middle[1:3, 3], 0.14, fill=False, linestyle=":", color="0.5"))
    times = dt * np.arange(len(straight))
    for path, name, color in (
        (straight, "limits of joints", "C1"),
        (around, "and a distance from the ball", "C0"),
    ):
        side.plot(path[:, 1], path[:, 2], color=color)
        distance.plot(times, np.linalg.norm(path - middle[:3, 3], axis=1), label=name, color=color)
    distance.axhline(0.14, linestyle=":", color="0.5")
    side.set(xlabel="y [m]", ylabel="z [m]", aspect="equal")
    distance.set(xlabel="time [s]", ylabel="distance from the ball's centre [m]")
    distance.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]), dpi=110)
