"""Base of hierarchies of modules."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kido.errors import EditError
from kido.ik._hierarchy._copied_hierarchy import (
    copy_hierarchy,
    fill_hierarchy,
    hierarchy_content,
    modules_on,
)
from kido.ik._hierarchy._hierarchy_problem import HierarchyProblem, Wishes
from kido.ik._hierarchy._hierarchy_search import (
    HierarchyResult,
    TaskResult,
    hierarchy_search,
    search_hierarchy,
)
from kido.ik._hierarchy._hierarchy_step import HierarchyStep
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._objectives import Objectives
from kido.ik._problem._constrained_search import ConstrainedSearch
from kido.ik._problem._constraint_values import remaining_lengths
from kido.ik._problem._ik_function import OwnErrors
from kido.ik._problem._optimality import objective_residual
from kido.ik._problem._problem_search import CONSTRAINT_TOLERANCE, random_starts, told_search
from kido.ik._problem._solver_answer import broken_constraint, is_reached, told_end, within_budget
from kido.ik._result import IKStatus
from kido.ik._search._level_search import LevelSearch
from kido.ik._search._settings import SearchSettings
from kido.ik._search._tracking import checked_step, part_of_way
from kido.ik._user_output import checked_solution
from kido.optimize import Function, Problem, Status
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["HierarchicalIK"]

_LEAST_TIME = 1e-6
"""For the search of a step whose time is over before it begins [s]: an iteration."""

H = TypeVar("H", bound="HierarchicalIK")
_Levels = tuple[tuple[InverseKinematics, ...], ...]


class _End(NamedTuple):
    """End of a solver or search: positions (n,), which start, its iterations, what it says, and whether
    it ran out of time."""

    x: FloatArray
    start: int
    iterations: int
    told: str
    timed_out: bool = False


class HierarchicalIK(Objectives, ABC):
    """Inverse kinematics of several nodes of a skeleton at once, in levels of priority.

    Modules of a lower `hierarchy_level` come first: the others move in the null space of all their Jacobians
    together, which leaves their errors as they are. Modules of one level have equal priority. Of each module,
    its error method, gradient method, dofs and target are used; objectives, problem and solver are the
    hierarchy's own.

    Positions are found by a search from the present ones, then from random ones. Where a solver is set, or
    `problem` was changed in what the search does not know, the problem is solved instead: see `is_searched`.

    Source: Siciliano and Slotine, A general framework for managing multiple tasks in highly redundant robotic
    systems (1991); Baerlocher and Boulic, An inverse kinematics architecture enforcing an arbitrary number of
    strict priority levels (2004).
    """

    _problem: HierarchyProblem | None
    _default_settings = SearchSettings(max_starts=200, time_budget=0.5)
    _used_settings = ("angular_tolerance", "linear_tolerance", "time_budget", "damping", "least_damping")

    def __init__(self, skeleton: Skeleton, *, settings: SearchSettings | None = None) -> None:
        """A hierarchy of modules of a skeleton; `settings` None: those of a module, with 200 starts in half a
        second at most.

        Raises TypeError where it is no skeleton, or these no settings.
        """
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeleton: expected a Skeleton, got {type(skeleton).__name__}")
        if settings is None:
            settings = self._default_settings
        self._start(skeleton, settings)

    def _start(self, skeleton: Skeleton, settings: SearchSettings) -> None:
        self._skeleton = skeleton
        self._problem = None
        self._search: LevelSearch | None = None
        self.settings = settings

    def clone(self: H, skeleton: Skeleton) -> H:
        """The same hierarchy of another skeleton, as of a clone or of the same robot loaded twice.

        Modules are those of the nodes of the same names there; a node that has none gets a clone of this
        one's. Modules that are not attached to their nodes, as several of one node, are copied. Settings,
        objectives, solver and problem come along, as `IKFunction` says; what a class of your own keeps is
        shared, parts of the skeleton are found by their names.

        Raises TypeError where it is no skeleton, or for a function, solver or attribute that holds a part of
        this skeleton in a place where it cannot be exchanged; UnknownNameError where it has no such node, dof
        or body; EditError where bounds or seeds of the problem were set and the dofs have other names. Then
        nothing has changed.
        """
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeleton: expected a Skeleton, got {type(skeleton).__name__}")
        copy = type(self).__new__(type(self))
        with modules_on(skeleton, self) as loose:
            copy_hierarchy(self, copy, skeleton, loose)
        return copy

    def __copy__(self: H) -> H:
        return self.clone(self._skeleton)

    def __deepcopy__(self: H, memo: dict[int, Any]) -> H:
        return self.clone(deepcopy(self._skeleton, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (type(self), self._skeleton, hierarchy_content(self))

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton whose dofs are moved."""
        return self._skeleton

    @property
    @abstractmethod
    def modules(self) -> tuple[InverseKinematics, ...]:
        """The modules that take part."""

    @property
    def levels(self) -> tuple[tuple[InverseKinematics, ...], ...]:
        """The active modules, level by level, the first first, in each those that are required first; levels
        without any are left out.

        Raises RemovedError where the node of one was removed, EditError where it is in another skeleton now.
        """
        active = [module for module in self.modules if module.active]
        for node in (module.node for module in active):
            if node.skeleton is not self._skeleton:
                raise EditError(f"modules: {node.name!r} is not in {self._skeleton.name!r} any more")
        ranked: dict[int, list[InverseKinematics]] = {}
        for module in active:
            ranked.setdefault(module.hierarchy_level, []).append(module)
        return tuple(tuple(sorted(ranked[rank], key=_is_wished)) for rank in sorted(ranked))

    @property
    def settings(self) -> SearchSettings:
        """Settings of the search. Can be set; those that a solver does not go by warn NoEffectWarning where
        one is set."""
        return self._settings

    @settings.setter
    def settings(self, settings: SearchSettings) -> None:
        if not isinstance(settings, SearchSettings):
            raise TypeError(f"settings: expected SearchSettings, got {type(settings).__name__}")
        self._warn_of_unused(settings, self._solver)
        self._settings = settings

    @property
    def problem(self) -> Problem:
        """Optimization problem over all positions of the skeleton: the limits, the objectives, and the errors
        as equality constraints.

        It can be changed, and is solved from then on, within the limits of the dofs; where it was only looked
        at, or its objective alone was changed, positions are searched as before. Unchanged parts follow the
        hierarchy; `reset_problem` undoes all changes.
        """
        if self._problem is None:
            self._problem = HierarchyProblem(self)
        return self._followed_problem()

    def reset_problem(self) -> None:
        """Make the problem anew from the modules, as they are now."""
        self._problem = None

    # ---- state

    @property
    def positions(self) -> FloatArray:
        """Positions (n,) of all dofs of the skeleton [rad, m]. Can be set."""
        return self._skeleton.positions

    @positions.setter
    def positions(self, positions: ArrayLike) -> None:
        shape = (self._skeleton.num_dofs,)
        self._skeleton.positions = frozen_array("positions", positions, shape, "rad, m")

    @contextmanager
    def at(self, positions: ArrayLike) -> Iterator[None]:
        """Context in which the skeleton is at positions (n,) [rad, m]; afterwards it is where it was."""
        saved = self._skeleton.positions
        self.positions = positions
        try:
            yield
        finally:
            self._skeleton.positions = saved

    def step(self) -> HierarchyStep:
        """Errors and Jacobians of the modules now, and the step that lowers them level by level."""
        return HierarchyStep(self._skeleton, self.levels)

    # ---- answers

    def solve(self) -> HierarchyResult:
        """Positions at which no active module has an error; the skeleton stays as it is.

        Where errors remain, positions are those that the present ones lead to without a jump: the errors of
        the first levels are the smallest, and those of the others the smallest beside them. Another start
        that came nearer is told in `elsewhere`.

        Raises RemovedError or EditError as a module's `solve` does.
        """
        levels = self.levels
        if not self.is_searched:
            return self._solve_problem(levels)
        self._search = hierarchy_search(self._skeleton, levels, self._search)
        return search_hierarchy(self._search, self._skeleton, self._settings, self)

    def solve_and_apply(self, *, allow_incomplete: bool = True) -> HierarchyResult:
        """Solve, and move the skeleton there.

        Args:
            allow_incomplete: whether to move even where errors are left.

        Raises RemovedError or EditError as `solve` does.
        """
        result = self.solve()
        if result.success or allow_incomplete:
            self.positions = result.positions
        return result

    def track(self, *, largest_change: ArrayLike = 0.05, time_budget: float = 2e-3) -> HierarchyResult:
        """Positions that follow the targets without a jump; the skeleton stays as it is.

        As `InverseKinematics.track`: there are no random starts and no mirror images. From the present
        positions each dof moves by at most its largest change, towards the targets or as near to them, level
        by level, as that leads.

        Args:
            largest_change: of each dof of the skeleton (n,) or one number for all [rad, m]; of a ball or free
                joint by displacement, in child axes.
            time_budget: after which the answer is what was found [s].

        Raises:
            TypeError, ValueError: no positive numbers of that shape.
            RemovedError, EditError: as `solve` does.
        """
        begin, skeleton = time.perf_counter(), self._skeleton
        change, budget = checked_step(largest_change, time_budget, skeleton.num_dofs)
        levels, start, settings = self.levels, skeleton.positions, self._settings
        searched = self.is_searched
        if searched:
            self._search = hierarchy_search(skeleton, levels, self._search)
        left = max(budget - (time.perf_counter() - begin), _LEAST_TIME)
        self._settings = replace(settings, max_starts=1, mirrors=0, nearest=False, time_budget=left)
        try:
            if searched and self._search is not None:
                found = search_hierarchy(self._search, skeleton, self._settings, self, change)
            else:
                found = self._solve_problem(levels)
        finally:
            self._settings = settings
        if found.elsewhere is not None:
            found = replace(found, elsewhere=None)
        dofs = list(range(skeleton.num_dofs))
        positions = part_of_way(skeleton.tree, start, found.positions, dofs, change)
        if np.array_equal(positions, found.positions):
            return found
        with self.at(positions):
            tasks = tuple(_task(module, settings) for level in levels for module in level)
        reached = all(task.success for task in tasks if task.required)
        status = IKStatus.SOLVED if reached else IKStatus.NOT_REACHED
        return replace(found, positions=positions, status=status, tasks=tasks, stationarity=None)

    def _solve_problem(self, levels: _Levels) -> HierarchyResult:
        skeleton, problem = self._skeleton, self._followed_problem()
        saved = skeleton.positions
        if not problem.has_own_guess:
            problem.start_at(saved)
        try:
            if self._solver is None:
                return self._search_problem(problem, levels)
            default = self._settings.time_budget == self._default_settings.time_budget
            solver = within_budget(self._solver, None if default else self._settings.time_budget)
            found = checked_solution(solver, problem, repr(skeleton.name))
            timed_out = found.status is Status.TIME_OUT
            end = _End(problem.clamp(found.x), 0, found.iterations, told_end(solver, found), timed_out)
            return self._measured(problem, levels, end, solver.constraint_tolerance)
        finally:
            skeleton.positions = saved

    def _search_problem(self, problem: HierarchyProblem, levels: _Levels) -> HierarchyResult:
        """The answer where no solver is set: that of the search, where it meets what was added, else of
        other starts."""
        start = problem.clamp(problem.initial_guess)
        functions = (*self.lowered_functions, *self._wishes(levels))

        def is_met(x: FloatArray) -> bool:
            return self._measured(problem, levels, _End(x, 0, 0, ""), CONSTRAINT_TOLERANCE, ()).success

        constrained, known = ConstrainedSearch(problem, functions, is_met, self._settings), None
        if any(isinstance(h, OwnErrors) for h in problem.equality_constraints):
            with self.at(start):
                search = hierarchy_search(self._skeleton, levels, None)
                half = replace(self._settings, time_budget=max(0.5 * constrained.time_left, 1e-6))
                known = search_hierarchy(search, self._skeleton, half, self)
            inside = np.array_equal(problem.clamp(known.positions), known.positions)
            if known.success and inside and is_met(known.positions):
                return known
        best, first = constrained.run(_starts(problem, start, known, self._settings.seed))
        end = best if best.met else constrained.approached(first)
        told = _End(end.x, end.start, end.iterations, told_search(constrained), constrained.timed_out)
        return self._measured(problem, levels, told, CONSTRAINT_TOLERANCE)

    def _wishes(self, levels: _Levels) -> list[Function]:
        """Functions that are lowered beside the objectives."""
        wished = any(not module.is_required for level in levels for module in level)
        return [Wishes(self)] if wished else []

    def _measured(
        self,
        problem: Problem,
        levels: _Levels,
        end: _End,
        tolerance: float,
        functions: tuple[Function, ...] | None = None,
    ) -> HierarchyResult:
        """The result at positions (n,), reached where errors and constraints say so, with what is left of the
        gradient of functions; None: of the objectives and wishes, where there are objectives."""
        if functions is None:
            functions = (*self.lowered_functions, *self._wishes(levels)) if self.has_objectives else ()
        with self.at(end.x):
            tasks = tuple(_task(module, self._settings) for level in levels for module in level)
        broken, left = broken_constraint(problem, end.x, tolerance), None
        asked = any(isinstance(h, OwnErrors) for h in problem.equality_constraints)
        reached = not broken and (not asked or all(task.success or not task.required for task in tasks))
        if reached and functions:
            start = problem.clamp(problem.initial_guess)
            left = objective_residual(problem, functions, end.x, start, tolerance)
        return HierarchyResult(
            end.x,
            tuple(dof.name for dof in self._skeleton.dofs),
            IKStatus.SOLVED if reached else IKStatus.NOT_REACHED,
            *(tasks, end.start, end.iterations),
            stationarity=left,
            reason="" if reached else "; ".join(part for part in (broken, end.told) if part),
            timed_out=end.timed_out,
        )

    def _followed_problem(self) -> HierarchyProblem:
        """The problem as the modules are now; where nobody looked at it, one that is not kept."""
        if self._problem is None:
            return HierarchyProblem(self)
        self._problem.follow(self)
        return self._problem


def _starts(
    problem: HierarchyProblem, first: FloatArray, known: HierarchyResult | None, seed: int
) -> Iterator[FloatArray]:
    """Starts (n,): the given one, the search's answer, seeds, then random ones where bounds are finite."""
    yield first
    if known is not None:
        yield known.positions
    yield from problem.seeds
    bounded = np.isfinite(problem.lower_bounds) & np.isfinite(problem.upper_bounds)
    for start in random_starts(problem, first, first, seed):
        yield np.where(bounded, start, first)


def _unpickle(cls: type[H], skeleton: Skeleton, content: dict[str, Any]) -> H:
    hierarchy = cls.__new__(cls)
    fill_hierarchy(hierarchy, skeleton, content)
    return hierarchy


def _is_wished(module: InverseKinematics) -> bool:
    return not module.is_required


def _task(module: InverseKinematics, settings: SearchSettings) -> TaskResult:
    angular, linear = remaining_lengths(module)
    success = is_reached(module, settings)
    return TaskResult(module.node.name, module.hierarchy_level, success, angular, linear, module.is_required)
