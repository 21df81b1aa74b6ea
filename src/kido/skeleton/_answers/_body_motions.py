"""Motion of all bodies at once, as rows of arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido.skeleton._answers._answers import Answers
from kido.skeleton._data import ACCELERATION
from kido.tree import INERTIA
from kido.typing import FloatArray

__all__ = ["BodyMotions", "body_masses", "body_motions"]


@dataclass(frozen=True, slots=True)
class BodyMotions:
    """Motion of the bodies' centers of mass, in world axes; accelerations are classical.

    Attributes:
        rotation: (n, 3, 3) body axes in world axes.
        com: (n, 3) [m].
        angular_velocity, velocity: (n, 3) [rad/s, m/s].
        angular_acceleration, acceleration: (n, 3) [rad/s^2, m/s^2].
    """

    rotation: FloatArray
    com: FloatArray
    angular_velocity: FloatArray
    velocity: FloatArray
    angular_acceleration: FloatArray
    acceleration: FloatArray


def body_motions(answers: Answers) -> BodyMotions:
    """Motion of all bodies at the present state."""
    tree, q, v = answers.ready_tree(), answers.q, answers.v
    poses = tree.forward_kinematics(q)
    R = poses[:, :3, :3]
    arm = np.einsum("bij,bj->bi", R, answers.data.rows[:, INERTIA][:, 1:4])
    V = tree.body_velocities(q, v, frame="world")
    A = tree.body_accelerations(q, v, answers.data.state[ACCELERATION], frame="world")
    spin, rate = V[:, :3], A[:, :3]
    turning = np.cross(spin, arm)
    return BodyMotions(
        R,
        poses[:, :3, 3] + arm,
        spin,
        V[:, 3:] + turning,
        rate,
        A[:, 3:] + np.cross(rate, arm) + np.cross(spin, turning),
    )


def body_masses(answers: Answers) -> FloatArray:
    """Masses (n,) of all bodies [kg]."""
    masses: FloatArray = answers.data.rows[:, INERTIA.start]
    return masses
