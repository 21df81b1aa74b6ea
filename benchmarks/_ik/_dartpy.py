"""dartpy: the inverse kinematics of a body node, as it comes: one attempt of gradient descent."""

from __future__ import annotations

from pathlib import Path

import dartpy

from _ik._arms import TOOL, Arm
from _ik._solver import FloatArray, Search, Solver


class Dart(Solver):
    """`findSolution` with the default error method, gradient method and solver."""

    name = library = "dartpy"

    def __init__(self, arm: Arm, folder: Path) -> None:
        loader = dartpy.utils.DartLoader()
        options = dartpy.utils.DartLoaderOptions()
        options.mDefaultRootJointType = dartpy.utils.DartLoaderRootJointType.FIXED
        loader.setOptions(options)
        self._skeleton = loader.parseSkeleton(str(arm.path))
        self._module = self._skeleton.getBodyNode(TOOL).getOrCreateIK()
        self._target = self._module.getTarget()

    def prepare(self, target: FloatArray) -> dartpy.math.Isometry3:
        """DART's own transform."""
        return dartpy.math.Isometry3(target)

    def single(self) -> Search:
        """From the positions of the skeleton."""
        return self._solve

    def _solve(self, target: dartpy.math.Isometry3, start: FloatArray) -> FloatArray | None:
        self._skeleton.setPositions(start)
        self._target.setTransform(target)
        return self._skeleton.getPositions() if self._module.solveAndApply(False) else None
