"""Feet flat on the floor: height, roll and pitch are constrained; place and yaw are free."""

import math
import sys
import tempfile
from pathlib import Path

import numpy as np

import kido
from kido.ik import TaskSpaceRegion

robot = kido.gallery.humanoid()
inf = math.inf
flat = TaskSpaceRegion(angular=(0.0, 0.0, inf), linear=(inf, inf, 0.0))  # about x, y, z [rad]; along them [m]

feet = []
for side in ("left", "right"):
    ik = kido.InverseKinematics.of(robot.end_effector(f"{side}_foot"))
    ik.target.set_transform(np.eye(4))  # the floor: x and y in it, z up
    ik.error_method = flat
    feet.append(ik)

# The robot leans, sinks and turns; its legs go along, and its feet leave the floor or go through it.
robot.positions = {
    "root_rot_x": 0.12,
    "root_rot_y": 0.15,
    "root_pos_z": 0.66,
    "left_hip_yaw": 0.5,
    "left_hip_roll": 0.35,
    "right_hip_pitch": -0.9,
    "right_knee": 0.5,
    "left_shoulder_roll": 0.9,
    "right_shoulder_roll": -0.8,
}
off = [ik.error[[0, 1, 5]] for ik in feet]
print("before: roll, pitch and height of the feet", *(error.round(2) for error in off))
assert all(np.linalg.norm(error) > 0.05 for error in off)
before = [ik.transform() for ik in feet]

for ik in feet:
    result = ik.solve_and_apply()
    print(result.message)
    assert result.success

for ik, old in zip(feet, before, strict=True):
    sole = ik.transform()
    np.testing.assert_allclose(sole[:3, 2], [0.0, 0.0, 1.0], atol=2e-6)  # flat
    assert abs(sole[2, 3]) < 2e-6  # on the floor
    step = np.linalg.norm(sole[:2, 3] - old[:2, 3])
    print(f"at {sole[:2, 3].round(2)} m, {step:.2f} m from where it was, turned by", end=" ")
    print(f"{math.atan2(sole[1, 0], sole[0, 0]):.2f} rad")

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
soles = [kido.SimpleFrame("sole", transform=ik.transform()) for ik in feet]
picture = kido.render(robot, folder / "feet.png", frames=soles, size=(900, 900))
assert picture.std() > 5.0  # something is drawn
