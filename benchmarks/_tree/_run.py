"""The benchmark of trees: its sections in order."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import _robots
from benchmarks._harness import Session, Subsystem
from benchmarks._operations import ABA, BATCH, CRBA, FK, HAND, JACOBIAN, LINEAR
from benchmarks._table import Table, verdict
from benchmarks._tree import (
    _anchors,
    _batch,
    _floor,
    _footprint,
    _memory,
    _single,
    _threads,
    _throughput,
)
from benchmarks._tree._contest import Contest
from benchmarks._tree._rows import Row, comparison

_QUICK_BATCH = (ABA, CRBA, FK, HAND, JACOBIAN)


@dataclass
class _Rows:
    """What has been measured of robots so far."""

    singles: list[Row] = field(default_factory=list)
    batches: list[Row] = field(default_factory=list)


def _measure(session: Session) -> dict[str, Any]:
    options, rows = session.options, _Rows()
    for name in options.robots or (_robots.QUICK if options.quick else _robots.NAMES):
        robot = _robots.write(name, session.folder, shipped=options.shipped)
        _measure_robot(session, rows, Contest.load(robot, session.adaptors))
    _measure_system(session, rows)
    return {
        "single": [row.record() for row in rows.singles],
        "batch": [row.record() for row in rows.batches],
        "tables": [vars(table) for table in session.tables],
    }


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shipped", action="store_true", help="do not lump links behind fixed joints")
    parser.add_argument("--wheel", type=Path, help="wheel file whose size is shown")


SUBSYSTEM = Subsystem(
    "tree", "kinematics and dynamics of arrays, kido.Tree", _robots.NAMES, _measure, _add_arguments
)


def _operations(session: Session) -> tuple[str, ...]:
    return _QUICK_BATCH if session.options.quick else BATCH


def _measure_robot(session: Session, rows: _Rows, contest: Contest) -> None:
    singles = _single.measure(contest, session.effort)
    rows.singles += singles
    notes = [*contest.notes, contest.agreement()]
    session.add(comparison(f"{contest.robot}: one call", singles, contest.peers, notes=notes))
    batches = _batch.measure(contest, session.effort, _operations(session))
    rows.batches += batches
    columns = (_batch.NEW_ARRAY, _batch.SIZE, _batch.HOW)
    title = f"{contest.robot}: batch on one core, time a sample"
    session.add(comparison(title, batches, contest.peers, extra=columns))


def _measure_system(session: Session, rows: _Rows) -> None:
    folder, effort = session.folder, session.effort
    session.add(_floor.measure(folder, session.adaptors, effort, rows.singles))
    session.add(_threads.measure(folder, effort, _operations(session)))
    if {"chain100", "chain1000"} <= {row.robot for row in rows.singles}:
        session.add(_chain_growth(rows))
    session.add(_throughput.measure(folder, effort))
    session.add(_memory.measure(folder))
    session.add(_footprint.measure(session.options.wheel, repeats=3 if session.options.quick else 10))
    if any(row.robot in _anchors.ROBOTS for row in rows.batches):
        session.add(_anchors.compare(rows.batches))


def _chain_growth(measured: _Rows) -> Table:
    title = "Chain of 1000 bodies against the chain of 100: kido's time a body"
    table = Table(title, ["operation", "100", "1000", "growth", "target", ""])
    for kind, rows in (("one call", measured.singles), ("batch", measured.batches)):
        times = {(row.robot, row.operation): row.kido for row in rows}
        for operation in LINEAR:
            short, long = times["chain100", operation] / 100, times["chain1000", operation] / 1000
            cells = [f"{short * 1e9:.1f} ns", f"{long * 1e9:.1f} ns", f"{long / short:.2f} x", "<= 2 x"]
            table.rows.append([f"{operation}, {kind}", *cells, verdict(2.0, long / short)])
    return table
