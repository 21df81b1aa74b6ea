"""Workspace of a body: its positions over random configurations."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from kido import Tree
from kido.typing import FloatArray

__all__ = ["Workspace", "sample_workspace"]

_BLOCK = 5_000


@dataclass(frozen=True)
class Workspace:
    """Positions of a body over random configurations within the limits.

    `points` (size, 3) [m] in the world; `manipulability` (size,), [m^3] where all joints turn;
    `pose_seconds`, `manipulability_seconds` that they took [s].
    """

    body: str
    points: FloatArray
    manipulability: FloatArray
    pose_seconds: float
    manipulability_seconds: float

    @property
    def poses_per_second(self) -> float:
        """Poses computed per second [1/s]."""
        return len(self.points) / self.pose_seconds


def sample_workspace(tree: Tree, body: str, rng: np.random.Generator, size: int) -> Workspace:
    """Sample the workspace of a body.

    Manipulability is that of Yoshikawa (1985), "Manipulability of robotic mechanisms": sqrt(det(J J^T)) of
    the three rows of the Jacobian that give the velocity of the origin.

    Args:
        tree: the robot, its root fixed.
        body: name of the body whose origin is followed.
        rng: where the configurations come from.
        size: number of configurations.

    Raises:
        UnknownNameError: the tree has no such body.
    """
    q = tree.random_positions(rng, size)
    start = time.perf_counter()
    points = tree.transform(q, body)[:, :3, 3]
    posed = time.perf_counter()
    blocks = [_manipulability(tree, q[i : i + _BLOCK], body) for i in range(0, size, _BLOCK)]
    end = time.perf_counter()
    return Workspace(body, points, np.concatenate(blocks), posed - start, end - posed)


def _manipulability(tree: Tree, q: FloatArray, body: str) -> FloatArray:
    J = tree.jacobian(q, body, frame="world")[:, 3:, :]
    gram = J @ J.swapaxes(-1, -2)
    return np.asarray(np.sqrt(np.maximum(np.linalg.det(gram), 0.0)))
