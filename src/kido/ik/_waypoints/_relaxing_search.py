"""One waypoint: its tolerances relaxed until there is a posture, and tightened from there."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kido.frame import SimpleFrame
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._search._settings import SearchSettings
from kido.ik._waypoints._waypoint import Waypoint
from kido.ik._waypoints._waypoint_result import WaypointResult, WaypointStatus
from kido.optimize import QuadraticFunction
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


@dataclass(slots=True)
class _Attempt:
    """State of a waypoint so far: the nearest positions and the counts."""

    positions: FloatArray
    excess: float = math.inf
    solves: int = 0
    relaxations: int = 0
    seeds: int = 0


@dataclass(slots=True)
class RelaxingSearch:
    """The search for one waypoint after the other, on a skeleton of its own.

    Attributes:
        module: of the frame, whose skeleton moves.
        weights: of squared changes of its dofs [-].
        rng: of random seeds.
        keep_going: is asked before each program with the index of the waypoint; None goes on.
        deadline: time at which it ends, as `time.perf_counter` tells it [s].
    """

    module: InverseKinematics
    weights: FloatArray
    rng: np.random.Generator
    keep_going: Callable[[int], bool] | None
    deadline: float

    def to(self, index: int, waypoint: Waypoint, before: FloatArray) -> WaypointResult:
        """The posture at a waypoint, near to the one before (num_dofs,) [rad, m]."""
        self.module.target = SimpleFrame("waypoint", transform=waypoint.pose)
        attempt, status = _Attempt(before), WaypointStatus.NOT_REACHED
        guess, tolerance, relaxed = before, Tolerance.first(waypoint), 0
        while True:
            if self.keep_going is not None and not self.keep_going(index):
                status = WaypointStatus.STOPPED
                break
            if time.perf_counter() >= self.deadline:
                status = WaypointStatus.TIMED_OUT
                break
            fits, q = self._nearest_within(tolerance, guess, before)
            if self._reaches(waypoint, q, attempt):
                status = WaypointStatus.REACHED
                break
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
        return self._result(status, waypoint, attempt)

    def _nearest_within(
        self, tolerance: Tolerance, guess: FloatArray, before: FloatArray
    ) -> tuple[bool, FloatArray]:
        """Whether there are positions within a tolerance, and these (num_dofs,), near to those before."""
        exact = min(_EXACTNESS, 0.1 * float(tolerance.lengths.min()), 0.1 * tolerance.angle)
        # each of three angles by as much keeps the angle of all
        angle = (tolerance.angle - exact) / math.sqrt(3.0) if tolerance.angle < math.pi else math.inf
        region = TaskSpaceRegion(
            np.full(3, angle), tolerance.lengths - exact, length_clamp=math.inf, from_center=False
        )
        places = self.module.dof_indices
        self.module.objective = QuadraticFunction(before[places], self.weights)
        return self._search(region, guess, exact)

    def _search(self, method: ErrorMethod, guess: FloatArray, exact: float) -> tuple[bool, FloatArray]:
        module, skeleton = self.module, self.module.node.skeleton
        left = max(self.deadline - time.perf_counter(), 1e-6)
        module.settings = SearchSettings(exact, exact, max_starts=1, time_budget=left)
        module.error_method = method
        skeleton.positions = guess
        result = module.solve()
        q = skeleton.positions.copy()
        q[module.dof_indices] = result.positions
        skeleton.positions = q
        return result.success, skeleton.positions

    def _reaches(self, waypoint: Waypoint, q: FloatArray, attempt: _Attempt) -> bool:
        """Whether positions, at which the skeleton is, reach a waypoint; the nearest are kept."""
        attempt.solves += 1
        excess = waypoint.excess(self.module.node.transform())
        if excess < attempt.excess:
            attempt.excess, attempt.positions = excess, q
        return excess <= 1.0

    def _seed(self, before: FloatArray) -> FloatArray:
        """Random positions (num_dofs,) within the limits; dofs that do not move stay as before."""
        places = self.module.dof_indices
        skeleton = self.module.node.skeleton
        low, high = skeleton.position_lower_limits[places], skeleton.position_upper_limits[places]
        low = np.where(np.isfinite(low), low, np.minimum(before[places], high) - _REACH)
        high = np.where(np.isfinite(high), high, np.maximum(before[places], low) + _REACH)
        q = before.copy()
        q[places] = self.rng.uniform(low, high)
        return q

    def _result(self, status: WaypointStatus, waypoint: Waypoint, attempt: _Attempt) -> WaypointResult:
        self.module.node.skeleton.positions = attempt.positions
        T = self.module.node.transform()
        return WaypointResult(
            status,
            attempt.positions,
            waypoint.position_error(T),
            waypoint.orientation_error(T),
            attempt.solves,
            attempt.relaxations,
            attempt.seeds,
        )
