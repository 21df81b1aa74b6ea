"""An arm in all libraries, and what they are to solve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks._ik import _arms
from benchmarks._ik._arms import Arm
from benchmarks._ik._judge import FloatArray, Judge
from benchmarks._ik._solver import Solver, SolverType, UnsupportedArmError


@dataclass
class Contest:
    """One arm.

    Attributes:
        arm: its chain and limits.
        judge: whether targets are reached.
        targets: reachable poses (m, 4, 4) [m].
        solvers: by library, kido first.
        notes: why a library is missing.
    """

    arm: Arm
    judge: Judge
    targets: FloatArray
    solvers: dict[str, Solver] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, name: str, folder: Path, adaptors: Mapping[str, SolverType], count: int) -> Contest:
        """Load the arm everywhere and draw `count` targets."""
        arm = _arms.write(name, folder)
        judge = Judge(arm)
        contest = cls(arm, judge, judge.targets(count))
        for library, adaptor in adaptors.items():
            try:
                contest.solvers[library] = adaptor(arm, folder)
            except UnsupportedArmError as error:
                contest.notes.append(f"{library} has no answer for {name}: {error}")
        return contest
