"""How time grows with the number of bodies, and with narrower registers."""

from __future__ import annotations

import time
from typing import Any, TypeVar

from benchmarks._harness import Session
from benchmarks._table import Table, duration, verdict
from benchmarks._world._contest import KidoWorld
from benchmarks._world._scenes import towers
from kido import _core

_COUNTS, _QUICK_COUNTS = (10, 30, 100, 300, 1000, 3000, 5000), (10, 100)
_MOST = 2.0
_SETTLING = 1500
"""Steps after which towers of any number rest: while they settle, steps cost a sweep more."""
_STEPS = 50
"""In one call at least."""
_ROUNDS, _FIRST_ROUNDS = 7, 3
_LEAST = 0.7
_WIDE, _NARROW = "x86_64_v4", "x86_64_v3"
_Key = TypeVar("_Key")


def measure(session: Session) -> dict[str, Any]:
    """Towers of ten boxes at rest: time of a step for each body; and by instruction set."""
    counts = _QUICK_COUNTS if session.options.quick else _COUNTS
    worlds = {count: _settled(count) for count in counts}
    times, single = _times(worlds), _times(worlds, single=True)
    first = {count: _first_step(count) for count in counts}
    columns = ["boxes", "a step", "in calls of one", "a step and body", "the first step, a body"]
    table = Table("growth: towers of ten boxes at rest", columns)
    for count, spent in times.items():
        numbers = (spent, single[count], spent / count, first[count] / count)
        table.rows.append([str(count), *map(duration, numbers)])
    per_body = [spent / count for count, spent in times.items()]
    growth = max(per_body) / min(per_body)
    table.notes.append(f"largest over least: {growth:.2f}, target {_MOST:g}: {verdict(_MOST, growth)}")
    session.add(table)
    return {"times": times, "single": single, "first": first, "sets": _instruction_sets(session)}


def _instruction_sets(session: Session) -> dict[str, float]:
    known = _core.instruction_sets()
    if _WIDE not in known or _NARROW not in known:
        return {}
    before = _core.instruction_set()
    worlds = {}
    for name in (_WIDE, _NARROW):  # a world keeps that with which it is made
        _core.set_instruction_set(name)
        worlds[name] = _settled(100)
    _core.set_instruction_set(before)
    times = _times(worlds)
    ratio = times[_WIDE] / times[_NARROW]
    table = Table("instruction sets: ten towers of ten boxes", ["set", "a step"])
    table.rows += [[name, duration(spent)] for name, spent in times.items()]
    table.notes.append(
        f"speed of {_NARROW} over {_WIDE}: {ratio:.2f}, target {_LEAST}: {verdict(ratio, _LEAST)}"
    )
    session.add(table)
    return times


def _first_step(count: int) -> float:
    """Least processor time of a first step, for which the world is compiled [s]."""
    spent = []
    for _ in range(_FIRST_ROUNDS):
        world = KidoWorld(towers(count // 10))
        start = time.process_time()
        world.step(1)
        spent.append(time.process_time() - start)
    return min(spent)


def _settled(count: int) -> KidoWorld:
    world = KidoWorld(towers(count // 10))
    world.step(_SETTLING)
    return world


def _times(worlds: dict[_Key, KidoWorld], *, single: bool = False) -> dict[_Key, float]:
    """Least processor time of a step of each [s], in calls of many or of a single one; in turn, for a
    machine's speed changes."""
    best = dict.fromkeys(worlds, float("inf"))
    for _ in range(_ROUNDS):
        for key, world in worlds.items():
            steps = max(_STEPS, 20_000 // len(world.world.skeletons))
            calls, each = (steps, 1) if single else (1, steps)
            start = time.process_time()
            for _ in range(calls):
                world.step(each)
            best[key] = min(best[key], (time.process_time() - start) / steps)
    return best
