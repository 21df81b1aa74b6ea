"""The run: arguments, sections in order, output."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import _machine
import _robots
import kido
from _contest import installed
from _measure import FULL, QUICK
from _skeleton import _adaptors, _duel, _edits, _memory
from _skeleton._questions import (
    CACHED_TRANSFORM,
    MOST_CACHED,
    MOST_RELATIVE_ACCELERATION,
    OBSERVERS,
    QUESTIONS,
    RELATIVE_ACCELERATION,
)
from _skeleton._row import Row
from _table import Table, duration, verdict

_QUICK_ROBOTS = ("panda", "talos")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark; `python benchmarks/skeleton.py --help` says how."""
    options = _parser().parse_args(arguments)
    witness = _machine.Witness()
    effort = QUICK if options.quick else FULL
    kido.set_num_threads(1)
    adaptors, lines = installed(_adaptors.NAMES, _adaptors.load)
    header = [*_machine.lines(), *lines]
    print("\n".join(header), end="\n\n", flush=True)
    rows: list[Row] = []
    tables: list[Table] = []

    def add(table: Table) -> None:
        tables.append(table)
        print(table.text(), flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for robot in options.robots or (_QUICK_ROBOTS if options.quick else tuple(OBSERVERS)):
            found, table = _duel.measure(_robots.write(robot, folder, shipped=False), adaptors, effort)
            rows += found
            add(table)
        add(_own_targets(rows))
        table, edits = _edits.measure(folder, effort, dartpy="dartpy" in adaptors)
        add(table)
        table, memory = _memory.measure(folder, quick=options.quick)
        add(table)
    header.append(witness.line())
    print(header[-1])
    if options.markdown:
        body = "\n".join(table.markdown() for table in tables)
        _write(options.markdown, "\n".join([*(f"* {line}" for line in header), "", body]))
    if options.json:
        record: dict[str, Any] = {"machine": header, "edits": edits, "memory": memory}
        _write(options.json, json.dumps({**record, "rows": [row.record() for row in rows]}, indent=1))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="kido.Skeleton against its peers, side by side in one run")
    parser.add_argument("--quick", action="store_true", help="fewer robots and rounds; half a minute")
    parser.add_argument("--robots", type=_robot_list, help=f"comma-separated, of {', '.join(OBSERVERS)}")
    parser.add_argument("--markdown", type=Path, help="file to write the tables to")
    parser.add_argument("--json", type=Path, help="file to write all numbers to")
    return parser


def _robot_list(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in OBSERVERS:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(OBSERVERS)}, got {name!r}")
    return names


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


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
