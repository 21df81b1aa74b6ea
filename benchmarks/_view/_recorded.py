"""Share of the speed of a world that its recorder takes."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import kido

__all__ = ["recording_cost"]

_SETTLED, _WARM = 2000, 200
"""Steps before anything is timed, and before each piece."""


def recording_cost(name: str, pairs: int, steps: int, folder: Path) -> float:
    """Processor time of the thread that simulates, with a recorder at its default rate by that without, less
    one: the median of pieces, each compared with those before and after it. Opening files does not count."""
    world = _world(name)
    world.step(_SETTLED)
    found, before = [], _thread_time(world, steps)
    for k in range(pairs):
        with kido.record(world, folder / f"{name}_{k}.h5"):
            recorded = _thread_time(world, steps)
        (folder / f"{name}_{k}.h5").unlink()
        after = _thread_time(world, steps)
        found.append(2.0 * recorded / (before + after) - 1.0)
        before = after
    return float(np.median(found))


def _thread_time(world: kido.World, steps: int) -> float:
    world.step(_WARM)
    start = time.thread_time()
    world.step(steps)
    return time.thread_time() - start


def _world(name: str) -> kido.World:
    if name == "humanoid":
        return kido.World([kido.gallery.ground(), kido.gallery.humanoid()])
    boxes = [kido.gallery.box((0.2, 0.2, 0.2), mass=1.0, name=f"box {k}") for k in range(100)]
    for k, box in enumerate(boxes):
        box.positions = [0.0, 0.0, 0.0, 0.4 * (k % 10), 0.4 * (k // 10), 0.1]
    return kido.World([kido.gallery.ground(), *boxes])
