"""A humanoid with several targets in levels: how many are converged, and how long one call takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks._ik._g1 import FEET, G1, HANDS, NEAR, ROOT, apart
from benchmarks._ik._humanoid import Humanoid, HumanoidType
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._solver import ANGULAR, LINEAR
from benchmarks._ik._timing import Timed, one_by_one
from benchmarks._peers import installed
from benchmarks._peers._kido_ik import KidoHumanoid
from benchmarks._table import Table

TARGETS = {**dict.fromkeys(FEET, 0), HANDS[0]: 1, HANDS[1]: 2}
"""Links of the g1, and the levels of their targets."""

_COUNT = 200
_MOST = 12.0


@dataclass(frozen=True)
class Score:
    """Times of the calls, and shares of those within 1 mm and 10 mrad of all targets, and within 2e-6."""

    timed: Timed
    converged: float
    exact: float


def measure(count: int = _COUNT) -> dict[str, Score]:
    """kido and the peers that are installed, on at most 200 random positions of the joints and the root."""
    judge = G1()
    targets = [judge.poses(q, tuple(TARGETS)) for q in judge.draw(min(count, _COUNT))]
    found, _ = installed("whole body")
    kinds: dict[str, HumanoidType] = {"kido": KidoHumanoid, **found}
    solvers = {
        name: kind(judge.path, TARGETS, judge.joint_names, judge.neutral) for name, kind in kinds.items()
    }
    return {name: _score(judge, solver, targets) for name, solver in solvers.items()}


def table(scores: dict[str, Score]) -> Table:
    """One row a library."""
    rows = [
        [name, f"{100 * s.converged:.4g} %", f"{100 * s.exact:.4g} %", *s.timed.text.split(", ")]
        for name, s in scores.items()
    ]
    columns = ["library", "1 mm, 10 mrad", "1e-6", "median", "95th percentile"]
    notes = [
        f"g1, free root: reachable targets, root within {ROOT} m and {ROOT} rad, from all positions zero",
        "feet in level 0, one hand each in 1 and 2; pink and mink weigh all alike, and stop at 1 mm, 10 mrad",
    ]
    return Table("Whole body: four targets in three levels", columns, rows, notes)


def _score(judge: G1, solver: Humanoid, targets: list[FloatArray]) -> Score:
    timed = one_by_one(solver.solve, [(rows,) for rows in targets], _MOST)
    left = np.array(
        [
            (np.inf, np.inf) if q is None else _error(judge, solver.read(q), rows)
            for q, rows in zip(timed.answers, targets, strict=False)
        ]
    )
    converged = np.all(left <= [ANGULAR, LINEAR], axis=1)
    return Score(timed, float(converged.mean()), float(np.all(left <= 2.0 * NEAR, axis=1).mean()))


def _error(judge: G1, q: FloatArray, targets: FloatArray) -> tuple[float, float]:
    """The largest angle [rad] and distance [m] that is left; infinite beyond the limits."""
    if not judge.is_inside(q):
        return np.inf, np.inf
    angles, distances = apart(judge.poses(q, tuple(TARGETS)), targets)
    return float(angles.max()), float(distances.max())
