"""TRAC-IK by pytracik: two searches race on two threads, with restarts until they succeed or time is over."""

from __future__ import annotations

from pathlib import Path

import trac_ik

from benchmarks._ik._arms import BASE, TOOL, Arm
from benchmarks._ik._solver import FloatArray, Search, Solver

_Target = tuple[FloatArray, FloatArray]


class TracIkArm(Solver):
    """`TracIK.ik` with its defaults: 5 ms, 1e-5, Speed."""

    name = library = "pytracik"
    settings = "its own two threads"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._solver = trac_ik.TracIK(BASE, TOOL, str(arm.path))

    def prepare(self, target: FloatArray) -> _Target:
        """Position and rotation."""
        return target[:3, 3].copy(), target[:3, :3].copy()

    def complete(self) -> Search:
        """It restarts by itself."""
        return self._solve

    def _solve(self, target: _Target, start: FloatArray) -> FloatArray | None:
        return self._solver.ik(*target, start)
