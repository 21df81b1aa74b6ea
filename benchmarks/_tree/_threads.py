"""Two threads against one, with a probe that says what the machine itself has to give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import kido
from benchmarks import _robots, _states
from benchmarks._measure import Block, Effort, fastest
from benchmarks._operations import BATCH
from benchmarks._table import Table, duration, verdict
from benchmarks._tree import _batch, _peak
from benchmarks._tree._contest import Contest

TARGET = 1.8


def measure(folder: Path, effort: Effort, operations: Iterable[str] = BATCH) -> Table:
    """Batches of the g1 on one and on two threads, in turn."""
    contest = Contest.load(_robots.write("g1", folder, shipped=False), {})
    columns = ["operation", "1 thread", "2 threads", "ratio", "target", ""]
    effort = replace(effort, rounds=3 * effort.rounds, fewest=3 * effort.rounds)
    table = Table("g1: batch on two threads against one, kido", columns)
    for operation in operations:
        states = _states.draw(contest.robot.dofs, _batch.batch_size(contest, operation))
        function = _batch.kido_batch(contest, operation, states)
        one, two = _elapsed(_with(1, function), _with(2, function), effort)
        cells = [duration(one / len(states)), duration(two / len(states))]
        ratio = one / two
        table.rows.append([operation, *cells, f"{ratio:.2f} x", f"{TARGET} x", verdict(ratio, TARGET)])
    kido.set_num_threads(1)
    table.notes.append(_control(folder, effort))
    return table


def _control(folder: Path, effort: Effort) -> str:
    probe = _peak.build(folder)
    if probe is None:
        return "no C++ compiler: what two threads of this machine can give is not measured"
    with ThreadPoolExecutor(2) as pool:

        def twice() -> None:
            for done in [pool.submit(probe.function), pool.submit(probe.function)]:
                done.result()

        one, two = _elapsed(probe.function, twice, effort)
    return f"two threads of independent arithmetic on this machine now: {2 * one / two:.2f} x"


def _elapsed(one: Callable[[], Any], two: Callable[[], Any], effort: Effort) -> tuple[float, float]:
    blocks = {"one": Block(one, clock=perf_counter), "two": Block(two, clock=perf_counter)}
    times = fastest(blocks, effort)
    return times["one"], times["two"]


def _with(threads: int, function: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        kido.set_num_threads(threads)
        function()

    return run
