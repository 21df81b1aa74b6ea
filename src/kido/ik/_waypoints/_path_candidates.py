"""Positions that bring a frame to each of many poses."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kido.description import Coordinate
from kido.errors import NoClosedFormError
from kido.ik._analytical._analytical_ik import AnalyticalIK, analytical_ik
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._waypoints._pose_searches import PoseSearches
from kido.typing import FloatArray

__all__ = ["PathCandidates"]

_SAME = 1e-4
"""Grid of positions [rad, m]: those at one place of it are one solution."""
_TURN = 2.0 * math.pi
_ROUNDING = 1e-9
"""Part of a turn that positions may be beyond limits."""
_MOST_TURNS = 4096
_LOCKED_SAMPLES = 8
"""Positions at which the locked dof of seven is held."""
_REACH = math.pi
"""How far random positions are from the present ones where a dof has no limits [rad, m]."""


class PathCandidates:
    """Solutions for each of some poses: of a closed form, of searches, and of others that are near.

    Attributes:
        searches: for poses of the frame.
        poses: (n, 4, 4) of the frame [m].
        lower, upper: limits of the dofs (k,) [rad, m].
        turns: whether each dof is an angle whose limits are a whole turn apart or more (k,).
    """

    def __init__(
        self, searches: PoseSearches, poses: FloatArray, starts: int, rng: np.random.Generator
    ) -> None:
        """Solutions from the closed form, if there is one, and from random `starts`."""
        skeleton, places = searches.skeleton, searches.dof_indices
        self.searches, self.poses = searches, poses
        self.lower = skeleton.position_lower_limits[places]
        self.upper = skeleton.position_upper_limits[places]
        angles = np.array([dof.coordinate is Coordinate.ANGLE for dof in searches.dofs], dtype=bool)
        self.turns = angles & (self.upper - self.lower >= _TURN)
        module = searches.module
        has_form = module is not None and _has_pose_error(module)
        self._of_pose = self._closed(module) if module and has_form else [self._none()] * len(poses)
        if starts and len(poses):
            found = self._searched(starts, rng)
            self._of_pose = [
                self._distinct(np.concatenate(both)) for both in zip(self._of_pose, found, strict=True)
            ]

    def of(self, index: int) -> FloatArray:
        """Distinct solutions (p, k) that are known for a pose [rad, m]."""
        return self._of_pose[index]

    def add(self, index: int, positions: FloatArray) -> None:
        """Add solutions (m, k) for a pose."""
        self._of_pose[index] = self._distinct(np.concatenate([self._of_pose[index], positions]))

    def with_turns(self, positions: FloatArray, near: FloatArray) -> FloatArray:
        """Positions (m, k) with every number of whole turns that the limits allow: (s, k), s at most 4096. A
        dof without limits is turned to where it is nearest to a position (k,)."""
        q = positions
        for place in np.flatnonzero(self.turns):
            shifted = []
            for row in q:
                low, high = self.lower[place] - row[place], self.upper[place] - row[place]
                if math.isfinite(low) and math.isfinite(high):
                    counts = np.arange(
                        math.ceil(low / _TURN - _ROUNDING), math.floor(high / _TURN + _ROUNDING) + 1
                    )
                else:
                    counts = np.rint(np.array([near[place] - row[place]]) / _TURN)
                turned = np.repeat(row[None], len(counts), axis=0)
                turned[:, place] += _TURN * counts
                shifted.append(turned)
            if sum(map(len, shifted)) > _MOST_TURNS:
                break
            q = np.concatenate(shifted)
        return q

    def near(self, index: int, positions: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Ends of searches from some positions (m, k) for a pose: (m, k) [rad, m], and whether each
        reaches it (m,)."""
        return self.searches.near(np.repeat(self.poses[index][None], len(positions), axis=0), positions)

    def _none(self) -> FloatArray:
        return np.zeros((0, len(self.lower)))

    def _closed(self, module: InverseKinematics) -> list[FloatArray]:
        """Solutions (p, k) of the closed form for each pose, none where there is no such form."""
        try:
            closed = analytical_ik(module)
        except NoClosedFormError:
            return [self._none()] * len(self.poses)
        if tuple(closed.dofs) != tuple(module.dofs):
            return [self._none()] * len(self.poses)
        rounds = [self._closed_from(closed, start) for start in self._closed_starts(closed)]
        return [self._distinct(np.concatenate(each)) for each in zip(*rounds, strict=True)]

    def _closed_starts(self, closed: AnalyticalIK) -> list[FloatArray]:
        """Positions (k,) by which the locked dof is put; the present ones where none is locked."""
        q = np.array(self.searches.positions)
        if closed.locked_dof is None:
            return [q]
        place = list(closed.dofs).index(closed.locked_dof)
        low, high = max(self.lower[place], -math.pi), min(self.upper[place], math.pi)
        starts = [q]
        for locked in np.linspace(low, high, _LOCKED_SAMPLES + 2)[1:-1]:
            starts.append(q.copy())
            starts[-1][place] = locked
        return starts

    def _closed_from(self, closed: AnalyticalIK, start: FloatArray) -> list[FloatArray]:
        return [result.valid for result in closed.solve_batch(self.searches.targets(self.poses), start)]

    def _searched(self, starts: int, rng: np.random.Generator) -> list[FloatArray]:
        """Solutions (p, k) from random positions for each pose."""
        q = np.array(self.searches.positions)
        low = np.where(np.isfinite(self.lower), self.lower, np.minimum(q, self.upper) - _REACH)
        high = np.where(np.isfinite(self.upper), self.upper, np.maximum(q, low) + _REACH)
        n = len(self.poses)
        begins = rng.uniform(low, high, (n * starts, len(q)))
        ends, success = self.searches.near(np.repeat(self.poses, starts, axis=0), begins)
        return [q[ok] for q, ok in zip(np.split(ends, n), np.split(success, n), strict=True)]

    def _distinct(self, positions: FloatArray) -> FloatArray:
        """The positions (m, k) without those that are the same but for whole turns."""
        wrapped = np.where(self.turns, np.mod(positions, _TURN), positions)
        marks = np.round(wrapped / _SAME).astype(np.int64)
        _, first = np.unique(marks, axis=0, return_index=True)
        return np.asarray(positions[np.sort(first)])


def _has_pose_error(module: InverseKinematics) -> bool:
    return type(module.error_method) is type(InverseKinematics(module.node).error_method)
