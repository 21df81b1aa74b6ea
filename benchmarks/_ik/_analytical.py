"""Closed forms with limits and ranking: all solutions of one target, and of many in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import kido
from benchmarks._ik._arms import TOOL
from benchmarks._ik._batch import SAMPLES, fastest, rate_text
from benchmarks._ik._contest import Contest
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._solver import Solver
from benchmarks._ik._timing import Timed, one_by_one
from benchmarks._peers._kido_ik import KidoArm
from benchmarks._table import Table

_MOST = 5.0


@dataclass(frozen=True)
class Ranked:
    """An arm with a closed form.

    Attributes:
        joints: number of joints.
        solve: of `analytical_ik(body).solve`.
        module: of a module's `solve` with the closed form as gradient method.
        rate: targets a second of `solve_batch` on one thread.
        success: share of the targets that the first solution reaches, alone or in the batch, the lesser.
        eaik: targets a second of EAIK; None where it has no closed form.
        eaik_one, ssik: one target of EAIK and of ssik; None where they are not there.
    """

    joints: int
    solve: Timed
    module: Timed
    rate: float
    success: float
    eaik: float | None
    eaik_one: Timed | None
    ssik: Timed | None


def measure(contest: Contest) -> Ranked | None:
    """None for arms without a closed form."""
    own = contest.solvers["kido"]
    assert isinstance(own, KidoArm)
    module = own.module(kido.SearchSettings())
    try:
        closed = kido.analytical_ik(module)
    except kido.errors.NoClosedFormError:
        return None
    module.gradient_method = closed.method
    module.positions = contest.arm.middle
    assert module.node.name == TOOL

    def answer(target: np.ndarray) -> kido.ik.IKResult:
        module.target.set_transform(target)
        return module.solve()

    rows = [(target,) for target in contest.targets]
    many = contest.judge.targets(SAMPLES, seed=1)
    solve, single = one_by_one(closed.solve, rows, _MOST), one_by_one(answer, rows, _MOST)
    rate, found = fastest(lambda: closed.solve_batch(many))
    eaik, ssik = contest.solvers.get("eaik"), contest.solvers.get("ssik")
    poses = None if eaik is None else [eaik.prepare(target) for target in many]
    return Ranked(
        contest.arm.dofs,
        solve,
        single,
        rate,
        _success(contest, solve.answers, many, found),
        None if eaik is None else fastest(lambda: eaik.batch(poses))[0],
        None if eaik is None else _nearest(contest, eaik),
        None if ssik is None else one_by_one(ssik.branches, rows, _MOST),
    )


def table(found: dict[str, Ranked]) -> Table:
    """One row an arm."""
    rows = [
        [
            arm,
            str(r.joints),
            r.solve.text,
            r.module.text,
            rate_text(r.rate),
            f"{100 * r.success:.4g} %",
            "-" if r.eaik is None else rate_text(r.eaik),
            r.eaik_one.text if r.eaik_one else "-",
            r.ssik.text if r.ssik else "-",
        ]
        for arm, r in found.items()
    ]
    columns = [
        *("arm", "joints", "one target", "by a module", "batch, targets a second", "success"),
        *("eaik, batch", "eaik, one target", "ssik, one target"),
    ]
    notes = [
        "one target: analytical_ik(body).solve, all solutions in limits and ranked; median, 95th percentile",
        f"batch: {SAMPLES} targets in one call of solve_batch, one thread",
        "success: the first solution is within the limits and reaches the target, alone and in the batch",
        "of seven joints one is locked where it is, or where nothing is valid there, tried over its range",
        "eaik, batch, and ssik: every solution, without limits and ranking; ssik over its own samples of the",
        "redundancy; eaik, one target: every solution, of which the nearest within the limits is chosen",
    ]
    return Table("Closed forms with limits, ranked", columns, rows, notes)


def _success(
    contest: Contest,
    alone: Sequence[kido.ik.AnalyticalResult],
    many: FloatArray,
    found: kido.ik.AnalyticalResults,
) -> float:
    """The lesser share of targets whose first solution reaches them, one by one and in a batch."""
    first = [result.positions[0] if result.success else None for result in alone]
    best = [q if good else None for q, good in zip(found.best, found.success, strict=True)]
    shares = (
        contest.judge.reached(contest.targets[: len(first)], first).mean(),
        contest.judge.reached(many, best).mean(),
    )
    return float(min(shares))


def _nearest(contest: Contest, eaik: Solver) -> Timed:
    """Its search for one solution within the limits."""
    search = eaik.complete()
    assert search is not None
    start = contest.arm.middle
    return one_by_one(search, [(eaik.prepare(target), start) for target in contest.targets], _MOST)
