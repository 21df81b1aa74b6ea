"""The picture that the home page opens with."""

from __future__ import annotations

import numpy as np

import kido
from examples.demo.robots import example_robots
from examples.pictures._style import Canvas, Pixels

__all__ = ["hero"]


def hero(canvas: Canvas) -> Pixels:
    """Robots of files and of the gallery: an arm, a humanoid, a quadruped, and one that carries a box."""
    files = example_robots()
    arm, g1 = kido.load(files[0].file), kido.load(files[1].file, root="free")
    arm.positions = [0.6, 0.1, 0.0, -1.9, 0.0, 2.0, 0.8, 0.03, 0.03]
    arm.name = "arm"
    base = np.eye(4)
    base[:2, 3] = 0.3, 0.95
    arm.bodies[0].parent_joint.T_parent_joint = base
    g1.positions = {"root_joint_pos_z": 0.79, "root_joint_pos_y": 0.15}
    g1.positions = {"left_shoulder_roll_joint": 1.2, "left_shoulder_yaw_joint": 1.4, "left_elbow_joint": -0.2}
    humanoid, quadruped = kido.gallery.humanoid(), kido.gallery.quadruped()
    humanoid.positions = {"root_pos_y": -0.7, "left_elbow": -1.2, "right_shoulder_roll": -0.5}
    quadruped.positions = {"root_pos_x": 0.6, "root_pos_y": -1.55, "root_rot_z": 0.5}
    camera = ((4.9, 1.0, 1.35), (0.0, -0.33, 0.70), (0.0, 0.0, 1.0))
    return canvas.shot([arm, g1, humanoid, quadruped], camera=camera)
