"""pink: velocity steps of a frame task, solved as quadratic programs, until the pose is reached."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pink
import pinocchio
from pink.exceptions import NoSolutionFound

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._humanoid import until_there
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray, Search, Solver

_FOLLOWED = 0.1
"""Step in which a target is followed [s]."""
_STEP = 0.5
_STEPS = 100


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
