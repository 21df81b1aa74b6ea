"""Waypoints with tolerances, and a path through many poses, of an arm."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import kido
from benchmarks._ik._arms import TOOL
from benchmarks._ik._contest import Contest
from benchmarks._ik._judge import FloatArray
from benchmarks._table import Table, duration
from kido.ik import ConstraintRelaxingIK, Waypoint, follow_path

ARM = "panda"
_COUNT, _ROUNDS = 100, 5
_RADIUS = 0.15
_LENGTHS, _ANGLE = 5e-3, 0.05


@dataclass(frozen=True)
class Waypoints:
    """What was measured of one list of poses.

    Attributes:
        time: of all [s], the least of some rounds.
        inside: share of poses that are reached within their tolerances, as Pinocchio sees it.
        change: largest change of a joint from one to the next [rad].
    """

    time: float
    inside: float
    change: float


def measure(contest: Contest) -> dict[str, Waypoints]:
    """A circle of poses, waypoints anywhere, and the circle as a path."""
    robot = kido.load(contest.arm.path)
    robot.positions = 0.5 * (contest.arm.lower + contest.arm.upper)
    tool = robot.body(TOOL)
    circle = np.repeat(tool.transform()[None], _COUNT, axis=0)
    angles = np.linspace(0.0, 2.0 * np.pi, _COUNT)
    circle[:, 1, 3] += _RADIUS * np.sin(angles)
    circle[:, 2, 3] += _RADIUS * (np.cos(angles) - 1.0)
    lists = {"along a circle": circle, "anywhere in reach": contest.targets[:_COUNT]}
    relaxing = ConstraintRelaxingIK(robot, tool)
    found = {}
    for name, poses in lists.items():
        points = [Waypoint(pose, _LENGTHS, _ANGLE, constrain_orientation=True) for pose in poses]
        found[f"{len(points)} waypoints {name}"] = _timed(contest, poses, partial(_solved, relaxing, points))
    path = _timed(contest, circle, lambda: follow_path(tool, circle, largest_change=0.2).positions)
    found[f"path of {_COUNT} poses along a circle"] = path
    return found


def _solved(relaxing: ConstraintRelaxingIK, points: list[Waypoint]) -> FloatArray:
    return relaxing.solve(points).positions


def table(found: dict[str, Waypoints]) -> Table:
    """One row for each list."""
    header = ["poses", "time", "inside their tolerances", "largest change"]
    result = Table(f"Waypoints and paths, {ARM}", header)
    for name, one in found.items():
        row = [name, duration(one.time), f"{100.0 * one.inside:g} %", f"{one.change:.3f} rad"]
        result.rows.append(row)
    tolerances = f"{_LENGTHS * 1e3:g} mm along each axis and {_ANGLE:g} rad"
    result.notes.append(f"tolerances: {tolerances}; the least of {_ROUNDS} rounds, processor time")
    result.notes.append(
        "largest change of a joint from one pose to the next; no peer has these calls in Python"
    )
    return result


def _timed(contest: Contest, poses: FloatArray, solve: Callable[[], FloatArray]) -> Waypoints:
    times, positions = [], np.zeros((0, contest.arm.dofs))
    for _ in range(_ROUNDS):
        begin = time.process_time()
        positions = solve()
        times.append(time.process_time() - begin)
    count = len(positions)
    angles, _ = contest.judge.distances(poses[:count], positions)
    lengths = np.abs(contest.judge.forward(positions)[:, :3, 3] - poses[:count, :3, 3]).max(axis=1)
    good = (angles <= _ANGLE) & (lengths <= _LENGTHS) & contest.judge.inside(positions)
    change = float(np.abs(np.diff(positions, axis=0)).max(initial=0.0))
    return Waypoints(min(times), float(good.sum()) / len(poses), change)
