"""Targets pulled along lines through the workspace and out of it: jumps and reversals of the joints."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from benchmarks._ik._contest import Contest
from benchmarks._ik._solver import FloatArray, Search, Solver
from benchmarks._table import Table, duration

STEP = 0.01
"""Distance of two targets [m]."""
LARGE = 0.2
"""Change of a joint from one target to the next that counts as a jump [rad]."""

_LINES, _LENGTH = 100, 1.0
_MOST = 3.0
"""Time for one library and arm [s]."""


@dataclass(frozen=True)
class Pull:
    """What happened over all steps.

    Attributes:
        steps: number of targets.
        reached: share of them that was reached.
        jumps: steps in which a joint moved by more than LARGE.
        turns: steps in which a joint went back by more than a quarter of LARGE after it went as far.
        largest: change of a joint [rad].
        median, slowest: time of a step [s].
    """

    steps: int
    reached: float
    jumps: int
    turns: int
    largest: float
    median: float
    slowest: float

    @property
    def text(self) -> str:
        """Jumps, reversals and largest change per 1000 steps; time of a step."""
        per = 1000.0 / self.steps
        return (
            f"{self.jumps * per:.1f}, {self.turns * per:.1f}, {self.largest:.2f} rad, "
            f"{self.reached:.0%}, {duration(self.median)}, {duration(self.slowest)}"
        )


def measure(contest: Contest, lines: int = _LINES) -> dict[str, Pull]:
    """Lines from random positions in random directions, 1 m out and back."""
    found = {}
    for name, solver in contest.solvers.items():
        ways = {f"{name}, {way}" if way else name: search for way, search in _ways(solver).items()}
        found.update({way: _pulled(contest, solver, search, lines) for way, search in ways.items()})
    return found


def table(found: dict[str, dict[str, Pull]]) -> Table:
    """Libraries by arms."""
    libraries = dict.fromkeys(name for by_library in found.values() for name in by_library)
    rows = [
        [name, *(by_library[name].text if name in by_library else "-" for by_library in found.values())]
        for name in libraries
    ]
    notes = [
        f"{_LINES} lines, 1 m out and back in steps of {STEP * 100:.0f} cm, each from the last positions",
        f"in 1000 steps: jumps of a joint by more than {LARGE} rad, reversals by a quarter of it, then",
        "the largest change, the share of targets that is reached, median and longest time of a step",
        f"no positions: the arm stays; as many lines as fit into {_MOST:.0f} s for one library and arm",
    ]
    return Table("Pulled through and out of the workspace", ["library", *found], rows, notes)


def _ways(solver: Solver) -> dict[str, Search]:
    """The library's searches by name; that for following alone where it has one, and its usual one."""
    ways: dict[str, Search] = {}
    following, usual = solver.following(), solver.complete() or solver.single()
    if following is not None:
        ways["following"] = following
    if usual is not None:
        ways[""] = usual
    return ways


def _pulled(contest: Contest, solver: Solver, search: Search, lines: int) -> Pull:
    arm, rng = contest.arm, np.random.default_rng(4)
    changes: list[FloatArray] = []
    turns, reached, times, begin = 0, 0, [], time.perf_counter()
    for _ in range(lines):
        if time.perf_counter() - begin > _MOST:
            break
        q = rng.uniform(arm.lower, arm.upper)
        poses = _line(contest.judge.forward(q[None])[0], rng.normal(size=3))
        path = [q]
        for pose in poses:
            target = solver.prepare(pose)
            start = time.perf_counter()
            answer = search(target, path[-1])
            times.append(time.perf_counter() - start)
            path.append(path[-1] if answer is None else np.array(answer, dtype=float))
        steps = np.diff(path, axis=0)
        changes.append(np.abs(steps).max(axis=1))
        back = (steps[1:] * steps[:-1] < 0.0) & (
            np.minimum(np.abs(steps[1:]), np.abs(steps[:-1])) > LARGE / 4
        )
        turns += int(back.any(axis=1).sum())
        reached += int(contest.judge.reached(poses, np.array(path[1:])).sum())
    moved = np.concatenate(changes)
    return Pull(
        *(len(moved), reached / len(moved), int((moved > LARGE).sum()), turns),
        *(float(moved.max()), float(np.median(times)), max(times)),
    )


def _line(pose: FloatArray, direction: FloatArray) -> FloatArray:
    """Poses (n, 4, 4) from a pose along a direction, out and back [m]."""
    way = np.arange(0.0, _LENGTH, STEP)
    poses = np.repeat(pose[None], 2 * len(way), axis=0)
    poses[:, :3, 3] += np.concatenate([way, way[::-1]])[:, None] * direction / np.linalg.norm(direction)
    return poses
