"""The humanoid G1 by Pinocchio: random positions, what its parts reach there, and what is left of a goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pinocchio
from scipy.spatial.transform import Rotation

from benchmarks import _robots
from benchmarks._ik._judge import FloatArray

FEET = ("left_ankle_roll_link", "right_ankle_roll_link")
HANDS = ("left_rubber_hand", "right_rubber_hand")
CAMERA, AXIS = "d435_link", (1.0, 0.0, 0.0)
"""The camera's link, and the direction in which it looks."""

ROOT = 0.2
"""Distance [m] and angle [rad] from zero within which positions of the root are drawn."""

NEAR = 1e-6
"""A limit may be missed by this much [rad]."""

_FILE = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
_RANGE = 1.0


@dataclass(frozen=True)
class Goal:
    """What the parts are to reach.

    Attributes:
        poses: (4, 4, 4) of feet and hands [m].
        com: (3,) of the center of mass [m].
        seen: (3,) that the camera's axis points at [m].
    """

    poses: FloatArray
    com: FloatArray
    seen: FloatArray

    def moved(self, hand: int, displacement: FloatArray) -> Goal:
        """The same with a hand's target displaced [m]."""
        poses = self.poses.copy()
        poses[len(FEET) + hand, :3, 3] += displacement
        return replace(self, poses=poses)


@dataclass(frozen=True)
class Left:
    """What is left of the goal: angles [rad] and distances [m] of feet and hands (4,), distance of the center
    of mass, angle of the gaze."""

    angles: FloatArray
    distances: FloatArray
    com: float
    gaze: float

    def is_standing(self, angular: float, linear: float) -> bool:
        """Whether feet and balance are where they are to be."""
        count = len(FEET)
        feet = (self.angles[:count] <= angular).all() and (self.distances[:count] <= linear).all()
        return bool(feet and self.com <= linear)

    def is_small(self, angular: float, linear: float) -> bool:
        """Whether all is."""
        hands = (self.angles <= angular).all() and (self.distances <= linear).all()
        return bool(hands and self.is_standing(angular, linear) and self.gaze <= angular)


class G1:
    """Forward kinematics of the robot with a free root; positions are Pinocchio's, root first.

    Attributes:
        path: its file.
        joint_names: names of the joints in Pinocchio's order.
        lower, upper: limits of the joints [rad].
        neutral: all zero, or as near as limits let (7 + n,).
    """

    def __init__(self) -> None:
        self.path = _robots.installed() / _FILE
        self._model = pinocchio.buildModelFromUrdf(str(self.path), pinocchio.JointModelFreeFlyer())
        self._data = self._model.createData()
        self._camera = self._model.getFrameId(CAMERA)
        self.joint_names = tuple(self._model.names)[2:]
        self.lower, self.upper = self._model.lowerPositionLimit[7:], self._model.upperPositionLimit[7:]
        self.neutral = pinocchio.neutral(self._model)
        self.neutral[7:] = np.clip(self.neutral[7:], self.lower, self.upper)

    def draw(self, count: int) -> FloatArray:
        """Random positions (count, 7 + n): joints within their limits, the root within 0.2 m and rad."""
        rng = np.random.default_rng(0)
        q = np.repeat(self.neutral[None], count, axis=0)
        q[:, :3] += rng.uniform(-ROOT, ROOT, (count, 3))
        q[:, 3:7] = Rotation.from_rotvec(rng.uniform(-ROOT, ROOT, (count, 3))).as_quat()
        q[:, 7:] = rng.uniform(self.lower, self.upper, (count, len(self.lower)))
        return q

    def poses(self, q: FloatArray, links: Sequence[str]) -> FloatArray:
        """Poses (t, 4, 4) of links at positions (7 + n,) [m]."""
        pinocchio.framesForwardKinematics(self._model, self._data, q)
        return np.array([self._data.oMf[self._model.getFrameId(name)].homogeneous for name in links])

    def goal(self, q: FloatArray) -> Goal:
        """What positions (7 + n,) reach; the camera sees a point 1 m away."""
        poses = self.poses(q, (*FEET, *HANDS))
        camera = self._data.oMf[self._camera]
        com = pinocchio.centerOfMass(self._model, self._data, q).copy()
        return Goal(poses, com, camera.translation + _RANGE * camera.rotation @ np.array(AXIS))

    def left(self, q: FloatArray, goal: Goal) -> Left:
        """What positions (7 + n,) leave of a goal; infinite beyond the limits."""
        if not self.is_inside(q):
            return Left(np.full(4, np.inf), np.full(4, np.inf), np.inf, np.inf)
        angles, distances = apart(self.poses(q, (*FEET, *HANDS)), goal.poses)
        camera = self._data.oMf[self._camera]
        line, axis = goal.seen - camera.translation, camera.rotation @ np.array(AXIS)
        gaze = float(np.arctan2(np.linalg.norm(np.cross(line, axis)), line @ axis))
        com = pinocchio.centerOfMass(self._model, self._data, q)
        return Left(angles, distances, float(np.linalg.norm(com - goal.com)), gaze)

    def is_inside(self, q: FloatArray) -> bool:
        """Whether positions (7 + n,) are within the limits of the joints."""
        return bool(np.all((q[7:] >= self.lower - NEAR) & (q[7:] <= self.upper + NEAR)))


def apart(poses: FloatArray, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Angles (t,) [rad] and distances (t,) [m] between poses (t, 4, 4)."""
    turns = np.swapaxes(poses[:, :3, :3], 1, 2) @ targets[:, :3, :3]
    return Rotation.from_matrix(turns).magnitude(), np.linalg.norm(
        poses[:, :3, 3] - targets[:, :3, 3], axis=1
    )
