"""One waypoint: its tolerances relaxed until there is a posture, and tightened from there."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kido.ik._waypoints._nearest_posture import Box, NearestPosture
from kido.ik._waypoints._waypoint import Waypoint
from kido.ik._waypoints._waypoint_result import WaypointResult, WaypointStatus
from kido.typing import FloatArray

__all__ = ["RelaxingSearch", "Tolerance"]

_FIRST = 0.01
"""Tolerances to begin with [m, rad], where the waypoint's are not smaller."""
_SHRINK, _GROW = 0.5, 1.5
_MOST_RELAXATIONS, _MOST_SEEDS = 10, 50
_EXACTNESS = 1e-6
"""Largest error that a search leaves of a region [rad, m], or a tenth of it where that is less."""
_REACH = math.pi
"""How far random seeds are from the posture before where a dof has no limits [rad, m]."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Tolerances of a program.

    Attributes:
        lengths: half the sides of a box of positions (3,) [m].
        angle: largest angle of orientations [rad].
        turned: whether the angle changed last.
    """

    lengths: FloatArray
    angle: float
    turned: bool = False

    @classmethod
    def first(cls, waypoint: Waypoint) -> Tolerance:
        """First tolerances of a waypoint."""
        angle = min(_FIRST, waypoint.angle) if waypoint.constrain_orientation else math.inf
        return cls(np.minimum(_FIRST, waypoint.position_tolerance), angle)

    def grown(self) -> Tolerance:
        """The one that was not changed last, larger, where both count."""
        if self.turned or self.angle == math.inf:
            return replace(self, lengths=self.lengths * _GROW, turned=False)
        return replace(self, angle=self.angle * _GROW, turned=True)

    def shrunk(self, waypoint: Waypoint) -> Tolerance:
        """The one that is looser than the waypoint allows, smaller; of both the one not changed last."""
        far = bool((self.lengths > waypoint.position_tolerance).any())
        if self.angle > waypoint.angle and not (far and self.turned):
            return replace(self, angle=self.angle * _SHRINK, turned=True)
        if far or not waypoint.constrain_orientation:
            return replace(self, lengths=self.lengths * _SHRINK, turned=False)
        return replace(self, angle=self.angle * _SHRINK, turned=True)

    @property
    def box(self) -> Box:
        """The box in which displacements are within this tolerance, by what a search leaves of it."""
        exact = min(_EXACTNESS, 0.1 * float(self.lengths.min()), 0.1 * self.angle)
        angle = self.angle - exact if self.angle < math.pi else math.inf
        return Box(angle, self.lengths - exact, exact)


@dataclass(slots=True)
class _Attempt:
    """State of a waypoint so far: the nearest positions with their errors, and the counts."""

    positions: FloatArray
    position_error: FloatArray
    orientation_error: float
    excess: float = math.inf
    solves: int = 0
    relaxations: int = 0
    seeds: int = 0


@dataclass(slots=True)
class RelaxingSearch:
    """The search for one waypoint after the other, on a skeleton of its own.

    Attributes:
        program: of the frame, whose skeleton moves.
        rng: of random seeds.
        keep_going: is asked before each program with the index of the waypoint; None goes on.
        deadline: time at which it ends, as `time.perf_counter` tells it [s].
    """

    program: NearestPosture
    rng: np.random.Generator
    keep_going: Callable[[int], bool] | None
    deadline: float

    def to(self, index: int, waypoint: Waypoint, before: FloatArray) -> WaypointResult:
        """The posture at a waypoint, near to the one before (num_dofs,) [rad, m]."""
        self.program.frame.skeleton.positions = before
        attempt = _Attempt(before, *waypoint.errors(self.program.frame.pose()))
        status = WaypointStatus.NOT_REACHED
        guess, tolerance, relaxed = before, Tolerance.first(waypoint), 0
        while True:
            if self.keep_going is not None and not self.keep_going(index):
                status = WaypointStatus.STOPPED
                break
            if time.perf_counter() >= self.deadline:
                status = WaypointStatus.TIMED_OUT
                break
            fits, q = self.program.within(tolerance.box, waypoint.pose, guess, before, self.deadline)
            if self._reaches(waypoint, q, attempt):
                status = WaypointStatus.REACHED
                break
            if not self.program.moves_frame:
                break  # the frame stays where it is, whatever is tried
            if fits:
                guess, tolerance = q, tolerance.shrunk(waypoint)
                continue
            relaxed += 1
            attempt.relaxations += 1
            tolerance = tolerance.grown()
            if relaxed > _MOST_RELAXATIONS:
                if attempt.seeds == _MOST_SEEDS:
                    break
                attempt.seeds += 1
                guess, tolerance, relaxed = self._seed(before), Tolerance.first(waypoint), 0
        return _result(status, attempt)

    def _reaches(self, waypoint: Waypoint, q: FloatArray, attempt: _Attempt) -> bool:
        """Whether positions, at which the skeleton is, reach a waypoint; the nearest are kept."""
        attempt.solves += 1
        errors = waypoint.errors(self.program.frame.pose())
        excess = waypoint.excess(*errors)
        if excess < attempt.excess:
            attempt.excess, attempt.positions = excess, q
            attempt.position_error, attempt.orientation_error = errors
        return excess <= 1.0

    def _seed(self, before: FloatArray) -> FloatArray:
        """Random positions (num_dofs,) within the limits; dofs that do not move stay as before."""
        places, skeleton = self.program.dof_indices, self.program.frame.skeleton
        low, high = skeleton.position_lower_limits[places], skeleton.position_upper_limits[places]
        low = np.where(np.isfinite(low), low, np.minimum(before[places], high) - _REACH)
        high = np.where(np.isfinite(high), high, np.maximum(before[places], low) + _REACH)
        q = before.copy()
        q[places] = self.rng.uniform(low, high)
        return q


def _result(status: WaypointStatus, attempt: _Attempt) -> WaypointResult:
    return WaypointResult(
        status,
        attempt.positions,
        attempt.position_error,
        attempt.orientation_error,
        attempt.solves,
        attempt.relaxations,
        attempt.seeds,
    )
