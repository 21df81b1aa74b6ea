"""Targets that no positions reach: how long until a library says so, and how near it comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks._ik._contest import Contest
from benchmarks._ik._solver import FloatArray, Solver
from benchmarks._ik._timing import Timed, one_by_one
from benchmarks._table import Table

AWAY = 2.5
"""Distance of the targets from the base [m]."""

_COUNT = 100
_MOST = 3.0


@dataclass(frozen=True)
class Verdicts:
    """Times of the calls, and the median distance [m] that is left; None without positions."""

    timed: Timed
    left: float | None

    @property
    def text(self) -> str:
        """Median, 95th percentile, distance."""
        return self.timed.text if self.left is None else f"{self.timed.text}, {self.left:.2f} m"


def measure(contest: Contest) -> dict[str, Verdicts]:
    """Random rotations, 2.5 m away in random directions."""
    targets = contest.judge.targets(_COUNT, seed=2)
    targets[:, :3, 3] *= AWAY / np.linalg.norm(targets[:, :3, 3], axis=1, keepdims=True)
    return {name: _verdicts(contest, solver, targets) for name, solver in contest.solvers.items()}


def table(found: dict[str, dict[str, Verdicts]]) -> Table:
    """Libraries by arms, from verdicts by arm and library."""
    libraries = dict.fromkeys(name for by_library in found.values() for name in by_library)
    rows = [
        [name, *(by_library[name].text if name in by_library else "-" for by_library in found.values())]
        for name in libraries
    ]
    notes = [
        f"{_COUNT} targets {AWAY} m from the base; one call with the library's own restarts only",
        "distance left: where the library gives positions that do not reach the target",
    ]
    return Table("Out of reach: median, 95th percentile, distance left", ["library", *found], rows, notes)


def _verdicts(contest: Contest, solver: Solver, targets: FloatArray) -> Verdicts:
    search = solver.complete() or solver.single()
    assert search is not None
    start = contest.arm.middle
    timed = one_by_one(search, [(solver.prepare(target), start) for target in targets], _MOST)
    given = [i for i, q in enumerate(timed.answers) if q is not None]
    if not given:
        return Verdicts(timed, None)
    positions = np.array([timed.answers[i] for i in given], dtype=float)
    _, distances = contest.judge.distances(targets[given], positions)
    return Verdicts(timed, float(np.median(distances)))
