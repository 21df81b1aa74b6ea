"""The benchmark of simulation: steps a second and depth, scene by scene."""

from __future__ import annotations

import time
from typing import Any, Protocol

import kido
from benchmarks._harness import Session, Subsystem
from benchmarks._table import Table, verdict
from benchmarks._world._scenes import SCENES, Scene

_STEP = 1e-3
_ROUNDS = 3
_QUICK = ("one box", "stack of 10", "ragdoll falling")


class Simulator(Protocol):
    """A scene in one library."""

    def step(self, count: int) -> None:
        """Let steps of 1 ms pass."""

    def depth(self) -> float:
        """Largest depth of a contact now [m]."""


class _Kido:
    def __init__(self, skeletons: list[kido.Skeleton]) -> None:
        self.world = kido.World(skeletons, time_step=_STEP)

    def step(self, count: int) -> None:
        self.world.step(count)

    def depth(self) -> float:
        return max((contact.depth for contact in self.world.contacts), default=0.0)


def _measure(session: Session) -> dict[str, Any]:
    table = Table(
        "simulation, steps of 1 ms, one thread",
        ["scene", "kido", "depth", *_names(session), "ratio", "target", ""],
    )
    record = []
    for name in session.options.robots or (_QUICK if session.options.quick else SCENES):
        row = _row(name, SCENES[name], session)
        record.append(row)
        peers = [_shown(row["peers"][peer]) for peer in _names(session)]
        ratio, target = row["ratio"], SCENES[name].target
        kido_steps, depth = row["kido"]
        cells = [f"{kido_steps:,.0f}/s", f"{depth * 1e3:.3f} mm", *peers]
        table.rows.append([name, *cells, f"{ratio:.2f} x", f"{target:g} x", verdict(ratio, target)])
    table.notes.append(
        "steps a second of processor time, the best of three runs that take turns, and the depth in the end"
    )
    table.notes.append(
        "ratio: to the fastest peer; MuJoCo with its defaults, and with contacts of 2 ms (tight)"
    )
    session.add(table)
    return {"rows": record}


def _names(session: Session) -> list[str]:
    return [f"{name}{kind}" for name in session.adaptors for kind in ("", " tight")]


def _row(name: str, scene: Scene, session: Session) -> dict[str, Any]:
    best: dict[str, tuple[float, float]] = {}
    for _ in range(1 if session.options.quick else _ROUNDS):
        for library, simulator in _simulators(scene, session):
            speed, depth = _time(simulator, scene)
            best[library] = max(best.get(library, (0.0, 0.0)), (speed, depth))
    own = best.pop("kido")
    ratio = own[0] / max(speed for speed, _ in best.values())
    return {"scene": name, "kido": own, "peers": best, "ratio": ratio}


def _simulators(scene: Scene, session: Session) -> list[tuple[str, Simulator]]:
    found: list[tuple[str, Simulator]] = [("kido", _Kido(scene.make()))]
    for name, adaptor in session.adaptors.items():
        found += [
            (f"{name}{' tight' * tight}", adaptor(scene.make(), _STEP, tight)) for tight in (False, True)
        ]
    return found


def _time(simulator: Simulator, scene: Scene) -> tuple[float, float]:
    """Steps a second of processor time, and the depth in the end [m]."""
    simulator.step(max(1, round(scene.settle / _STEP)))
    count = round(scene.duration / _STEP)
    start = time.process_time()
    simulator.step(count)
    return count / (time.process_time() - start), simulator.depth()


def _shown(result: tuple[float, float]) -> str:
    return f"{result[0]:,.0f}/s ({result[1] * 1e3:.2f} mm)"


SUBSYSTEM = Subsystem("world", "simulation in contact, kido.World", tuple(SCENES), _measure)
