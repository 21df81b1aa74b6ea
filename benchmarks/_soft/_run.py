"""The benchmark of soft bodies: a cube that rests on the floor, and growth with the number of points."""

from __future__ import annotations

from typing import Any

from benchmarks._harness import Session, Subsystem
from benchmarks._measure import Block, fastest
from benchmarks._soft._cube import Cube, kido_cube
from benchmarks._table import Table, duration, verdict

_TARGET = 2.0
_COUNTS = (2, 3, 4, 9)
_QUICK_COUNTS = (2, 4)
_GROWTH = (2, 4, 9, 20, 41)
_QUICK_GROWTH = (2, 9)
_STEPS = 10
"""Steps of one call that is measured."""


def _measure(session: Session) -> dict[str, Any]:
    return {"floor": _on_floor(session), "growth": _growth(session)}


def _on_floor(session: Session) -> list[dict[str, Any]]:
    table = Table(
        "a soft cube that rests on the floor: one step", ["points", "kido", *session.adaptors, "ratio", "aim"]
    )
    record: list[dict[str, Any]] = []
    for count in _QUICK_COUNTS if session.options.quick else _COUNTS:
        cube = Cube(count)
        world = kido_cube(cube, on_floor=True)
        candidates = {"kido": Block(lambda world=world: world.step(_STEPS))}
        notes = {}
        for name, adaptor in session.adaptors.items():
            peer = adaptor(cube)
            notes[name] = peer.points
            if peer.stands:
                candidates[name] = Block(lambda peer=peer: peer.step(_STEPS))
        times = {name: time / _STEPS for name, time in fastest(candidates, session.effort).items()}
        others = [time for name, time in times.items() if name != "kido"]
        ratio = min(others) / times["kido"] if others else None
        cells = [_cell(times.get(name), points, cube.points) for name, points in notes.items()]
        shown = "-" if ratio is None else f"{ratio:.2f}"
        table.rows.append(
            [
                str(cube.points),
                duration(times["kido"]),
                *cells,
                shown,
                f"{_TARGET:g}, {verdict(ratio, _TARGET)}",
            ]
        )
        record.append({"points": cube.points, "times": times, "peers": notes, "ratio": ratio})
    table.notes.append("(n): of so many points, where a library cannot have as many on the surface")
    table.notes.append("fell: numbers that are not finite, or a cube that did not come to rest on the floor")
    session.add(table)
    return record


def _cell(time: float | None, points: int, wanted: int) -> str:
    shown = "fell" if time is None else duration(time)
    return shown if points == wanted else f"{shown} ({points})"


def _growth(session: Session) -> list[dict[str, Any]]:
    table = Table("a soft cube that falls freely: one step of kido", ["points", "step", "a point"])
    record: list[dict[str, Any]] = []
    for count in _QUICK_GROWTH if session.options.quick else _GROWTH:
        cube = Cube(count)
        world = kido_cube(cube, on_floor=False)
        time = (
            fastest({"kido": Block(lambda world=world: world.step(_STEPS))}, session.effort)["kido"] / _STEPS
        )
        table.rows.append([str(cube.points), duration(time), duration(time / cube.points)])
        record.append({"points": cube.points, "time": time})
    session.add(table)
    return record


SUBSYSTEM = Subsystem("soft", "soft bodies", (), _measure)
