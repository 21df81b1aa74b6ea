"""One scene in all libraries, step by step in turn."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import kido
from benchmarks._world._scenes import Scene
from benchmarks._world._setup import FloatArray, Setup, UnsupportedSceneError

PARTS = 10
"""Parts that the measured time is cut into; the depth is looked at after each."""


DIVERGED = "numbers that are not finite"


class Simulator(Protocol):
    """A scene in one library."""

    def step(self, count: int) -> None:
        """Let steps pass, as quickly as the library can."""

    def step_each(self, count: int) -> None:
        """Let steps pass, one call each."""

    def positions(self) -> list[FloatArray]:
        """Positions of the skeletons that move, in kido's coordinates."""


class KidoWorld:
    """A scene in kido."""

    def __init__(self, setup: Setup) -> None:
        self.world = kido.World(setup.skeletons, time_step=setup.step)
        for closure in setup.closures:
            self.world.constraints.add(kido.BallConstraint(closure.body, point=closure.place))
        self._moving = setup.moving

    def step(self, count: int) -> None:
        self.world.step(count)

    def step_each(self, count: int) -> None:
        step = self.world.step
        for _ in range(count):
            step()

    def positions(self) -> list[FloatArray]:
        return [skeleton.positions for skeleton in self._moving]


@dataclass
class Entry:
    """What became of one library in a scene.

    Attributes:
        times: of the parts [s of processor time]; the least of all rounds.
        depth: largest that was seen [m].
        moved: how far the free body moved that moved farthest while it was measured [m].
        bound: steps a second that it stayed below, where it was given up; 0: it was not.
        note: why it did not take part.
    """

    times: list[float] = field(default_factory=lambda: [math.inf] * PARTS)
    depth: float = 0.0
    moved: float = 0.0
    bound: float = 0.0
    note: str = ""

    def speed(self, steps: int) -> float:
        """Steps a second; 0 where it did not come to the end."""
        spent = sum(self.times)
        return steps / spent if math.isfinite(spent) else 0.0


@dataclass
class Contest:
    """A scene and those who simulate it.

    Attributes:
        scene: what is simulated.
        folder: takes files.
        adaptors: of the peers, by library.
        budget: processor time that a peer is given for what is measured in a round, and as much for each
            second that it settles before [s].
    """

    scene: Scene
    folder: Path
    adaptors: dict[str, Any]
    budget: float
    entries: dict[str, Entry] = field(default_factory=dict)

    @property
    def part(self) -> int:
        """Steps of a part."""
        return max(1, round(self.scene.duration / 1e-3 / PARTS))

    def run(self, rounds: int) -> dict[str, Entry]:
        """Measure all in turn."""
        judge = _judge(self.scene.make(self.folder), self.adaptors)
        for _ in range(rounds):
            self._round(judge)
        return self.entries

    def _makers(self) -> dict[str, Callable[[], Simulator]]:
        setup = self.scene.make(self.folder)
        makers: dict[str, Callable[[], Simulator]] = {"kido": lambda: KidoWorld(self.scene.make(self.folder))}
        for name, adaptor in self.adaptors.items():
            makers[name] = lambda adaptor=adaptor: adaptor(setup, False)
            makers[f"{name} tuned"] = lambda adaptor=adaptor: adaptor(setup, True)
        return makers

    def _round(self, judge: Callable[[list[FloatArray]], float]) -> None:
        running: dict[str, Simulator] = {}
        for name, make in self._makers().items():
            entry = self.entries.setdefault(name, Entry())
            if entry.note or entry.bound:
                continue
            try:
                running[name] = make()
            except UnsupportedSceneError as error:
                entry.note = str(error)
        left = dict.fromkeys(running, self.budget)
        left["kido"] = math.inf
        for name in list(running):
            if not self._settle(running[name], name):
                del running[name]
        starts = {name: simulator.positions() for name, simulator in running.items()}
        for part in range(PARTS):
            for name in list(running):
                if not self._part(running[name], name, part, left, judge):
                    del running[name]
        for name, simulator in running.items():
            moved = _moved(starts[name], simulator.positions(), self.scene)
            self.entries[name].moved = max(self.entries[name].moved, moved)

    def _settle(self, simulator: Simulator, name: str) -> bool:
        steps, done, spent = max(1, round(self.scene.settle / 1e-3)), 0, 0.0
        budget = math.inf if name == "kido" else self.budget * max(1.0, self.scene.settle)
        while done < steps:
            count = min(50, steps - done)
            spent += _spent(simulator.step, count)
            done += count
            if spent > budget:
                self.entries[name].bound = done / spent
                return False
        return True

    def _part(
        self,
        simulator: Simulator,
        name: str,
        part: int,
        left: dict[str, float],
        judge: Callable[[list[FloatArray]], float],
    ) -> bool:
        entry, step = self.entries[name], simulator.step_each if self.scene.single else simulator.step
        spent = _spent(step, self.part)
        left[name] -= spent
        entry.times[part] = min(entry.times[part], spent)
        depth = judge(simulator.positions())
        entry.depth = max(entry.depth, depth)
        if not math.isfinite(depth):
            entry.note = DIVERGED
            return False
        if left[name] < 0.0 and part + 1 < PARTS:
            entry.bound = self.part / spent
            return False
        return True


def _spent(step: Callable[[int], None], count: int) -> float:
    start = time.process_time()
    step(count)
    return time.process_time() - start


def _judge(setup: Setup, adaptors: dict[str, Any]) -> Callable[[list[FloatArray]], float]:
    """Largest gap of a loop, or depth of two shapes by MuJoCo, at positions [m]; zero without it."""
    if setup.closures:
        return lambda positions: _gap(setup, positions)
    if "mujoco" not in adaptors:
        return lambda positions: 0.0
    world = adaptors["mujoco"](setup, False)

    def depth(positions: list[FloatArray]) -> float:
        if not all(np.isfinite(q).all() for q in positions):
            return math.nan
        world.put(positions)
        return float(world.depth())

    return depth


def _gap(setup: Setup, positions: list[FloatArray]) -> float:
    for skeleton, q in zip(setup.moving, positions, strict=True):
        skeleton.positions = q
    gaps = [c.body.transform() @ [*c.point, 1.0] - [*c.place, 1.0] for c in setup.closures]
    return max(float(np.linalg.norm(gap)) for gap in gaps)


def _moved(before: list[FloatArray], after: list[FloatArray], scene: Scene) -> float:
    pairs = zip(before, after, strict=True)
    return max((float(np.linalg.norm(b[3:6] - a[3:6])) for a, b in pairs if len(a) >= 6), default=0.0)
