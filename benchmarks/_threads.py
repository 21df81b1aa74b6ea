"""Two threads against one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import _batch
import _robots
import _states
from _contest import Contest
from _measure import Block, Effort, fastest
from _operations import BATCH
from _table import Table, duration, verdict

import kido

TARGET = 1.8


def measure(folder: Path, effort: Effort, operations: Iterable[str] = BATCH) -> Table:
    """Batches of the g1 on one and on two threads, in turn."""
    contest = Contest.load(_robots.write("g1", folder, shipped=False), {})
    columns = ["operation", "1 thread", "2 threads", "ratio", "target", ""]
    table = Table("g1: batch on two threads against one, kido", columns)
    for operation in operations:
        states = _states.draw(contest.robot.dofs, _batch.batch_size(contest, operation))
        function = _batch.kido_batch(contest, operation, states)
        one, two = fastest({"1": Block(_with(1, function)), "2": Block(_with(2, function))}, effort).values()
        cells = [duration(one / len(states)), duration(two / len(states))]
        ratio = one / two
        table.rows.append([operation, *cells, f"{ratio:.2f} x", f"{TARGET} x", verdict(ratio, TARGET)])
    kido.set_num_threads(1)
    return table


def _with(threads: int, function: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        kido.set_num_threads(threads)
        function()

    return run
