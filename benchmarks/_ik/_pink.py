"""pink: velocity steps of a frame task, solved as quadratic programs, until the pose is reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pink
import pinocchio
from pink.exceptions import NoSolutionFound

from _ik._arms import TOOL, Arm
from _ik._judge import ANGULAR, LINEAR
from _ik._solver import FloatArray, Search, Solver

_STEP = 0.5
_STEPS = 100


class Pink(Solver):
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
