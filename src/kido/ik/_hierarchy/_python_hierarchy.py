"""Search for several nodes at once in Python, for problems that the native one cannot represent: error
methods, gradient methods and joints that users write, targets that move with the dofs.

It takes the steps of the native search, one start after the other, on the skeleton itself, which is put back
afterwards.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from kido.ik._hierarchy._hierarchy_result import HierarchyResult, TaskResult
from kido.ik._hierarchy._hierarchy_step import HierarchyStep
from kido.ik._hierarchy._limited_step import limited_velocities
from kido.ik._hierarchy._ranges import search_ranges
from kido.ik._module import InverseKinematics
from kido.ik._result import IKStatus
from kido.ik._search._characteristic_length import characteristic_length
from kido.ik._search._pose_problem import grouped
from kido.ik._search._search_error import search_error
from kido.ik._search._settings import SearchSettings
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["search_hierarchy_in_python"]

_Levels = tuple[tuple[InverseKinematics, ...], ...]
_PATIENCE = 10
"""Iterations in which some level has to halve its error."""
_RANK = 1e-3
"""Weight of a level beside the one above it, where not all can be reached [-]."""
_LITTLE = 1e-6
"""Relative decrease that is not worth another step [-]."""
_STRONGEST = 1e9
"""Factor of the damping."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """Positions (n,) [rad, m], with the errors of the modules there."""

    positions: FloatArray
    step: HierarchyStep
    tasks: tuple[TaskResult, ...]

    def reached(self, levels: int) -> bool:
        """Whether the first levels have no error."""
        ranks = self.step.ranks
        return all(task.success for task, rank in zip(self.tasks, ranks, strict=True) if rank < levels)

    def result(self, names: tuple[str, ...], levels: int, start: int, iterations: int) -> HierarchyResult:
        """The same as an answer."""
        status = IKStatus.SOLVED if self.reached(levels) else IKStatus.NOT_REACHED
        return HierarchyResult(self.positions, names, status, self.tasks, start, iterations)

    @property
    def squared(self) -> list[float]:
        """Squared errors of the levels with lengths in [m], comparable between starts."""
        return [min(s * self.step.length**2, sys.float_info.max) for s in self.step.squared]

    @property
    def merit(self) -> float:
        """Squared errors of all levels, each with its weight [-]."""
        return sum(_RANK**k * squared for k, squared in enumerate(self.step.squared))


def search_hierarchy_in_python(
    skeleton: Skeleton, levels: _Levels, settings: SearchSettings
) -> HierarchyResult:
    """Positions for any modules of a skeleton."""
    saved = skeleton.positions
    search = _Search(skeleton, levels, settings, saved)
    names = tuple(skeleton.tree.dof_names)
    try:
        best, iterations, used = *search.attempt(saved), 0
        first = best.result(names, len(levels), used, iterations)
        for start in range(1, settings.max_starts):
            if (best.reached(len(levels)) and not settings.nearest) or search.is_late:
                break
            candidate, count = search.attempt(search.random_start(saved))
            if search.is_better(candidate, best):
                best, iterations, used = candidate, count, start
    finally:
        skeleton.positions = saved
    found = best.result(names, len(levels), used, iterations)
    return found if found.success or used == 0 else replace(first, elsewhere=found)


class _Search:
    """Constants of one search over its starts."""

    def __init__(
        self, skeleton: Skeleton, levels: _Levels, settings: SearchSettings, given: FloatArray
    ) -> None:
        self.skeleton, self.levels, self.settings, self.given = skeleton, levels, settings, given
        budget = settings.time_budget
        self.deadline = math.inf if budget is None else monotonic() + budget
        self.tree = skeleton.tree
        self.lower, self.upper, self.low, self.high = search_ranges(self.tree)
        self.grouped = np.array([grouped(dof) for dof in skeleton.dofs], dtype=bool)
        self.moves = np.zeros(skeleton.num_dofs)
        for level in levels:
            for module in level:
                self.moves[module.dof_indices] = 1.0
        self.random = np.random.default_rng(settings.seed)
        modules = [module for level in levels for module in level]
        self.reach = max((module.reach for module in modules), default=0.0)
        self.translates = bool((self.tree.is_prismatic & (self.moves > 0.0)).any())
        self.length = 1.0

    def random_start(self, given: FloatArray) -> FloatArray:
        drawn = self.random.uniform(self.low, self.high)
        return np.where((self.moves > 0.0) & (self.low < self.high), drawn, given)

    @property
    def is_late(self) -> bool:
        """Whether the time budget is spent."""
        return monotonic() > self.deadline

    def displacement(self, candidate: _Candidate) -> float:
        """The largest change of a dof from the given positions [rad, m]."""
        return float(np.abs(candidate.positions - self.given).max(initial=0.0))

    def is_better(self, a: _Candidate, b: _Candidate) -> bool:
        """Whether `a` reaches all targets by a smaller displacement, or has the smaller error in the first
        level that differs."""
        reached = a.reached(len(self.levels))
        if reached != b.reached(len(self.levels)):
            return reached
        if reached:
            return self.displacement(a) < self.displacement(b)
        least = min(self.settings.angular_tolerance, self.settings.linear_tolerance) ** 2
        for x, y in zip(a.squared, b.squared, strict=True):
            if max(x, y) > least and abs(x - y) > 1e-6 * max(x, y):
                return x < y
        return False

    def attempt(self, given: FloatArray) -> tuple[_Candidate, int]:
        """Steps from positions (n,) until all targets are reached, or no error gets smaller; their number."""
        q = np.where(self.moves > 0.0, np.clip(given, self.lower, self.upper), given)
        self.length = self.length_at(q)
        candidate = self.evaluated(q)
        checkpoint = [np.inf] * len(self.levels)
        for iteration in range(self.settings.max_iterations):
            if iteration % _PATIENCE == 0:
                pairs = zip(candidate.step.squared, checkpoint, strict=True)
                if not any(now <= 0.25 * before for now, before in pairs):
                    break
                checkpoint = candidate.step.squared
            if candidate.reached(len(self.levels)) or self.is_late:
                return candidate, iteration
            candidate = self.next(candidate, len(self.levels), 1.0)
        else:
            iteration = self.settings.max_iterations
        if candidate.reached(len(self.levels)):
            return candidate, iteration
        candidate, more = self.approach(candidate)
        candidate, last = self.settle(candidate)
        return candidate, iteration + more + last

    def approach(self, candidate: _Candidate) -> tuple[_Candidate, int]:
        """Steps towards targets that cannot be reached, with damping that grows after one that raised the
        error."""
        strength, steps = 1.0, 0
        while steps < self.settings.max_iterations and strength <= _STRONGEST and not self.is_late:
            following = self.next(candidate, len(self.levels), strength)
            steps += 1
            if following.merit < candidate.merit:
                little = following.merit > (1.0 - _LITTLE) * candidate.merit
                candidate, strength = following, max(0.5 * strength, 1.0)
                if little:
                    break
            else:
                strength *= 8.0
        return candidate, steps

    def settle(self, candidate: _Candidate) -> tuple[_Candidate, int]:
        """Steps that bring levels to their targets one after the other, at the cost of those below, up to the
        first that cannot be reached."""
        steps = 0
        for levels in range(1, len(self.levels)):
            following = candidate
            for _ in range(_PATIENCE):
                if following.reached(levels):
                    break
                following = self.next(following, levels, 1.0)
                steps += 1
            if not following.reached(levels):
                break
            candidate = following
        return candidate, steps

    def evaluated(self, q: FloatArray) -> _Candidate:
        self.skeleton.positions = q
        step = HierarchyStep(self.skeleton, self.levels, characteristic_length=self.length)
        return _Candidate(q, step, self.tasks())

    def length_at(self, q: FloatArray) -> float:
        """The characteristic length of an attempt from positions (n,) [m]."""
        self.skeleton.positions = q
        distance = max((task.linear_error for task in self.tasks()), default=0.0)
        return characteristic_length(self.reach, distance, self.translates)

    def next(self, candidate: _Candidate, levels: int, strength: float) -> _Candidate:
        """One step of the first levels."""
        q = candidate.positions
        self.skeleton.positions = q
        return self.evaluated(self.moved(q, self.velocities(q, candidate.step, levels, strength)))

    def tasks(self) -> tuple[TaskResult, ...]:
        found = []
        for level in self.levels:
            for module in level:
                _, angular, linear = search_error(module.search_problem(), module)
                success = (
                    angular <= self.settings.angular_tolerance and linear <= self.settings.linear_tolerance
                )
                found.append(TaskResult(module.node.name, module.hierarchy_level, success, angular, linear))
        return tuple(found)

    def velocities(self, q: FloatArray, step: HierarchyStep, levels: int, strength: float) -> FloatArray:
        """The step (n,) within the limits [rad, m]: joints that would leave them stop there, the others
        compensate."""
        settings = self.settings
        factor = settings.damping * strength
        damping = [squared * factor + settings.least_damping for squared in step.squared[:levels]]
        lowest = np.where(self.grouped, -np.inf, (self.lower - q) / step.unit)
        highest = np.where(self.grouped, np.inf, (self.upper - q) / step.unit)
        velocities = limited_velocities(step, damping, self.moves, lowest, highest)
        largest = max(settings.largest_step, float(np.abs(velocities).max(initial=0.0)))
        return np.asarray(velocities * step.unit * (settings.largest_step / largest))

    def moved(self, q: FloatArray, velocities: FloatArray) -> FloatArray:
        moved = self.tree.integrate(q, velocities, 1.0)
        return np.where(self.moves > 0.0, np.clip(moved, self.lower, self.upper), q)
