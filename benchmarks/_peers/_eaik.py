"""EAIK: closed forms of six joints by subproblems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from eaik.IK_HP import HPRobot

from benchmarks._ik._arms import Arm
from benchmarks._ik._solver import FloatArray, Search, Solver, UnsupportedArmError

_JOINTS = 6


class EaikArm(Solver):
    """`HPRobot.IK`; of its solutions the nearest within the limits that is none of least squares."""

    name = "eaik"
    library = "EAIK"

    def __init__(self, arm: Arm, folder: Path) -> None:
        if arm.dofs != _JOINTS:
            raise UnsupportedArmError("seven joints need one that is locked")
        frames = np.empty((arm.dofs + 1, 4, 4))
        frames[0] = arm.poses[0]
        for i in range(arm.dofs):
            frames[i + 1] = frames[i] @ arm.poses[i + 1]
        axes = np.einsum("nij,nj->ni", frames[:-1, :3, :3], arm.axes)
        offsets = np.diff(frames[:, :3, 3], axis=0, prepend=np.zeros((1, 3)))
        self._robot = HPRobot(axes, offsets)
        if not self._robot.hasKnownDecomposition():
            raise UnsupportedArmError("no decomposition is known")
        self._turned_back = np.eye(4)
        self._turned_back[:3, :3] = frames[-1, :3, :3].T
        self._limits = arm.lower, arm.upper

    def prepare(self, target: FloatArray) -> FloatArray:
        """Its tool has the base's axes where all positions are zero."""
        return target @ self._turned_back

    def branches(self, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """All solutions (k, n) [rad], and which of them are of least squares only (k,)."""
        found = self._robot.IK(target)
        return found.Q, np.asarray(found.is_LS, dtype=bool)

    def batch(self, targets: list[FloatArray]) -> list[Any]:
        """All solutions for each of many prepared targets, on one thread."""
        return self._robot.IK_batched(targets, num_worker_threads=1)

    def complete(self) -> Search:
        """The nearest of the branches."""
        return self._nearest

    def _nearest(self, target: FloatArray, start: FloatArray) -> FloatArray | None:
        found, squares = self.branches(target)
        lower, upper = self._limits
        good = found[~squares & ((found >= lower) & (found <= upper)).all(axis=1)]
        return good[np.abs(good - start).max(axis=1).argmin()] if len(good) else None
