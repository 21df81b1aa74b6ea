"""roboticstoolbox: Levenberg-Marquardt in C++ on a sequence of elementary transforms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from roboticstoolbox import ET, ETS

from benchmarks._ik._arms import Arm
from benchmarks._ik._solver import FloatArray, Search, Solver, UnsupportedArmError

_TURNS = (ET.Rx, ET.Ry, ET.Rz)
_TOLERANCE = 1e-7


class ToolboxArm(Solver):
    """`ETS.ik_LM` with its defaults: Chan's damping, 30 iterations, 100 searches, 1e-6."""

    name = "roboticstoolbox"
    library = "roboticstoolbox-python"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._ets = ETS([step for i in range(arm.dofs) for step in _steps(arm, i)] + [ET.SE3(arm.poses[-1])])

    def single(self) -> Search:
        """With one search."""
        return lambda target, start: _answer(self._ets.ik_LM(target, q0=start, slimit=1, tol=_TOLERANCE))

    def complete(self) -> Search:
        """With its own searches."""
        return lambda target, start: _answer(self._ets.ik_LM(target, q0=start, tol=_TOLERANCE))


def _steps(arm: Arm, joint: int) -> tuple[ET, ET]:
    (along,) = np.flatnonzero(arm.axes[joint])
    if abs(arm.axes[joint, along]) != 1.0:
        raise UnsupportedArmError("a joint whose axis is not x, y or z")
    limits = np.array([arm.lower[joint], arm.upper[joint]])
    turn = _TURNS[along](flip=bool(arm.axes[joint, along] < 0.0), qlim=limits, jindex=joint)
    return ET.SE3(arm.poses[joint]), turn


def _answer(solution: object) -> FloatArray | None:
    return solution.q if solution.success else None
