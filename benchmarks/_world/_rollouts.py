"""Many copies of a falling ragdoll, on one and two threads."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import kido
from benchmarks._harness import Session
from benchmarks._table import Table, verdict
from benchmarks._world._contest import KidoWorld
from benchmarks._world._scenes import SCENES

_COPIES = 8
_STEPS, _QUICK_STEPS = 1000, 100
_ROUNDS, _QUICK_ROUNDS = 5, 1
_TARGET, _GAIN = 1.7, 1.8


def measure(session: Session) -> dict[str, Any]:
    """Steps of all copies a second, by the wall clock."""
    quick, scene = session.options.quick, SCENES["ragdoll falling"]
    steps = _QUICK_STEPS if quick else _STEPS
    runs: dict[str, Callable[[int], object]] = {
        "kido": _own(KidoWorld(scene.make(session.folder)).world, steps)
    }
    if "mujoco" in session.adaptors:
        module = importlib.import_module("benchmarks._peers._mujoco")
        peer = module.MujocoRollout(scene.make(session.folder), _COPIES)
        runs["mujoco"] = lambda threads: peer.run(steps, threads)
    best: dict[tuple[str, int], float] = {}
    for _ in range(_QUICK_ROUNDS if quick else _ROUNDS):
        for name, run in runs.items():
            for threads in (1, 2):
                start = perf_counter()
                run(threads)
                best[name, threads] = min(best.get((name, threads), math.inf), perf_counter() - start)
    speeds = {key: _COPIES * steps / spent for key, spent in best.items()}
    session.add(_table(speeds, list(runs)))
    return {f"{name}, {threads}": speed for (name, threads), speed in speeds.items()}


def _own(world: kido.World, steps: int) -> Callable[[int], object]:
    commands = np.zeros((_COPIES, steps, sum(skeleton.num_dofs for skeleton in world.skeletons)))
    return lambda threads: kido.rollout(world, commands, threads=threads)


def _table(speeds: dict[tuple[str, int], float], names: list[str]) -> Table:
    table = Table(f"rollouts: {_COPIES} ragdolls that fall", ["library", "1 thread", "2 threads", "gain"])
    for name in names:
        one, two = speeds[name, 1], speeds[name, 2]
        table.rows.append([name, f"{one:,.0f}/s", f"{two:,.0f}/s", f"{two / one:.2f}"])
    gain = speeds["kido", 2] / speeds["kido", 1]
    table.notes.append(f"gain of two threads: target {_GAIN}: {verdict(gain, _GAIN)}")
    if "mujoco" in names:
        ratio = speeds["kido", 2] / speeds["mujoco", 2]
        table.notes.append(f"to mujoco.rollout: {ratio:.2f} x, target {_TARGET}: {verdict(ratio, _TARGET)}")
    return table
