"""What steps cost while a pile sleeps: beside the same pile awake, and with something else that moves."""

from __future__ import annotations

import time
from typing import Any

from benchmarks._harness import Session
from benchmarks._table import Table, duration
from benchmarks._world._contest import KidoWorld
from benchmarks._world._scenes import towers
from kido import Skeleton, gallery
from kido.world import Sleeping

_COUNTS, _QUICK_COUNTS = (10, 100, 500), (10, 100)
_SETTLING = 5000


def measure(session: Session) -> dict[str, Any]:
    """Towers of ten boxes at rest: time of a step awake, asleep, and asleep beside a body that moves."""
    found = {count: _times(count) for count in (_QUICK_COUNTS if session.options.quick else _COUNTS)}
    table = Table(
        "sleeping: towers of ten boxes at rest",
        ["boxes", "awake", "asleep", "asleep, one more moves", "ratio"],
    )
    for count, (awake, asleep, beside) in found.items():
        row = [str(count), duration(awake), duration(asleep), duration(beside), f"{awake / beside:.1f} x"]
        table.rows.append(row)
    table.notes.append("a step of a long call; ratio: awake to asleep while one more moves")
    session.add(table)
    return {str(count): times for count, times in found.items()}


def _times(count: int) -> tuple[float, float, float]:
    worlds = [_settled(count, sleeping) for sleeping in (None, Sleeping(), Sleeping())]
    worlds[2].add(_moving())
    worlds[2].step(_SETTLING)
    assert [len(world.sleeping_skeletons) for world in worlds] == [0, count, count]
    best, steps = [float("inf")] * 3, max(20, 20_000 // count)
    for _ in range(5):
        for i, world in enumerate(worlds):
            start = time.process_time()
            world.step(steps)
            best[i] = min(best[i], (time.process_time() - start) / steps)
    return best[0], best[1], best[2]


def _settled(count: int, sleeping: Sleeping | None) -> Any:
    world = KidoWorld(towers(count // 10)).world
    world.sleeping = sleeping
    world.step(_SETTLING)
    return world


def _moving() -> Skeleton:
    ball = gallery.ball(0.1, name="moving")
    ball.body(0).gravity_mode = False
    ball.positions, ball.velocities = [0, 0, 0, 0, 0, 50], [0, 0, 0, 1, 0, 0]
    return ball
