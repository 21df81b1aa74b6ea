"""mink: as pink, on MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mink
import mujoco
import numpy as np
from mink.exceptions import NoSolutionFound

from _ik._arms import TOOL, Arm
from _ik._judge import ANGULAR, LINEAR
from _ik._solver import FloatArray, Search, Solver

_STEP = 0.5
_STEPS = 100


class Mink(Solver):
    """`solve_ik` with daqp, limits of positions and velocities on, in a loop."""

    name = library = "mink"
    settings = f"daqp, steps of {_STEP} s, at most {_STEPS}, velocity limits, until 1 mm and 10 mrad"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._model = mujoco.MjModel.from_xml_path(str(arm.path))
        self._task = mink.FrameTask(TOOL, "body", position_cost=1.0, orientation_cost=1.0)
        speeds = dict(zip(arm.joint_names, arm.speed[:, None], strict=True))
        self._limits = [mink.ConfigurationLimit(self._model), mink.VelocityLimit(self._model, speeds)]

    def prepare(self, target: FloatArray) -> mink.SE3:
        """mink's own transform."""
        return mink.SE3.from_matrix(target)

    def single(self) -> Search:
        """From one start, to convergence."""
        return self._solve

    def _solve(self, target: mink.SE3, start: FloatArray) -> FloatArray | None:
        task = self._task
        task.set_target(target)
        configuration = mink.Configuration(self._model, start)
        for _ in range(_STEPS):
            error = task.compute_error(configuration)
            if np.linalg.norm(error[:3]) < LINEAR and np.linalg.norm(error[3:]) < ANGULAR:
                return configuration.q
            try:
                velocity = mink.solve_ik(configuration, [task], _STEP, solver="daqp", limits=self._limits)
            except NoSolutionFound:
                return None
            configuration.integrate_inplace(velocity, _STEP)
        return None
