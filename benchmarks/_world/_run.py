"""The benchmark of simulation: steps a second and depth, scene by scene."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks._harness import Session, Subsystem
from benchmarks._table import Table, verdict
from benchmarks._world import _figure, _growth, _rollouts, _sleeping
from benchmarks._world._contest import DIVERGED, PARTS, Contest, Entry
from benchmarks._world._scenes import SCENES

_ROUNDS = 2
_QUICK = ("one box", "stack of 10", "ragdoll falling")
_BUDGET, _QUICK_BUDGET = 5.0, 1.0
_OTHERS = {"growth": _growth.measure, "rollouts": _rollouts.measure, "sleeping": _sleeping.measure}
_AS_DEEP = 10.0
"""Peers count whose depth is at most this many times kido's."""


def _measure(session: Session) -> dict[str, Any]:
    names = _names(session)
    table = Table(
        "simulation, steps of 1 ms, one thread",
        ["scene", "kido", "depth", *names, "ratio", "target", ""],
    )
    options, record = session.options, []
    chosen = options.robots or [*(_QUICK if options.quick else SCENES), *_OTHERS]
    for name in (name for name in chosen if name in SCENES):
        row = _row(name, session)
        record.append(row)
        table.rows.append(_cells(row, names))
        print("  ".join(table.rows[-1]), flush=True)
    table.notes += [
        "steps a second of processor time and the largest depth, or gap of the loop, seen in ten parts;",
        "peers with their defaults and tuned: how many times as fast kido is, and their depth;",
        ">: given up before the end; -: the library has no such scene;",
        f"ratio: to the fastest peer that is at most {_AS_DEEP:g} times as deep",
    ]
    if record:
        session.add(table)
    if record and options.figure:
        _figure.draw(record, names, options.figure)
    others = {name: measure(session) for name, measure in _OTHERS.items() if name in chosen}
    return {"rows": record, **others}


def _names(session: Session) -> list[str]:
    return [f"{name}{kind}" for name in session.adaptors for kind in ("", " tuned")]


def _row(name: str, session: Session) -> dict[str, Any]:
    scene, quick = SCENES[name], session.options.quick
    contest = Contest(scene, session.folder, session.adaptors, _QUICK_BUDGET if quick else _BUDGET)
    entries = contest.run(1 if quick else _ROUNDS)
    steps = PARTS * contest.part
    found = {entry: _numbers(numbers, steps) for entry, numbers in entries.items()}
    own = found.pop("kido")
    counted = [
        p["speed"]
        for p in found.values()
        if p["speed"] and not p["note"] and p["depth"] <= _AS_DEEP * own["depth"]
    ]
    ratio = own["speed"] / max(counted) if counted else None
    return {"scene": name, "kido": own, "peers": found, "ratio": ratio, "target": scene.target}


def _numbers(entry: Entry, steps: int) -> dict[str, Any]:
    return {
        "speed": entry.speed(steps),
        "depth": entry.depth,
        "moved": entry.moved,
        "bound": entry.bound,
        "note": entry.note,
    }


def _cells(row: dict[str, Any], names: list[str]) -> list[str]:
    own, ratio, target = row["kido"], row["ratio"], row["target"]
    peers = [_shown(row["peers"][name], own["speed"]) for name in names]
    shown = "-" if ratio is None else f"{ratio:.2f} x"
    return [
        row["scene"],
        f"{own['speed']:,.0f}/s",
        _depth(own["depth"]),
        *peers,
        shown,
        f"{target:g} x",
        verdict(ratio, target),
    ]


def _shown(peer: dict[str, Any], speed: float) -> str:
    if peer["note"]:
        return "diverged" if peer["note"] == DIVERGED else "-"
    if peer["bound"]:
        return f"> {speed / peer['bound']:.0f} x"
    return f"{speed / peer['speed']:.2f} x, {_depth(peer['depth'])}"


def _depth(depth: float) -> str:
    return f"{depth * 1e3:.2g} mm"


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--figure", type=Path, help="file to draw the ratios to")


SUBSYSTEM = Subsystem(
    "world", "simulation in contact, kido.World", (*SCENES, *_OTHERS), _measure, _add_arguments
)
