"""The benchmark of skeletons: its sections in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks import _robots
from benchmarks._harness import Session, Subsystem
from benchmarks._operations import CACHED_TRANSFORM, RELATIVE_ACCELERATION
from benchmarks._robots import OBSERVERS
from benchmarks._skeleton import _duel, _edits, _kernel, _loading, _memory
from benchmarks._skeleton._questions import MOST_CACHED, MOST_RELATIVE_ACCELERATION, QUESTIONS
from benchmarks._skeleton._row import Row
from benchmarks._table import Table, duration, verdict

_QUICK_ROBOTS = ("panda", "talos")


def _measure(session: Session) -> dict[str, Any]:
    rows: list[Row] = []
    kernels: list[_kernel.KernelRow] = []
    robots = _QUICK_ROBOTS if session.options.quick else tuple(OBSERVERS)
    for name in session.options.robots or robots:
        robot = _robots.write(name, session.folder, shipped=False)
        found, table = _duel.measure(robot, session.adaptors, session.effort)
        rows += found
        kernels += _kernel.measure(robot, session.effort)
        session.add(table)
    session.add(_own_targets(rows))
    session.add(_kernel.table(kernels))
    table, edits = _edits.measure(session.folder, session.effort)
    session.add(table)
    table, memory = _memory.measure(session.folder, quick=session.options.quick)
    session.add(table)
    table, loading = _loading.measure(session.folder, quick=session.options.quick)
    session.add(table)
    return {
        "edits": edits,
        "memory": memory,
        "loading": loading,
        "rows": [row.record() for row in rows],
        "kernels": [row.record() for row in kernels],
    }


SUBSYSTEM = Subsystem("skeleton", "living skeletons, kido.Skeleton", tuple(OBSERVERS), _measure)


def _own_targets(rows: Sequence[Row]) -> Table:
    table = Table("kido by itself", ["what", "time", "target", ""])
    for row in rows:
        most = None
        if row.operation == CACHED_TRANSFORM:
            most = MOST_CACHED
        elif row.operation == RELATIVE_ACCELERATION and row.robot == "talos":
            most = MOST_RELATIVE_ACCELERATION
        if most is not None:
            time = row.times["kido"]
            what = f"{row.robot}: {QUESTIONS[row.operation]}"
            table.rows.append([what, duration(time), f"<= {duration(most)}", verdict(most, time)])
    return table
