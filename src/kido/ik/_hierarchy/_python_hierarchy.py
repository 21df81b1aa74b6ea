"""The search for several nodes at once in Python, for what the native one does not know: error methods,
gradient methods and joints of the user's own, targets that move with the dofs.

It takes the steps of the native search, one start after the other, on the skeleton itself, which is put back
afterwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic

import numpy as np

from kido.ik._hierarchy._hierarchy_result import HierarchyResult, TaskResult
from kido.ik._hierarchy._hierarchy_step import HierarchyStep
from kido.ik._hierarchy._limited_step import limited_velocities
from kido.ik._hierarchy._ranges import search_ranges
from kido.ik._module import InverseKinematics
from kido.ik._result import IKStatus
from kido.ik._search._plan import grouped
from kido.ik._search._search_error import search_error
from kido.ik._search._settings import SearchSettings
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["search_hierarchy_in_python"]

_Levels = tuple[tuple[InverseKinematics, ...], ...]
_PATIENCE = 10
"""Iterations in which some level has to halve its error."""
_RANK = 1e-3
"""What a level counts beside the one above it, where not all can be reached."""
_LITTLE = 1e-6
"""Part of what is left that is not worth another step."""
_STRONGEST = 1e9
"""Factor of the damping."""


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Positions (n,), and what the modules say of them."""

    positions: FloatArray
    step: HierarchyStep
    tasks: tuple[TaskResult, ...]

    def reached(self, levels: int) -> bool:
        """Whether the first levels have no error."""
        ranks = self.step.ranks
        return all(task.success for task, rank in zip(self.tasks, ranks, strict=True) if rank < levels)

    @property
    def merit(self) -> float:
        return sum(_RANK**k * squared for k, squared in enumerate(self.step.squared))


def search_hierarchy_in_python(
    skeleton: Skeleton, levels: _Levels, settings: SearchSettings
) -> HierarchyResult:
    """Positions for any modules of a skeleton."""
    saved = skeleton.positions
    search = _Search(skeleton, levels, settings, saved)
    try:
        best, iterations, used = *search.attempt(saved), 0
        for start in range(1, settings.max_starts):
            if (best.reached(len(levels)) and not settings.nearest) or search.is_late:
                break
            place, count = search.attempt(search.random_start(saved))
            if search.is_better(place, best):
                best, iterations, used = place, count, start
    finally:
        skeleton.positions = saved
    status = IKStatus.SOLVED if best.reached(len(levels)) else IKStatus.NOT_REACHED
    names = tuple(skeleton.tree.dof_names)
    return HierarchyResult(best.positions, names, status, best.tasks, used, iterations)


class _Search:
    """The numbers of one search that stay the same over its starts."""

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

    def random_start(self, given: FloatArray) -> FloatArray:
        drawn = self.random.uniform(self.low, self.high)
        return np.where((self.moves > 0.0) & (self.low < self.high), drawn, given)

    @property
    def is_late(self) -> bool:
        """Whether the time budget is spent."""
        return monotonic() > self.deadline

    def way(self, place: _Place) -> float:
        """The largest change of a dof from the given positions [rad, m]."""
        return float(np.abs(place.positions - self.given).max(initial=0.0))

    def is_better(self, a: _Place, b: _Place) -> bool:
        """Whether all errors are gone by less motion, or the first level that differs has less error."""
        reached = a.reached(len(self.levels))
        if reached != b.reached(len(self.levels)):
            return reached
        if reached:
            return self.way(a) < self.way(b)
        least = min(self.settings.angular_tolerance, self.settings.linear_tolerance) ** 2
        for x, y in zip(a.step.squared, b.step.squared, strict=True):
            if max(x, y) > least and abs(x - y) > 1e-6 * max(x, y):
                return x < y
        return False

    def attempt(self, given: FloatArray) -> tuple[_Place, int]:
        """Where steps from positions (n,) lead, and how many: until nothing has an error, or nothing gets
        smaller."""
        place = self.place(np.where(self.moves > 0.0, np.clip(given, self.lower, self.upper), given))
        checkpoint = [np.inf] * len(self.levels)
        for iteration in range(self.settings.max_iterations):
            if iteration % _PATIENCE == 0:
                pairs = zip(place.step.squared, checkpoint, strict=True)
                if not any(now <= 0.25 * before for now, before in pairs):
                    break
                checkpoint = place.step.squared
            if place.reached(len(self.levels)) or self.is_late:
                return place, iteration
            place = self.next(place, len(self.levels), 1.0)
        else:
            iteration = self.settings.max_iterations
        if place.reached(len(self.levels)):
            return place, iteration
        place, more = self.approach(place)
        place, last = self.settle(place)
        return place, iteration + more + last

    def approach(self, place: _Place) -> tuple[_Place, int]:
        """Nearer to what cannot be reached, with damping that grows where a step made things worse."""
        strength, steps = 1.0, 0
        while steps < self.settings.max_iterations and strength <= _STRONGEST:
            following = self.next(place, len(self.levels), strength)
            steps += 1
            if following.merit < place.merit:
                little = following.merit > (1.0 - _LITTLE) * place.merit
                place, strength = following, max(0.5 * strength, 1.0)
                if little:
                    break
            else:
                strength *= 8.0
        return place, steps

    def settle(self, place: _Place) -> tuple[_Place, int]:
        """Levels at their targets one after the other, whatever that does to those below, up to the first
        that cannot be there."""
        steps = 0
        for levels in range(1, len(self.levels)):
            following = place
            for _ in range(_PATIENCE):
                if following.reached(levels):
                    break
                following = self.next(following, levels, 1.0)
                steps += 1
            if not following.reached(levels):
                break
            place = following
        return place, steps

    def place(self, q: FloatArray) -> _Place:
        self.skeleton.positions = q
        return _Place(q, HierarchyStep(self.skeleton, self.levels), self.tasks())

    def next(self, place: _Place, levels: int, strength: float) -> _Place:
        """One step of the first levels."""
        q = place.positions
        self.skeleton.positions = q
        return self.place(self.moved(q, self.velocities(q, place.step, levels, strength)))

    def tasks(self) -> tuple[TaskResult, ...]:
        found = []
        for level in self.levels:
            for module in level:
                _, angular, linear = search_error(module.search_plan(), module)
                success = (
                    angular <= self.settings.angular_tolerance and linear <= self.settings.linear_tolerance
                )
                found.append(TaskResult(module.node.name, module.hierarchy_level, success, angular, linear))
        return tuple(found)

    def velocities(self, q: FloatArray, step: HierarchyStep, levels: int, strength: float) -> FloatArray:
        """The step (n,) within the limits: joints that would leave them stop there, the others make up."""
        settings = self.settings
        factor = settings.damping * strength
        damping = [squared * factor + settings.least_damping for squared in step.squared[:levels]]
        lowest = np.where(self.grouped, -np.inf, self.lower - q)
        highest = np.where(self.grouped, np.inf, self.upper - q)
        velocities = limited_velocities(step, damping, self.moves, lowest, highest)
        largest = max(settings.largest_step, float(np.abs(velocities).max(initial=0.0)))
        return np.asarray(velocities * (settings.largest_step / largest))

    def moved(self, q: FloatArray, velocities: FloatArray) -> FloatArray:
        moved = self.tree.integrate(q, velocities, 1.0)
        return np.where(self.moves > 0.0, np.clip(moved, self.lower, self.upper), q)
