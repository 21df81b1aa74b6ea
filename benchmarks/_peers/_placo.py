"""placo: steps of its kinematics solver, quadratic programs over tasks, in C++.

It wants Pinocchio 3: it cannot be installed beside a later one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import placo

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._g1 import AXIS, CAMERA, FEET, HANDS, Goal
from benchmarks._ik._humanoid import without_meshes
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray, Search, Solver
from benchmarks._ik._steps import (
    FOLLOWED,
    GAZE,
    POSTURE,
    REACHING,
    SETTINGS,
    STANDING,
    STEP,
    STEPS,
    until_still,
)

_ROOT = 7
_LEAST = 1e-6


class PlacoArm(Solver):
    """A frame task, limits of positions and velocities, in a loop, until the pose is reached."""

    name = library = "placo"
    settings = SETTINGS

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._robot = placo.RobotWrapper(str(arm.path), placo.Flags.ignore_collisions)
        self._solver = placo.KinematicsSolver(self._robot)
        self._solver.mask_fbase(True)
        self._solver.enable_joint_limits(True)
        self._solver.add_regularization_task(_LEAST)
        self._solver.enable_velocity_limits(True)
        for name, speed in zip(arm.joint_names, arm.speed, strict=True):
            self._robot.set_velocity_limit(name, float(speed))
        self._task = self._solver.add_frame_task(TOOL, np.eye(4))
        self._task.configure(TOOL, "soft", 1.0, 1.0)
        self._position, self._orientation = self._task.position(), self._task.orientation()

    def single(self) -> Search:
        """From one start, to convergence."""
        return self._solve

    def following(self) -> Search:
        """One step, within the limits of velocities."""
        return self._follow

    def _follow(self, target: FloatArray, start: FloatArray) -> FloatArray | None:
        self._begin(target, start)
        self._solver.dt = FOLLOWED
        try:
            self._solver.solve(True)
        except RuntimeError:
            return None
        return np.array(self._robot.state.q[_ROOT:])

    def _solve(self, target: FloatArray, start: FloatArray) -> FloatArray | None:
        self._begin(target, start)
        self._solver.dt = STEP
        for _ in range(STEPS):
            if self._position.error_norm() < LINEAR and self._orientation.error_norm() < ANGULAR:
                return np.array(self._robot.state.q[_ROOT:])
            try:
                self._solver.solve(True)
            except RuntimeError:
                return None
            self._robot.update_kinematics()
            self._position.update()
            self._orientation.update()
        return None

    def _begin(self, target: FloatArray, start: FloatArray) -> None:
        _place(self._robot, start)
        self._task.T_world_frame = target
        self._position.update()
        self._orientation.update()


class PlacoTaskSet:
    """Weighted tasks: frames, center of mass, an axis towards what is seen, joints; both limits on."""

    library = "placo"

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        text = without_meshes(path)
        self._robot = placo.RobotWrapper(str(path), placo.Flags.ignore_collisions, text)
        self.home = start
        solver = self._solver = placo.KinematicsSolver(self._robot)
        solver.enable_joint_limits(True)
        solver.add_regularization_task(_LEAST)
        solver.enable_velocity_limits(True)
        weights = (*(STANDING,) * len(FEET), *(REACHING,) * len(HANDS))
        self._links = []
        for link, weight in zip((*FEET, *HANDS), weights, strict=True):
            task = solver.add_frame_task(link, np.eye(4))
            task.configure(link, "soft", weight**2, weight**2)
            self._links.append(task)
        self._com = solver.add_com_task(np.zeros(3))
        self._com.configure("com", "soft", STANDING**2)
        self._gaze = solver.add_axisalign_task(CAMERA, np.array(AXIS), np.array(AXIS))
        self._gaze.configure("gaze", "soft", GAZE**2)
        posture = solver.add_joints_task()
        posture.set_joints(dict(zip(joints, map(float, start[_ROOT:]), strict=True)))
        posture.configure("posture", "soft", POSTURE**2)

    def solve(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """Steps until all is reached, or nothing moves."""
        self._aim(goal, begin)
        self._solver.dt = STEP
        until_still(self._is_there, lambda: self._step(goal), RuntimeError)
        return np.array(self._robot.state.q)

    def follow(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """One step, within the limits of velocities."""
        self._aim(goal, begin)
        self._solver.dt = FOLLOWED
        try:
            self._step(goal)
        except RuntimeError:
            return begin
        return np.array(self._robot.state.q)

    def read(self, positions: FloatArray) -> FloatArray:
        """As they are."""
        return positions

    def _aim(self, goal: Goal, begin: FloatArray) -> None:
        self._robot.state.q = begin
        self._robot.update_kinematics()
        for task, target in zip(self._links, goal.poses, strict=True):
            task.T_world_frame = target
        self._com.target_world = goal.com
        self._look(goal)

    def _look(self, goal: Goal) -> None:
        line = goal.seen - self._robot.get_T_world_frame(CAMERA)[:3, 3]
        self._gaze.targetAxis_world = line / np.linalg.norm(line)
        self._gaze.update()

    def _step(self, goal: Goal) -> float:
        before = np.array(self._robot.state.q)
        self._solver.solve(True)
        self._robot.update_kinematics()
        self._look(goal)
        return float(np.abs(self._robot.state.q - before).max())

    def _is_there(self) -> bool:
        self._com.update()
        if self._com.error_norm() >= LINEAR or self._gaze.error_norm() >= ANGULAR:
            return False
        for task in self._links:
            position, orientation = task.position(), task.orientation()
            position.update()
            orientation.update()
            if position.error_norm() >= LINEAR or orientation.error_norm() >= ANGULAR:
                return False
        return True


def _place(robot: placo.RobotWrapper, positions: FloatArray) -> None:
    q = robot.state.q.copy()
    q[_ROOT:] = positions
    robot.state.q = q
    robot.update_kinematics()
