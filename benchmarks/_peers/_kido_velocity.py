"""kido at the level of velocities: one step of `kido.ik.DifferentialIK`."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import kido
from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._g1 import AXIS, CAMERA, FEET, HANDS, Goal
from benchmarks._ik._solver import FloatArray
from benchmarks._ik._steps import FOLLOWED, GAZE, POSTURE, REACHING, STANDING
from kido.errors import ModelWarning
from kido.ik import (
    CenterOfMassTask,
    ConfigurationLimit,
    DifferentialIK,
    FrameTask,
    LookAtTask,
    PostureTask,
    VelocityLimit,
)

__all__ = ["KidoVelocityArm", "KidoVelocityTaskSet"]


class KidoVelocityArm:
    """A frame task and a posture; limits of positions and velocities."""

    library = "kido"

    def __init__(self, arm: Arm) -> None:
        self.robot = kido.load(arm.path)
        self.task = FrameTask(self.robot.body(TOOL), damping=1.0)
        self.ik = DifferentialIK(
            self.robot,
            [self.task, PostureTask(arm.middle, weight=1e-3, gain=0.02)],
            [ConfigurationLimit(arm.lower, arm.upper), VelocityLimit(arm.speed)],
        )

    def follow(self, target: FloatArray, start: FloatArray) -> FloatArray:
        """Positions after one step."""
        robot = self.robot
        robot.positions = start
        self.task.target = target
        return robot.tree.integrate(start, self.ik.solve(dt=FOLLOWED).velocities, FOLLOWED)


class KidoVelocityTaskSet:
    """Weighted tasks: frames, center of mass, gaze, posture; limits of positions on."""

    library = "kido"

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            self.robot = kido.load(path, root="free")
        robot = self.robot
        self._order = [robot.dof(name).index for name in joints]
        robot.positions = self.place(start)
        weights = (*(STANDING,) * len(FEET), *(REACHING,) * len(HANDS))
        self._links = [
            FrameTask(robot.body(link), orientation_weight=w, position_weight=w)
            for link, w in zip((*FEET, *HANDS), weights, strict=True)
        ]
        self._com = CenterOfMassTask((0.0, 0.0, 0.0), weight=STANDING)
        self._gaze = LookAtTask(robot.body(CAMERA), AXIS, (1.0, 0.0, 0.0), weight=GAZE)
        posture = np.full(robot.num_dofs, POSTURE)
        tasks = [*self._links, self._com, self._gaze, PostureTask(robot.positions, weight=posture)]
        self.ik = DifferentialIK(robot, tasks, [ConfigurationLimit()])

    def place(self, positions: FloatArray) -> FloatArray:
        """Positions of Pinocchio (7 + n,) as kido has them: a rotation vector, a translation, joints."""
        from scipy.spatial.transform import Rotation

        placed = np.zeros(6 + len(self._order))
        placed[:3], placed[3:6] = Rotation.from_quat(positions[3:7]).as_rotvec(), positions[:3]
        placed[self._order] = positions[7:]
        return placed

    def follow(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """Positions after one step, from positions of kido."""
        robot = self.robot
        robot.positions = begin
        for task, pose in zip(self._links, goal.poses, strict=True):
            task.target = pose
        self._com.target, self._gaze.target = goal.com, goal.seen
        return robot.tree.integrate(begin, self.ik.solve(dt=FOLLOWED).velocities, FOLLOWED)
