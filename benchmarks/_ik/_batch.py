"""Ten thousand targets in one call, on one core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import kido
from benchmarks._ik._contest import Contest
from benchmarks._peers._kido_ik import KidoArm
from benchmarks._table import Table

SAMPLES = 10_000
_ROUNDS = 5


@dataclass(frozen=True)
class Rate:
    """Targets a second.

    Attributes:
        rate, success: of kido, and the share of the targets that is reached.
        eaik: of EAIK, every solution of each; None where it has no closed form.
    """

    rate: float
    success: float
    eaik: float | None


def measure(contest: Contest) -> Rate:
    """`solve_batch`, and the only call of a peer for many targets."""
    solver, peer = contest.solvers["kido"], contest.solvers.get("eaik")
    assert isinstance(solver, KidoArm)
    module, targets = solver.module(kido.SearchSettings()), contest.judge.targets(SAMPLES, seed=1)
    rate, found = fastest(lambda: module.solve_batch(targets, contest.arm.middle))
    reached = contest.judge.reached(targets, list(found.positions))
    if peer is None:
        return Rate(rate, float(np.mean(reached)), None)
    poses = [peer.prepare(target) for target in targets]
    return Rate(rate, float(np.mean(reached)), fastest(lambda: peer.batch(poses))[0])


def table(rates: dict[str, Rate]) -> Table:
    """Rates by arm."""
    rows = [
        [
            arm,
            rate_text(rate.rate),
            f"{100 * rate.success:.4g} %",
            "-" if rate.eaik is None else rate_text(rate.eaik),
        ]
        for arm, rate in rates.items()
    ]
    notes = [
        f"kido: {SAMPLES} targets in one call of solve_batch, one core",
        "eaik: IK_batched on one thread, every solution in closed form; no other peer has such a call",
    ]
    return Table("Batch", ["arm", "kido, solves a second", "success", "eaik"], rows, notes)


def fastest(call: Callable[[], Any]) -> tuple[float, Any]:
    """Targets a second of a call for all samples, the fastest of some, and what it gave."""
    times = []
    for _ in range(_ROUNDS):
        start = perf_counter()
        found = call()
        times.append(perf_counter() - start)
    return SAMPLES / min(times), found


def rate_text(rate: float) -> str:
    """A rate with its thousands apart."""
    return f"{rate:,.0f}".replace(",", " ")
