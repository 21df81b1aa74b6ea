"""The run: arguments, sections in order, output."""

from __future__ import annotations

import argparse
import logging
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import _machine
import kido
from _contest import installed
from _ik import _adaptors, _arms, _batch, _branches, _calls, _figure, _redundant, _unreachable, _whole_body
from _ik._aims import Aims
from _ik._contest import Contest
from _ik._kido import Kido
from _ik._solver import SolverType
from _table import Table


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark; `python benchmarks/ik.py --help` says how."""
    options = _parser().parse_args(arguments)
    witness = _machine.Witness()
    kido.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        adaptors, lines = installed(_adaptors.NAMES, _adaptors.load)
        header = [*_machine.lines(), *lines, *_settings(adaptors)]
        print("\n".join(header), end="\n\n", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            contests = {
                arm: Contest.load(arm, Path(folder), {"kido": Kido, **adaptors}, options.targets)
                for arm in options.robots
            }
            tables, scores = _measure(contests, options.targets)
    header.append(witness.line())
    print(header[-1])
    if options.markdown:
        options.markdown.parent.mkdir(parents=True, exist_ok=True)
        body = "\n".join(table.markdown() for table in tables)
        options.markdown.write_text("\n".join([*(f"* {line}" for line in header), "", body]))
    if options.figure:
        _figure.draw(scores, list(contests), options.figure)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="inverse kinematics of kido and its peers in one run")
    names = ", ".join(_arms.NAMES)
    parser.add_argument(
        "--robots", type=_robot_list, default=_arms.NAMES, help=f"comma-separated, of {names}"
    )
    parser.add_argument("--targets", type=_count, default=500, help="reachable targets of each arm (500)")
    parser.add_argument("--markdown", type=Path, help="file to write the tables to")
    parser.add_argument("--figure", type=Path, help="PNG file for a picture of the calls; needs matplotlib")
    return parser


def _robot_list(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in _arms.NAMES:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(_arms.NAMES)}, got {name!r}")
    return names


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)


def _settings(adaptors: dict[str, SolverType]) -> list[str]:
    return [f"{name}: {adaptor.settings}" for name, adaptor in adaptors.items() if adaptor.settings]


def _measure(contests: dict[str, Contest], count: int) -> tuple[list[Table], _calls.Scores]:
    """Tables of all sections, each printed as it comes, and the scores of one call."""
    aims, tables, arms = Aims(), [], list(contests)

    def add(table: Table) -> None:
        tables.append(table)
        print(table.text(), flush=True)

    notes = sorted({note for contest in contests.values() for note in contest.notes})
    whole = _by_library({arm: _calls.whole(contest) for arm, contest in contests.items()})
    add(_calls.table("One call", whole, arms, [_calls.restart_note(), *notes]))
    aims.calls(whole["kido"])
    single = _by_library({arm: _calls.single(contest) for arm, contest in contests.items()})
    add(_calls.table("One start, the middle of the limits", single, arms, []))
    aims.single(single["kido"])
    rates = {arm: _batch.measure(contest) for arm, contest in contests.items()}
    add(_batch.table(rates))
    aims.batch(rates)
    _closed_forms(contests, aims, add)
    verdicts = {arm: _unreachable.measure(contest) for arm, contest in contests.items()}
    add(_unreachable.table(verdicts))
    aims.unreachable({arm: found["kido"] for arm, found in verdicts.items()})
    bodies = _whole_body.measure(count)
    add(_whole_body.table(bodies))
    aims.whole_body(bodies["kido"])
    add(aims.table)
    return tables, whole


def _closed_forms(contests: dict[str, Contest], aims: Aims, add: Callable[[Table], None]) -> None:
    if "ur5" in contests:
        branches = _branches.measure(contests["ur5"])
        add(_branches.table("ur5", branches))
        aims.branches(branches["kido"])
    found = {arm: _redundant.measure(contest) for arm, contest in contests.items()}
    sweeps = {arm: sweep for arm, sweep in found.items() if sweep is not None}
    if sweeps:
        add(_redundant.table(sweeps))
        aims.redundant(sweeps)


def _by_library(scores: dict[str, dict[str, _calls.Score]]) -> _calls.Scores:
    """Scores by library and arm, from those by arm and library."""
    libraries = dict.fromkeys(name for by_library in scores.values() for name in by_library)
    return {
        name: {arm: by_library[name] for arm, by_library in scores.items() if name in by_library}
        for name in libraries
    }
