"""Targets out of reach by a known distance, of several kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from benchmarks._ik._arms import TOOL, Arm
from kido import _core

FloatArray = NDArray[np.float64]

LEVER = 0.3
"""Length that an angle of 1 rad counts as [m]."""

_FAR = 4.0
_STEP = 0.05
_STARTS = 24
_CHECKED_STARTS = 300


@dataclass(frozen=True)
class Target:
    """A target of an arm's tool.

    Attributes:
        pose: (4, 4) [m].
        is_pose: whether its rotation counts.
        gap: by which the best posture that a search finds misses it: sqrt(dp^2 + (0.3 m angle)^2) [m].
    """

    pose: FloatArray
    is_pose: bool
    gap: float


class Targets:
    """Random targets of an arm."""

    def __init__(self, arm: Arm, seed: int) -> None:
        self.arm = arm
        self.skeleton = kido.load(arm.path)
        self.rng = np.random.default_rng(seed)
        count = arm.dofs
        self._couplings = np.stack([np.arange(count, dtype=float), np.ones(count), np.zeros(count)], axis=1)

    def reachable(self, is_pose: bool) -> Target:
        """Where the tool is at random positions."""
        return Target(self._forward(self.arm.lower, self.arm.upper), is_pose, 0.0)

    def outside(self, is_pose: bool, gap: float) -> Target:
        """A reachable target, moved along a random line until it is missed by a gap."""
        while True:
            start = self._forward(self.arm.lower, self.arm.upper)
            direction = self.rng.normal(size=3)
            direction /= np.linalg.norm(direction)
            pose = self._first_beyond(start, direction, is_pose, gap)
            found = None if pose is None else self._checked(pose, is_pose, 0.93 * gap)
            if found is not None:
                return found

    def turned(self, gap: float) -> Target:
        """A position that is reached, with a rotation that is not."""
        return self._drawn(gap, lambda: self._random_rotation(self._forward(self.arm.lower, self.arm.upper)))

    def beyond_limits(self, gap: float) -> Target:
        """A pose that is reached without the limits only."""
        whole = np.full(self.arm.dofs, np.pi)
        return self._drawn(gap, lambda: self._forward(-whole, whole))

    def gap(self, pose: FloatArray, is_pose: bool, starts: int = _STARTS) -> float:
        """Distance that the best of several searches leaves [m]."""
        loop = _core.Loop(self.skeleton.tree, self._couplings)
        loop.fixed(np.linalg.inv(pose))
        loop.path(-1, self.skeleton.body(TOOL).index)
        prover = _core.LoopProver(self.arm.lower, self.arm.upper, LEVER)
        prover.add_loop(loop, True, is_pose, 0.0, 0.0)
        _, _, distance, _, _ = prover.solve(
            start=None,
            time_budget=10.0,
            most_nodes=0,
            resolution=1.0,
            most_leaves=0,
            starts=starts,
            seed=1,
            all_regions=False,
        )
        return distance

    def _first_beyond(
        self, start: FloatArray, direction: FloatArray, is_pose: bool, gap: float
    ) -> FloatArray | None:
        """The first pose on a line that is missed by a gap [m]; None where the line leads too far."""

        def moved(distance: float) -> FloatArray:
            pose = start.copy()
            pose[:3, 3] += distance * direction
            return pose

        end = _STEP
        while self.gap(moved(end), is_pose) < gap:
            end += _STEP
            if end >= _FAR:
                return None
        low = end - _STEP
        for _ in range(10):
            middle = 0.5 * (low + end)
            low, end = (middle, end) if self.gap(moved(middle), is_pose) < gap else (low, middle)
        return moved(end)

    def _drawn(self, gap: float, draw: Callable[[], FloatArray]) -> Target:
        while True:
            pose = draw()
            if self.gap(pose, True) >= gap:
                found = self._checked(pose, True, gap)
                if found is not None:
                    return found

    def _checked(self, pose: FloatArray, is_pose: bool, least: float) -> Target | None:
        gap = self.gap(pose, is_pose, _CHECKED_STARTS)
        return Target(pose, is_pose, gap) if gap >= least else None

    def _forward(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        q = self.rng.uniform(lower, upper)
        return np.array(self.skeleton.tree.transform(q, TOOL))

    def _random_rotation(self, pose: FloatArray) -> FloatArray:
        pose[:3, :3] = Rotation.random(rng=self.rng).as_matrix()
        return pose
