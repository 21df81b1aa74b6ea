"""Arithmetic throughput of the batched articulated-body algorithm against the processor's peak."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks import _robots, _states
from benchmarks._measure import Block, Effort, fastest
from benchmarks._operations import ABA
from benchmarks._table import Table, verdict
from benchmarks._tree import _batch, _peak
from benchmarks._tree._contest import Contest

FLOPS = 17_800
"""Operations of one call on the g1 as a computer algebra system simplifies the expression."""

TARGET = 50.0


def measure(folder: Path, effort: Effort) -> Table:
    """The g1's batch and the probe, in turn."""
    table = Table(f"g1: {ABA}, batch on one core, against the peak without FMA", ["what", "GFLOP/s"])
    probe = _peak.build(folder)
    contest = Contest.load(_robots.write("g1", folder, shipped=False), {})
    states = _states.draw(contest.robot.dofs, _batch.SAMPLES)
    candidates = {"kido": Block(_batch.kido_batch(contest, ABA, states))}
    if probe is not None:
        candidates["peak"] = Block(probe.function)
    times = fastest(candidates, replace(effort, fewest=effort.rounds))
    rate = FLOPS * len(states) / times["kido"]
    table.rows.append([f"kido, {FLOPS / 1e3} kFLOP a call", f"{rate / 1e9:.1f}"])
    if probe is None:
        table.notes.append("no C++ compiler: the peak is not measured")
        return table
    peak = probe.flops / times["peak"]
    share = 100 * rate / peak
    table.rows.append(["peak, multiplications and additions in equal parts", f"{peak / 1e9:.1f}"])
    table.notes.append(f"{share:.0f} % of the peak, target {TARGET:.0f} %: {verdict(share, TARGET)}")
    return table
