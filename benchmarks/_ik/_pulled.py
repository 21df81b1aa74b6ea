"""Targets pulled along lines through the workspace and out of it: jumps and reversals of the joints."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from benchmarks._ik._arms import Arm
from benchmarks._ik._connected import FLOOR, ConnectedPath
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
_COMPARED = 60
"""Steps with the largest motion that are compared with the connected path."""


@dataclass(frozen=True)
class Pull:
    """What happened over all steps.

    Attributes:
        steps: number of targets.
        reached: share of them that was reached.
        jumps: steps in which a joint moved by more than LARGE.
        turns: steps in which a joint went back by more than a quarter of LARGE after it went as far.
        largest: change of a joint [rad].
        ratio: of the motion of the joint that moves farthest to that on the connected path, the largest [-].
        own_ratio: the same of each joint to itself there, the largest [-].
        median, slowest: time of a step [s].
    """

    steps: int
    reached: float
    jumps: int
    turns: int
    largest: float
    ratio: float
    own_ratio: float
    median: float
    slowest: float

    @property
    def text(self) -> str:
        """Jumps, reversals per 1000 steps, largest change, ratios, share reached; time of a step."""
        per = 1000.0 / self.steps
        ratios = f"{self.ratio:.1f}x, {self.own_ratio:.1f}x"
        return (
            f"{self.jumps * per:.1f}, {self.turns * per:.1f}, {self.largest:.2f} rad, {ratios}, "
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
        "the largest change; how many times farther the joint that moves most moves than on the path in",
        f"tiny steps from the last positions to the target, by Pinocchio, but at least {FLOOR} rad, and each",
        "joint compared with itself; share of targets that is reached, median and longest time of a step",
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
    moves: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    turns, reached, times, end = 0, 0, [], time.perf_counter() + _MOST
    for _ in range(lines):
        q = rng.uniform(arm.lower, arm.upper)
        poses = _line(contest.judge.forward(q[None])[0], rng.normal(size=3))
        path = [q]
        for pose in poses:
            target = solver.prepare(pose)
            start = time.perf_counter()
            answer = search(target, path[-1])
            times.append(time.perf_counter() - start)
            path.append(path[-1] if answer is None else np.array(answer, dtype=float))
            if time.perf_counter() > end:
                break
        moves += zip(path[:-1], path[1:], poses, strict=False)
        steps = np.diff(path, axis=0)
        back = (steps[1:] * steps[:-1] < 0.0) & (
            np.minimum(np.abs(steps[1:]), np.abs(steps[:-1])) > LARGE / 4
        )
        turns += int(back.any(axis=1).sum())
        reached += int(contest.judge.reached(poses[: len(path) - 1], path[1:]).sum())
        if time.perf_counter() > end:
            break
    moved = np.array([np.abs(new - old).max() for old, new, _ in moves])
    jumps = int((moved > LARGE).sum())
    return Pull(
        *(len(moved), reached / len(moved), jumps, turns, float(moved.max()), *_ratios(arm, moves, moved)),
        *(float(np.median(times)), max(times)),
    )


def _ratios(
    arm: Arm, moves: list[tuple[FloatArray, FloatArray, FloatArray]], moved: FloatArray
) -> tuple[float, float]:
    """The largest ratios to the connected path, of the steps with the largest motion."""
    path, ratio, own = ConnectedPath(arm), 0.0, 0.0
    for i in np.argsort(-moved)[:_COMPARED]:
        if moved[i] / FLOOR <= ratio:
            break
        ratios = path.ratios(*moves[i])
        ratio, own = max(ratio, ratios[0]), max(own, ratios[1])
    return ratio, own


def _line(pose: FloatArray, direction: FloatArray) -> FloatArray:
    """Poses (n, 4, 4) from a pose along a direction, out and back [m]."""
    way = np.arange(0.0, _LENGTH, STEP)
    poses = np.repeat(pose[None], 2 * len(way), axis=0)
    poses[:, :3, 3] += np.concatenate([way, way[::-1]])[:, None] * direction / np.linalg.norm(direction)
    return poses
