"""pink: velocity steps of a frame task, solved as quadratic programs, until the pose is reached."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pink
import pinocchio
from pink.exceptions import NoSolutionFound

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._g1 import AXIS, CAMERA, FEET, HANDS, Goal
from benchmarks._ik._humanoid import (
    GAZE,
    POSTURE,
    REACHING,
    STANDING,
    is_small,
    until_still,
    until_there,
)
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray, Search, Solver

_FOLLOWED = 0.1
"""Step in which a target is followed [s]."""
_STEP = 0.5
_STEPS = 100
_DAMPING = 1e-1
"""Of the whole set of tasks [-]; of those tried, the one by which most goals are reached."""


class PinkArm(Solver):
    """`solve_ik` with daqp, limits of positions and velocities on, in a loop."""

    name = "pink"
    library = "pin-pink"
    settings = f"daqp, steps of {_STEP} s, at most {_STEPS}, until 1 mm and 10 mrad"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._model = pinocchio.buildModelFromUrdf(str(arm.path))
        self._data = self._model.createData()
        self._task = pink.FrameTask(TOOL, position_cost=1.0, orientation_cost=1.0)

    def prepare(self, target: FloatArray) -> pinocchio.SE3:
        """Pinocchio's own transform."""
        return pinocchio.SE3(target)

    def single(self) -> Search:
        """From one start, to convergence."""
        return self._solve

    def following(self) -> Search:
        """One step."""
        return self._follow

    def _follow(self, target: pinocchio.SE3, start: FloatArray) -> FloatArray | None:
        task = self._task
        task.set_target(target)
        configuration = pink.Configuration(self._model, self._data, start, copy_data=False)
        try:
            velocity = pink.solve_ik(configuration, [task], _FOLLOWED, solver="daqp", safety_break=False)
        except NoSolutionFound:
            return None
        configuration.integrate_inplace(velocity, _FOLLOWED)
        return configuration.q.copy()

    def _solve(self, target: pinocchio.SE3, start: FloatArray) -> FloatArray | None:
        task = self._task
        task.set_target(target)
        configuration = pink.Configuration(self._model, self._data, start, copy_data=False)
        for _ in range(_STEPS):
            error = task.compute_error(configuration)
            if np.linalg.norm(error[:3]) < LINEAR and np.linalg.norm(error[3:]) < ANGULAR:
                return configuration.q
            try:
                velocity = pink.solve_ik(configuration, [task], _STEP, solver="daqp", safety_break=False)
            except NoSolutionFound:
                return None
            configuration.integrate_inplace(velocity, _STEP)
        return None


class PinkHumanoid:
    """`solve_ik` with daqp, limits of positions on, in a loop."""

    library = "pin-pink"

    def __init__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        flyer = pinocchio.JointModelFreeFlyer()
        self._model = pinocchio.buildModelFromUrdf(str(path), flyer)
        self._data = self._model.createData()
        self._tasks = [pink.FrameTask(link, position_cost=1.0, orientation_cost=1.0) for link in levels]
        limit = pink.limits.ConfigurationLimit
        self._limits = [limit(self._model)]
        self._start = start

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Steps until the poses are reached."""
        for task, target in zip(self._tasks, targets, strict=True):
            task.set_target(pinocchio.SE3(target))
        configuration = pink.Configuration(self._model, self._data, self._start, copy_data=False)

        def step() -> None:
            velocity = pink.solve_ik(
                configuration, self._tasks, _STEP, solver="daqp", limits=self._limits, safety_break=False
            )
            configuration.integrate_inplace(velocity, _STEP)

        def errors() -> list[FloatArray]:
            return [task.compute_error(configuration) for task in self._tasks]

        return configuration.q if until_there(errors, step, NoSolutionFound) else None

    def read(self, positions: FloatArray) -> FloatArray:
        """As they are."""
        return positions


class PinkTaskSet:
    """Weighted tasks: frames, center of mass, gaze, posture; `solve_ik` with daqp, limits of positions on."""

    library = "pin-pink"

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        self._model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
        self._data, self.home = self._model.createData(), start
        weights = (*(STANDING,) * len(FEET), *(REACHING,) * len(HANDS))
        self._links = [
            pink.FrameTask(link, position_cost=weight, orientation_cost=weight, lm_damping=_DAMPING)
            for link, weight in zip((*FEET, *HANDS), weights, strict=True)
        ]
        self._com, self._gaze = (
            pink.tasks.ComTask(cost=STANDING, lm_damping=_DAMPING),
            _Gaze(CAMERA, np.array(AXIS), GAZE),
        )
        posture = pink.tasks.PostureTask(cost=POSTURE)
        posture.set_target(start)
        self._tasks = [*self._links, self._com, self._gaze, posture]
        self._limits = [pink.limits.ConfigurationLimit(self._model)]

    def solve(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """Steps until all is reached, or nothing moves."""
        configuration = self._aim(goal, begin)

        def is_there() -> bool:
            poses = [task.compute_error(configuration) for task in self._links]
            return is_small(
                poses, self._com.compute_error(configuration), self._gaze.compute_error(configuration)
            )

        until_still(is_there, lambda: self._step(configuration, _STEP), NoSolutionFound)
        return configuration.q

    def follow(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """One step."""
        configuration = self._aim(goal, begin)
        try:
            self._step(configuration, _FOLLOWED)
        except NoSolutionFound:
            return begin
        return configuration.q

    def read(self, positions: FloatArray) -> FloatArray:
        """As they are."""
        return positions

    def _aim(self, goal: Goal, begin: FloatArray) -> pink.Configuration:
        for task, target in zip(self._links, goal.poses, strict=True):
            task.set_target(pinocchio.SE3(target))
        self._com.set_target(goal.com)
        self._gaze.seen = goal.seen
        return pink.Configuration(self._model, self._data, begin, copy_data=False)

    def _step(self, configuration: pink.Configuration, time: float) -> float:
        velocity = pink.solve_ik(
            configuration, self._tasks, time, solver="daqp", limits=self._limits, safety_break=False
        )
        configuration.integrate_inplace(velocity, time)
        return float(np.abs(velocity).max()) * time


class _Gaze(pink.tasks.Task):
    """An axis of a frame that points at a place, as mink's LookAtTask.

    Attributes:
        seen: the place (3,) [m].
    """

    def __init__(self, frame: str, axis: FloatArray, cost: float) -> None:
        super().__init__(cost=cost, lm_damping=_DAMPING)
        self._frame, self._axis = frame, axis
        self.seen = np.zeros(3)

    def compute_error(self, configuration: pink.Configuration) -> FloatArray:
        """The axis, minus the direction of the place (3,) [-]."""
        line = self._line(configuration)
        return np.asarray(self._axis - line / np.linalg.norm(line))

    def compute_jacobian(self, configuration: pink.Configuration) -> FloatArray:
        """Its derivative (3, n)."""
        line = self._line(configuration)
        distance = np.linalg.norm(line)
        direction = line / distance
        J = configuration.get_frame_jacobian(self._frame)
        moved = (J[:3] - pinocchio.skew(line) @ J[3:]) / distance
        return np.asarray(moved - np.outer(direction, direction @ moved))

    def _line(self, configuration: pink.Configuration) -> FloatArray:
        return np.asarray(configuration.get_transform_frame_to_world(self._frame).actInv(self.seen))

    def __repr__(self) -> str:
        return f"_Gaze({self._frame!r}, {self._axis}, {self.cost})"
