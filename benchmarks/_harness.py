"""The run of a subsystem's benchmark: arguments, header, tables as they come, files."""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kido
from benchmarks import _machine, _peers
from benchmarks._measure import FULL, QUICK, Effort
from benchmarks._table import Table


@dataclass
class Session:
    """One run.

    Attributes:
        options: what the command line says.
        adaptors: classes of the installed peers, by library.
        folder: takes files, and goes at the end.
        header: what is measured on, and with.
        tables: what has been measured so far.
    """

    options: argparse.Namespace
    adaptors: dict[str, Any]
    folder: Path
    header: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @property
    def effort(self) -> Effort:
        """How long to measure."""
        return QUICK if self.options.quick else FULL

    def say(self, *lines: str) -> None:
        """Keep and print lines of the header."""
        self.header += lines
        print(*lines, sep="\n", flush=True)

    def add(self, table: Table) -> None:
        """Keep and print a table."""
        self.tables.append(table)
        print(table.text(), flush=True)


@dataclass(frozen=True)
class Subsystem:
    """What one benchmark is.

    Attributes:
        name: on the command line; a key of the peers' classes.
        summary: what is compared.
        robots: names of all that it can measure.
        measure: does it, table by table; returns the numbers for JSON.
        add_arguments: adds options of its own.
    """

    name: str
    summary: str
    robots: Sequence[str]
    measure: Callable[[Session], dict[str, Any]]
    add_arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None


def main(subsystem: Subsystem, arguments: Sequence[str] | None = None) -> None:
    """Run a benchmark; `python -m benchmarks tree --help` says how."""
    options = _parser(subsystem).parse_args(arguments)
    witness = _machine.Witness()
    kido.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adaptors, lines = _peers.installed(subsystem.name)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(options, adaptors, Path(folder))
        session.say(*_machine.lines(), *lines)
        record = subsystem.measure(session)
    session.say(witness.line())
    if options.markdown:
        body = "\n".join(table.markdown() for table in session.tables)
        _write(options.markdown, "\n".join([*(f"* {line}" for line in session.header), "", body]))
    if options.json:
        _write(options.json, json.dumps({"machine": session.header, **record}, indent=1))


def _parser(subsystem: Subsystem) -> argparse.ArgumentParser:
    prog = f"python -m benchmarks {subsystem.name}"
    parser = argparse.ArgumentParser(prog=prog, description=f"kido beside its peers: {subsystem.summary}")
    parser.add_argument("--quick", action="store_true", help="fewer robots and rounds; a smoke test")
    robots = f"comma-separated, of {', '.join(subsystem.robots)}"
    parser.add_argument("--robots", type=_some_of(subsystem.robots), help=robots)
    parser.add_argument("--markdown", type=Path, help="file to write the tables to")
    parser.add_argument("--json", type=Path, help="file to write all numbers to")
    subsystem.add_arguments(parser)
    return parser


def _some_of(known: Sequence[str]) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"expected some of {', '.join(known)}, got {name!r}")
        return names

    return read


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
