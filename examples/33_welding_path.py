"""A seam is welded: a joint path through many poses without a jump, where nearest answers reach a limit."""

import numpy as np

import kido
from kido.ik import ConstraintRelaxingIK, InverseKinematics, Waypoint, follow_path

robot = kido.gallery.arm()
robot.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8]
torch = robot.end_effector("tool")
robot.dof(5).position_lower_limit, robot.dof(5).position_upper_limit = -5.8, 2.2  # its hoses
start = robot.positions.copy()

# The torch turns about the axis of the last joint by 0.9 turns while it moves along a circle of 2 cm.
T_start, axis = torch.transform(), InverseKinematics(torch).jacobian()[:3, 5]
seam = np.repeat(T_start[None], 150, axis=0)
for pose, share in zip(seam, np.linspace(0.0, 1.0, len(seam)), strict=True):
    angle = 0.9 * 2.0 * np.pi * share
    pose[:3, :3] = kido.math.so3_exp(angle * axis) @ T_start[:3, :3]
    pose[1:3, 3] += 0.02 * np.array([np.sin(angle), np.cos(angle) - 1.0])

# One pose after the other: the nearest answer each time.
ik = InverseKinematics.of(torch)
largest = 0.0
for pose in seam:
    before = ik.positions
    ik.target.set_transform(pose)
    ik.solve_and_apply()
    largest = max(largest, float(np.abs(ik.positions - before).max()))
print(f"nearest answers: a joint jumps by {largest:.1f} rad")
assert largest > 3.0

# All poses together.
robot.positions = start
path = follow_path(torch, seam, largest_change=0.2)
print(f"follow_path: {path.message}, {np.abs(path.changes).max():.2f} rad at most from pose to pose")
assert path.success

# To the seam and away from it by waypoints that need not be met exactly, each posture near the one before.
above = seam[[0, -1]].copy()
above[:, 2, 3] += 0.1
approach = ConstraintRelaxingIK(robot, torch)
robot.positions = path.positions[0]
first = approach.solve([Waypoint(above[0], 5e-3, 0.1, constrain_orientation=True)])
robot.positions = path.positions[-1]
last = approach.solve([Waypoint(above[1], 5e-3, 0.1, constrain_orientation=True)])
for name, leg in (("above the start", first), ("above the end", last)):
    turned = np.abs(leg.positions[0] - leg.start).max()
    print(f"{name}: {leg.message}, {turned:.2f} rad from the seam at most")
    assert leg.success
    assert turned < 0.6
