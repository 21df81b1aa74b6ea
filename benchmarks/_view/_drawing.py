"""Processor time of pictures and of frames of films."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import kido
from benchmarks import _robots

__all__ = ["FILES", "film_frame", "picture"]

FILES = {
    "panda": "panda_description/urdf/panda.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}
_FEW = 3


def picture(name: str, rounds: int) -> float:
    """Processor time of a picture of a robot after the first one: the least [s]."""
    robot = _robot(name)
    kido.render(robot)
    found = []
    for _ in range(rounds):
        start = time.process_time()
        kido.render(robot)
        found.append(time.process_time() - start)
    return min(found)


def film_frame(
    name: str, frames: int, rounds: int, folder: Path, clock: Callable[[], float] = time.process_time
) -> float:
    """Time for one more frame of a film of a robot that moves: the least [s]. Processor time is that of this
    process, without ffmpeg."""
    robot = _robot(name)
    angles = 0.1 * np.arange(frames)[:, None] + np.arange(robot.num_dofs)
    rows = robot.positions + 0.3 * np.sin(angles)
    lower, upper = robot.position_lower_limits, robot.position_upper_limits
    rows = np.clip(rows, lower, upper)
    path = folder / f"{name}.mp4"
    kido.film(robot, path, positions=rows[:_FEW])  # the first one imports and compiles
    found = []
    for _ in range(rounds):
        few, all_of_them = (_film_time(robot, rows[:count], path, clock) for count in (_FEW, frames))
        found.append((all_of_them - few) / (frames - _FEW))
    return min(found)


def _film_time(robot: kido.Skeleton, rows: np.ndarray, path: Path, clock: Callable[[], float]) -> float:
    start = clock()
    kido.film(robot, path, positions=rows)
    return clock() - start


def _robot(name: str) -> kido.Skeleton:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kido.load(_robots.installed() / FILES[name])
