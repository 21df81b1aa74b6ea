"""What it costs to move the robot to the answer: the same search, without and with."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from time import perf_counter_ns

import numpy as np

import kido
from benchmarks._ik._contest import Contest
from benchmarks._ik._judge import FloatArray
from benchmarks._peers._kido_ik import KidoArm
from benchmarks._table import Table, duration

_ROUNDS = 6


@dataclass(frozen=True)
class Applied:
    """Pairs of calls for the same targets.

    Attributes:
        solve, apply: median time of `solve`, and of `solve_and_apply` [s].
        more: median of what the second takes more, pair by pair [s].
        same: share of targets at which the robot is afterwards where `solve` says, to the last bit.
    """

    solve: float
    apply: float
    more: float
    same: float


def measure(contest: Contest) -> Applied:
    """Each target from the middle of the limits; the least time of some rounds."""
    solver = contest.solvers["kido"]
    assert isinstance(solver, KidoArm)
    module = solver.module(kido.SearchSettings())
    gc.collect()
    gc.disable()
    try:
        rounds = [
            [_pair(module, contest.arm.middle, target, first) for target in contest.targets]
            for first in range(_ROUNDS)
        ]
    finally:
        gc.enable()
    solve, apply, same = np.min(np.array(rounds, dtype=float), axis=0).T
    solve, apply = solve * 1e-9, apply * 1e-9
    medians = (float(np.median(times)) for times in (solve, apply, apply - solve))
    return Applied(*medians, float(np.mean(same)))


def table(found: dict[str, Applied]) -> Table:
    """One row an arm."""
    rows = [
        [
            arm,
            duration(a.solve),
            duration(a.apply),
            f"{'-' if a.more < 0.0 else '+'}{duration(abs(a.more))}",
            f"{100 * a.same:.4g} %",
        ]
        for arm, a in found.items()
    ]
    notes = [
        f"medians; each target from the middle of the limits, the least of {_ROUNDS} rounds",
        "the target is set on the clock, the start before it; more: the median over pairs of calls",
        "same: the robot is where `solve` says, to the last bit; dartpy's findSolution tells no positions",
    ]
    return Table("Solve, and solve and apply", ["arm", "solve", "and apply", "more", "same"], rows, notes)


def _pair(
    module: kido.InverseKinematics, start: FloatArray, target: FloatArray, first: int
) -> tuple[int, int, bool]:
    """The times of both [ns], and whether they agree; which comes first changes from round to round."""
    calls, times, ends = (module.solve, module.solve_and_apply), [0, 0], [start, start]
    for i in (first % 2, 1 - first % 2):
        module.positions = start
        begin = perf_counter_ns()
        module.target.set_transform(target)
        found = calls[i]()
        times[i] = perf_counter_ns() - begin
        ends[i] = module.positions if i else found.positions
    return times[0], times[1], np.array_equal(*ends)
