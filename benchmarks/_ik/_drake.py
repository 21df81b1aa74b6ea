"""Drake: its InverseKinematics program, solved by SNOPT."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.inverse_kinematics import InverseKinematics
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.solvers import SnoptSolver

from _ik._arms import BASE, TOOL, Arm
from _ik._judge import ANGULAR, LINEAR
from _ik._solver import FloatArray, Search, Solver

_SHARE = 0.5


class Drake(Solver):
    """Position and orientation constraints of half the tolerances, joint limits on."""

    name = library = "drake"
    settings = "SNOPT, bounds of 0.5 mm on each axis and 5 mrad"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._plant = plant = MultibodyPlant(0.0)
        Parser(plant).AddModels(str(arm.path))
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(BASE))
        plant.Finalize()
        self._tool, self._world = plant.GetFrameByName(TOOL), plant.world_frame()
        self._solver = SnoptSolver()

    def prepare(self, target: FloatArray) -> RigidTransform:
        """Drake's own transform."""
        return RigidTransform(target)

    def single(self) -> Search:
        """One program, one guess."""
        return self._solve

    def _solve(self, target: RigidTransform, start: FloatArray) -> FloatArray | None:
        ik = InverseKinematics(self._plant)
        place, slack = target.translation(), np.full(3, _SHARE * LINEAR)
        ik.AddPositionConstraint(self._tool, np.zeros(3), self._world, place - slack, place + slack)
        ik.AddOrientationConstraint(
            self._world, target.rotation(), self._tool, RotationMatrix(), _SHARE * ANGULAR
        )
        result = self._solver.Solve(ik.prog(), start, None)
        return result.GetSolution(ik.q()) if result.is_success() else None
