"""The benchmark of inverse kinematics: its sections in order."""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._harness import Session, Subsystem
from benchmarks._ik import (
    _analytical,
    _applied,
    _arms,
    _batch,
    _branches,
    _calls,
    _figure,
    _objectives,
    _own_methods,
    _pulled,
    _redundant,
    _task_set,
    _unreachable,
    _velocity_steps,
    _whole_body,
)
from benchmarks._ik._aims import Aims
from benchmarks._ik._contest import Contest
from benchmarks._peers._kido_ik import KidoArm
from benchmarks._table import Table

_TARGETS, _QUICK_TARGETS = 500, 40
_QUICK_ROBOTS = ("panda", "ur5")
_CLOSED = ("eaik", "ssik")
"""Libraries that do not take part in pulling the hand: it has no closed form, and ssik takes minutes."""


def _measure(session: Session) -> dict[str, Any]:
    options = session.options
    count = options.targets or (_QUICK_TARGETS if options.quick else _TARGETS)
    robots = options.robots or (_QUICK_ROBOTS if options.quick else _arms.NAMES)
    adaptors = session.adaptors
    session.say(*(f"{name}: {found.settings}" for name, found in adaptors.items() if found.settings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        contests = {
            arm: Contest.load(arm, session.folder, {"kido": KidoArm, **adaptors}, count) for arm in robots
        }
        scores = _measure_all(session, contests, _pulled_too(session, contests), count)
    if options.figure:
        _figure.draw(scores, list(contests), options.figure)
    return {"tables": [vars(table) for table in session.tables]}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--targets", type=_count, help=f"reachable targets of each arm ({_TARGETS})")
    parser.add_argument("--figure", type=Path, help="PNG file for a picture of the calls; needs matplotlib")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)


SUBSYSTEM = Subsystem(
    "ik", "inverse kinematics, kido.InverseKinematics", _arms.NAMES, _measure, _add_arguments
)


def _pulled_too(session: Session, contests: dict[str, Contest]) -> dict[str, Contest]:
    """The arms, and beside all of them the hand."""
    if session.options.robots or session.options.quick:
        return contests
    adaptors = {name: found for name, found in session.adaptors.items() if name not in _CLOSED}
    hand = Contest.load(_arms.HAND, session.folder, {"kido": KidoArm, **adaptors}, 1)
    return {**contests, _arms.HAND: hand}


def _measure_all(
    session: Session, contests: dict[str, Contest], pulled: dict[str, Contest], count: int
) -> _calls.Scores:
    """All sections in order; the scores of one call."""
    aims, add, arms = Aims(), session.add, list(contests)
    notes = sorted({note for contest in contests.values() for note in contest.notes})
    whole = _by_library({arm: _calls.whole(contest) for arm, contest in contests.items()})
    add(_calls.table("One call", whole, arms, [_calls.restart_note(), *notes]))
    aims.calls(whole["kido"])
    single = _by_library({arm: _calls.single(contest) for arm, contest in contests.items()})
    add(_calls.table("One start, the middle of the limits", single, arms, []))
    aims.single(single["kido"])
    applied = {arm: _applied.measure(contest) for arm, contest in contests.items()}
    add(_applied.table(applied))
    aims.applied(applied)
    rates = {arm: _batch.measure(contest) for arm, contest in contests.items()}
    add(_batch.table(rates))
    aims.batch(rates)
    _closed_forms(contests, aims, add)
    verdicts = {arm: _unreachable.measure(contest) for arm, contest in contests.items()}
    add(_unreachable.table(verdicts))
    aims.unreachable({arm: found["kido"] for arm, found in verdicts.items()})
    pulls = {arm: _pulled.measure(contest, max(1, count // 5)) for arm, contest in pulled.items()}
    add(_pulled.table(pulls))
    aims.pulled({arm: found["kido, following"] for arm, found in pulls.items()})
    _parts(contests, aims, add)
    _humanoid(count, aims, add)
    if _velocity_steps.ARM in contests:
        velocities = _velocity_steps.measure(contests[_velocity_steps.ARM])
        for table in _velocity_steps.table(velocities):
            add(table)
        aims.velocities(velocities)
    add(aims.table)
    return whole


def _parts(contests: dict[str, Contest], aims: Aims, add: Callable[[Table], None]) -> None:
    """Objectives, and methods of a user's own."""
    scores = _objectives.measure(contests)
    add(_objectives.table(scores, list(contests)))
    aims.objectives(scores)
    if _own_methods.ARM in contests:
        own = _own_methods.measure(contests[_own_methods.ARM])
        add(_own_methods.table(own))
        aims.own_methods(own)


def _humanoid(count: int, aims: Aims, add: Callable[[Table], None]) -> None:
    bodies = _whole_body.measure(count)
    add(_whole_body.table(bodies))
    aims.whole_body(bodies["kido"])
    found = _task_set.measure(count)
    for table in _task_set.tables(found):
        add(table)
    aims.task_set(found.reached["kido"], found.far["kido"], found.pulled["kido, following"])


def _closed_forms(contests: dict[str, Contest], aims: Aims, add: Callable[[Table], None]) -> None:
    if "ur5" in contests:
        branches = _branches.measure(contests["ur5"])
        add(_branches.table("ur5", branches))
        aims.branches(branches["kido"])
    ranked = {arm: _analytical.measure(contest) for arm, contest in contests.items()}
    closed = {arm: one for arm, one in ranked.items() if one is not None}
    if closed:
        add(_analytical.table(closed))
        aims.analytical(closed)
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
