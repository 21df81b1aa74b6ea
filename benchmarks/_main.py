"""The run: arguments, sections in order, output."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import _anchors
import _batch
import _floor
import _footprint
import _machine
import _memory
import _peers
import _robots
import _single
import _threads
import _throughput
import kido
from _contest import Contest, installed
from _measure import FULL, QUICK, Effort
from _operations import ABA, BATCH, CRBA, FK, HAND, JACOBIAN, LINEAR
from _peers import PeerType
from _rows import Row, comparison
from _table import Table, verdict

_QUICK_BATCH = (ABA, CRBA, FK, HAND, JACOBIAN)


@dataclass
class Report:
    """What has been measured so far; every table is printed as it comes."""

    singles: list[Row] = field(default_factory=list)
    batches: list[Row] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def add(self, table: Table) -> None:
        """Keep and print a table."""
        self.tables.append(table)
        print(table.text(), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark; `python benchmarks/tree.py --help` says how."""
    options = _parser().parse_args(arguments)
    witness = _machine.Witness()
    report = Report()
    effort = QUICK if options.quick else FULL
    kido.set_num_threads(1)
    adaptors, lines = installed(_peers.NAMES)
    header = [*_machine.lines(), *lines]
    print("\n".join(header), end="\n\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.robots or (_robots.QUICK if options.quick else _robots.NAMES):
            robot = _robots.write(name, Path(folder), shipped=options.shipped)
            _measure_robot(report, Contest.load(robot, adaptors), effort, quick=options.quick)
        _measure_system(report, Path(folder), adaptors, effort, options)
    header.append(witness.line())
    print(header[-1])
    if options.markdown:
        tables = "\n".join(table.markdown() for table in report.tables)
        _write(options.markdown, "\n".join([*(f"* {line}" for line in header), "", tables]))
    if options.json:
        _write(options.json, json.dumps(_record(report, header), indent=1))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="kido.Tree against its peers, side by side in one run")
    parser.add_argument("--quick", action="store_true", help="fewer robots, rows and rounds; within a minute")
    parser.add_argument("--robots", type=_robot_list, help=f"comma-separated, of {', '.join(_robots.NAMES)}")
    parser.add_argument("--shipped", action="store_true", help="do not lump links behind fixed joints")
    parser.add_argument("--wheel", type=Path, help="wheel file whose size is shown")
    parser.add_argument("--markdown", type=Path, help="file to write the tables to")
    parser.add_argument("--json", type=Path, help="file to write all numbers to")
    return parser


def _robot_list(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in _robots.NAMES:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(_robots.NAMES)}, got {name!r}")
    return names


def _measure_robot(report: Report, contest: Contest, effort: Effort, *, quick: bool) -> None:
    singles = _single.measure(contest, effort)
    report.singles += singles
    notes = [*contest.notes, contest.agreement()]
    report.add(comparison(f"{contest.robot}: one call", singles, contest.peers, notes=notes))
    batches = _batch.measure(contest, effort, _QUICK_BATCH if quick else BATCH)
    report.batches += batches
    columns = (_batch.NEW_ARRAY, _batch.SIZE, _batch.HOW)
    title = f"{contest.robot}: batch on one core, time a sample"
    report.add(comparison(title, batches, contest.peers, extra=columns))


def _measure_system(
    report: Report, folder: Path, adaptors: dict[str, PeerType], effort: Effort, options: argparse.Namespace
) -> None:
    operations = _QUICK_BATCH if options.quick else BATCH
    report.add(_floor.measure(folder, adaptors, effort, report.singles))
    report.add(_threads.measure(folder, effort, operations))
    if {"chain100", "chain1000"} <= {row.robot for row in report.singles}:
        report.add(_chain_growth(report))
    report.add(_throughput.measure(folder, effort))
    report.add(_memory.measure(folder))
    report.add(_footprint.measure(options.wheel, repeats=3 if options.quick else 10))
    if any(row.robot in _anchors.ROBOTS for row in report.batches):
        report.add(_anchors.compare(report.batches))


def _chain_growth(report: Report) -> Table:
    title = "Chain of 1000 bodies against the chain of 100: kido's time a body"
    table = Table(title, ["operation", "100", "1000", "growth", "target", ""])
    for kind, rows in (("one call", report.singles), ("batch", report.batches)):
        times = {(row.robot, row.operation): row.kido for row in rows}
        for operation in LINEAR:
            short, long = times["chain100", operation] / 100, times["chain1000", operation] / 1000
            cells = [f"{short * 1e9:.1f} ns", f"{long * 1e9:.1f} ns", f"{long / short:.2f} x", "<= 2 x"]
            table.rows.append([f"{operation}, {kind}", *cells, verdict(2.0, long / short)])
    return table


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _record(report: Report, header: list[str]) -> dict[str, Any]:
    return {
        "machine": header,
        "single": [row.record() for row in report.singles],
        "batch": [row.record() for row in report.batches],
        "tables": [vars(table) for table in report.tables],
    }
