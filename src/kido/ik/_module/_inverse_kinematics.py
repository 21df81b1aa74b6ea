"""Inverse kinematics of one body or node."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import overload

import numpy as np

from kido.errors import EditError, NoClosedFormError, NoEffectWarning
from kido.frame import SimpleFrame
from kido.ik._copying._copied_frames import (
    copied_dofs,
    copied_reference,
    copied_target,
    frame_of_name,
)
from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._module._ik_state import IKState
from kido.ik._module._properties import DEFAULT_GRADIENT_METHOD
from kido.ik._problem._module_problem import ModuleProblem
from kido.ik._problem._problem_search import search_problem
from kido.ik._problem._solver_answer import solve_problem
from kido.ik._result import IKResult, IKResults
from kido.ik._search._many_targets import distinct_solutions, searched_by, solve_each
from kido.ik._search._module_search import search_module
from kido.ik._search._native_search import search_pose, search_poses
from kido.ik._search._pose_problem import PoseProblem, moved_with
from kido.ik._search._tracking import checked_step, track_each, track_poses
from kido.math import as_transform_matrix
from kido.optimize import Function, Problem
from kido.skeleton import BodyNode, DegreeOfFreedom, FrameNode
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array
from kido.values import checked_items

__all__ = ["InverseKinematics"]

_ROUNDS = 4
"""Times as many solutions as starts from which those are chosen that break least of what was added: they are
found in lanes, a start costs a hundred times more."""


class InverseKinematics(IKState, closed=True):
    """Inverse kinematics of a body or node: positions of dofs that bring it to a target.

    `InverseKinematics.of(node)` gives the module of a node, made when it is first asked for. It is an addon
    of the node, and is cloned and copied with it. The target is a frame: put it anywhere, or under any other
    frame, which may move. The error method measures the error of the node relative to the target, by default
    of its pose; the gradient method turns an error into a step of the dofs.

    Positions are found by a search with many starts. Where a solver is set, or `problem` was changed in what
    the search does not know, the problem is solved instead: see `is_searched`.
    """

    _another = "`clone` it onto another node"

    @classmethod
    def of(cls, node: BodyNode | FrameNode) -> InverseKinematics:
        """The module of a node, made where there is none.

        Raises TypeError where it is neither a body nor a node with a place, RemovedError where it was
        removed.
        """
        if not isinstance(node, BodyNode | FrameNode):
            raise TypeError(f"node: expected a body or a node that is a frame, got {type(node).__name__}")
        node.skeleton  # noqa: B018 - raises where there is none
        return node.addon(cls) or node.create_addon(cls)

    def clone(self, node: BodyNode | FrameNode) -> InverseKinematics:
        """A module of another node with the parts of this one, as for the same robot loaded twice.

        Dofs that were named are those of the same names. A target or reference frame on a body or node of
        this skeleton is on that of the same name there; other targets are cloned where they are. Objectives,
        solver and problem come along, as `IKFunction` says. A module that the node has is replaced.

        Raises UnknownNameError where the other skeleton has no such dof or body, EditError where bounds or
        seeds of the problem were set and the copy would move dofs of other names, TypeError where the node is
        neither a body nor a node with a place, a function or method holds a part of this skeleton, or the
        target moves with it by a frame that has no copy. Then nothing has changed.
        """
        copy = self._loose_copy(node)
        node._store(copy)
        return copy

    def _loose_copy(self, node: BodyNode | FrameNode) -> InverseKinematics:
        """The module that `clone` makes, which the node does not know of."""
        if not isinstance(node, BodyNode | FrameNode):
            raise TypeError(f"node: expected a body or a node that is a frame, got {type(node).__name__}")
        here, there = self.owner.skeleton, node.skeleton
        named = self._named_dofs
        dofs = None if named is None else tuple(there.dof(dof.name) for dof in named)
        target = frame_of_name(self.target, here, there)
        reference = self._reference_frame
        if reference is not None:
            reference = frame_of_name(reference, here, there)
        copy = type(self)(node, self.properties)
        copy._dof_rule, copy._named_dofs, copy._reference_frame = self._dof_rule, dofs, reference
        if isinstance(target, SimpleFrame) and target is not self.target:
            copy.target = target
        else:
            copy.target = self.target.clone()
        copy._copy_functions(self, None)
        copy._refuse_other_dofs(self)
        return copy

    # ---- the problem

    def check(self, *, samples: int = 10) -> None:
        """Check the error method and the gradient method, as their own `check` does, at the present and at
        random positions.

        Raises TypeError or ValueError, naming the method, its member and what is wrong; RemovedError or
        EditError as `solve` does.
        """
        self.error_method.check(self, samples=samples)
        self.gradient_method.check(self, samples=samples)

    @property
    def problem(self) -> Problem:
        """Optimization problem of the module: the limits, the objectives, and the error as equality
        constraint.

        It can be changed, and is solved from then on, within the limits of the dofs; where it was only looked
        at, or its objective alone was changed, positions are searched as before. Unchanged parts follow the
        module; `reset_problem` undoes all changes.
        """
        if self._problem is None:
            self._problem = ModuleProblem(self)
        return self._followed_problem()

    def reset_problem(self) -> None:
        """Make the problem anew from the module's parts, as they are now."""
        self._problem = None

    # ---- answers

    def solve(self, *, frozen: Iterable[DegreeOfFreedom] = ()) -> IKResult:
        """Positions of the dofs at which the error is zero; the skeleton stays as it is.

        The present positions are tried first, then random ones within the limits, the same ones at every
        call. A target that is not reached is a result, not an exception: its positions are those that came
        nearest.

        Args:
            frozen: dofs of the module that keep their positions this time; of the three of a rotation, and of
                a translation that turns with one, all do where one does. Where the others have no closed
                form any more, as `ClosedFormMethod` needs it, they are searched, and NoEffectWarning says so.

        Raises TypeError for what are no dofs, ValueError for frozen dofs that are none of the module's, or
        all of them, RemovedError where the node or a dof was removed, and EditError where a dof is in another
        skeleton now.
        """
        locked = checked_items("frozen", DegreeOfFreedom, frozen)
        if locked:
            return self._solve_without(locked)
        if not self.is_searched:
            return self._solve_problem([])
        if self.has_objectives:
            return self._search_module()
        if not self._has_default_steps:
            direct = self._direct_result()
            return self._search_module() if direct is None else direct
        cache = self._cache()
        problem = cache.problem
        if problem.native is None or self._region_moves():
            return search_module(cache.level_search(self))
        return search_pose(problem, problem.native, self.target.transform(), self.owner.skeleton.positions)

    def solve_within(self, largest_change: FloatArray) -> IKResult:
        """The answer of `solve` where dofs move by at most their largest change (k,) [rad, m], by one search.

        Solvers and methods that answer by themselves go as far as they like. Raises as `solve` does.
        """
        if self.is_searched:
            known = self.has_objectives or self._has_default_steps
            direct = None if known else self._direct_result()
            if direct is not None:
                return direct
            change = np.zeros(self.owner.skeleton.num_dofs)
            change[self.dof_indices] = largest_change
            return search_module(self._cache().level_search(self), (), change)
        return self._solve_problem([])

    def find_solution(self) -> IKResult:
        """Solve, by DART's name. Raises RemovedError or EditError as `solve` does."""
        return self.solve()

    def solve_all(self) -> IKResults:
        """All different solutions that the starts of the search lead to, the nearest first.

        Positions that differ by whole turns are one solution. A chain with more dofs than the target fixes
        has infinitely many, of which these are some. The skeleton stays as it is. Empty results: none was
        found.

        Raises ValueError where the module is not searched but solved by a solver or another method, and
        RemovedError or EditError as `solve` does.
        """
        if not self.is_searched or self.has_objectives:
            raise ValueError(
                "solve_all: expected a module without solver and objective, and nothing added to its problem"
            )
        return distinct_solutions(self)

    def solve_and_apply(
        self, *, allow_incomplete: bool = True, frozen: Iterable[DegreeOfFreedom] = ()
    ) -> IKResult:
        """Solve, and move the skeleton there.

        Args:
            allow_incomplete: whether to move even where an error remains.
            frozen: dofs of the module that keep their positions this time.

        Raises ValueError, RemovedError or EditError as `solve` does.
        """
        result = self.solve(frozen=checked_items("frozen", DegreeOfFreedom, frozen))
        if allow_incomplete or result.success:
            skeleton, places = self.owner.skeleton, self.dof_places()
            if places.are_all:
                skeleton.positions = result.positions
            else:
                q = skeleton.positions.copy()
                q[places.array] = result.positions
                skeleton.positions = q
        return result

    def solve_batch(self, targets: TransformLike, starts: ArrayLike | None = None) -> IKResults:
        """Positions for many targets at once, in vector lanes and threads. The skeleton stays as it is.

        Each answer is that of `solve`, bit for bit. Problems that the native search cannot represent, such as
        joints that users write and limits of ball and free joints, are solved one target after the other, in
        Python. With a closed form as the gradient method, the answers are computed in threads.

        Args:
            targets: poses of the target frame in the world (n, 4, 4) [m].
            starts: positions (n, k) or (k,) of the dofs to start from [rad, m]; None: the present ones.

        Returns:
            Positions, errors, and what is reached, one of each for a target.

        Raises:
            TypeError, ValueError: not transforms, or not positions of that shape.
            RemovedError, EditError: as `solve` does.
        """
        poses = as_transform_matrix(targets, "targets")
        if poses.ndim != 3:
            raise ValueError(f"targets: expected shape (n, 4, 4) [m], got {poses.shape}")
        positions = self._starts(starts, len(poses))
        problem = self._lane_problem()
        if problem is not None and problem.native:
            return search_poses(problem, problem.native, poses, positions)
        direct = self._direct_results(poses, positions)
        if direct is not None:
            return direct
        each = np.broadcast_to(positions, (len(poses), positions.shape[1]))
        return IKResults.of(tuple(dof.name for dof in self.dofs), solve_each(self, poses, each))

    @overload
    def track(
        self, poses: None = None, *, largest_change: ArrayLike = 0.05, time_budget: float = 1e-3
    ) -> IKResult: ...
    @overload
    def track(
        self, poses: TransformLike, *, largest_change: ArrayLike = 0.05, time_budget: float = 1e-3
    ) -> IKResults: ...
    def track(
        self,
        poses: TransformLike | None = None,
        *,
        largest_change: ArrayLike = 0.05,
        time_budget: float = 1e-3,
    ) -> IKResult | IKResults:
        """Positions that follow the target without a jump; the skeleton stays as it is.

        There are no random starts and no mirror images: from the present positions each dof moves by at most
        its largest change, towards the target or as near to it as that leads. A dof beyond its limits comes
        back as fast as that lets it. Near singular positions, at limits and out of reach the error grows, not
        the motion.

        Args:
            poses: of the target frame in the world (n, 4, 4) [m], followed one after the other; None: the
                target where it is now.
            largest_change: of each dof from one target to the next, (k,) or one number for all [rad, m]; that
                of a robot is its speed limit times the time of a step.
            time_budget: for one target [s]; what was found by then is the answer.

        Returns:
            Positions for the target, or for each of the poses, the last one's being the start of the next;
            `method` is "tracking".

        Raises:
            TypeError, ValueError: not transforms, or no positive numbers of that shape.
            RemovedError, EditError: as `solve` does.
        """
        change, budget = checked_step(largest_change, time_budget, len(self.dof_indices))
        if poses is None:
            return self._tracked(self.target.transform()[None], change, budget)[0]
        targets = as_transform_matrix(poses, "poses")
        if targets.ndim != 3:
            raise ValueError(f"poses: expected shape (n, 4, 4) [m], got {targets.shape}")
        return self._tracked(targets, change, budget)

    # ---- helpers

    def copied_from(self, original: InverseKinematics) -> None:
        """Take over the parts of the original module, in the skeleton of this one.

        A target that moves with a copied body or node moves with the copy. Dofs that were not copied are left
        out. The problem comes along; where bounds or seeds of it were set, the copy of a part of the skeleton
        has to move copies of the same dofs.

        Raises TypeError for a function or method that holds a part of the original's skeleton.
        """
        there, here = original.body, self.body
        self._dof_rule = original._dof_rule
        named = original._named_dofs
        self._named_dofs = None if named is None else copied_dofs(named, there, here) or None
        self._target = copied_target(original.target, there, here)
        self._reference_frame = copied_reference(original._reference_frame, there, here)
        problem = original._problem
        has_numbers = problem is not None and problem.has_own_numbers
        checked = has_numbers and there.skeleton.num_bodies != here.skeleton.num_bodies
        self._copy_functions(original, copied_dofs(original.dofs, there, here) if checked else None)

    def _refuse_other_dofs(self, original: InverseKinematics) -> None:
        """Raises EditError where numbers of the problem are those of dofs of other names."""
        problem = self._problem
        if problem is not None and problem.has_own_numbers:
            names = [[dof.name for dof in ik.dofs] for ik in (original, self)]
            if names[0] != names[1]:
                raise EditError(
                    f"problem: its bounds and seeds are those of the dofs {names[0]}, the copy moves "
                    f"{names[1]}; call `reset_problem` first, or name the same dofs"
                )

    @property
    def _has_default_steps(self) -> bool:
        """Whether the steps are the search's, rather than those of a gradient method that was set."""
        method = self.gradient_method
        return method is DEFAULT_GRADIENT_METHOD or method == DEFAULT_GRADIENT_METHOD

    def _lane_problem(self) -> PoseProblem | None:
        """The problem of the search in lanes; None where it does not suit."""
        suits = self.is_searched and not self.has_objectives
        suits = suits and self._has_default_steps and not self.moves(self.error_axes)
        return self.search_problem() if suits else None

    def _search_module(self, locked: Collection[int] = ()) -> IKResult:
        """The answer of the search that asks parts which native code does not know; some dofs stay."""
        return search_module(self._cache().level_search(self), locked)

    def _direct_result(self) -> IKResult | None:
        """The answer of the gradient method itself, if it has one."""
        method = self.gradient_method
        result = method.solve_directly(self)
        if result is not None and not isinstance(result, IKResult):
            raise TypeError(f"{method.name}.solve_directly: expected an IKResult or None, got {result!r}")
        return result

    def _direct_results(self, poses: FloatArray, starts: FloatArray) -> IKResults | None:
        """The answers of the gradient method itself for many poses, if it has some."""
        if not self.is_searched or self.has_objectives or self._has_default_steps:
            return None
        method = self.gradient_method
        results = method.solve_batch_directly(self, poses, starts)
        if results is not None and not isinstance(results, IKResults):
            raise TypeError(
                f"{method.name}.solve_batch_directly: expected IKResults or None, got {results!r}"
            )
        return results

    def _region_moves(self) -> bool:
        """Whether the dofs move the target or the axes of the error."""
        return self.moves(self.target) or self.moves(self.error_axes)

    def _solve_without(self, frozen: tuple[DegreeOfFreedom, ...]) -> IKResult:
        """The answer of `solve` with some of the dofs locked."""
        chosen, named, positions = self.dofs, self._named_dofs, self.positions
        for dof in frozen:
            if dof not in chosen:
                raise ValueError(f"frozen: expected dofs of the module, got {dof.name!r}")
        if not self.is_searched:
            return self._solve_problem([chosen.index(dof) for dof in frozen])
        frozen = tuple(dict.fromkeys(part for dof in frozen for part in moved_with(dof)))
        own = [i for i, dof in enumerate(chosen) if dof not in frozen]
        if not own:
            raise ValueError("frozen: expected at least one dof of the module to be left")
        if self.has_objectives or self.search_problem().native is None:  # parts that may know all dofs
            return self._search_module(sorted(dof.index for dof in frozen))
        self._named_dofs, properties = tuple(chosen[i] for i in own), self.properties
        try:
            method = self._method_without(frozen)
            if method is not self.gradient_method:
                self.properties = replace(properties, gradient_method=method)
            result = self.solve()
        finally:
            self._named_dofs, self.properties = named, properties
        names = tuple(dof.name for dof in chosen)

        def whole(part: IKResult) -> IKResult:
            q = positions.copy()
            q[own] = part.positions
            other = None if part.elsewhere is None else whole(part.elsewhere)
            return replace(part, positions=q, dof_names=names, elsewhere=other)

        return whole(result)

    def _method_without(self, frozen: tuple[DegreeOfFreedom, ...]) -> GradientMethod:
        """The gradient method for the dofs that are left where some are frozen."""
        method = self.gradient_method
        try:
            return method.without(self, frozen)
        except NoClosedFormError as error:
            names = ", ".join(repr(dof.name) for dof in frozen)
            told = f"{method.name}: with {names} frozen, {error}; the other dofs were searched"
            warnings.warn(told, NoEffectWarning, stacklevel=4)
            return DEFAULT_GRADIENT_METHOD

    def _solve_problem(self, frozen: list[int]) -> IKResult:
        problem, functions = self._followed_problem(), self.lowered_functions
        if self._solver is not None:
            return solve_problem(self, self._solver, functions, problem, frozen)
        locked = [self.dofs[i] for i in frozen]

        def search(time_budget: float) -> IKResult:
            within = replace(self.settings, time_budget=time_budget)
            with self._without_problem(functions), searched_by(self, within):
                return self.solve(frozen=locked)

        def solutions(time_budget: float) -> FloatArray:
            within = replace(self.settings, time_budget=time_budget)
            with self._without_problem(()), searched_by(self, within):
                problem = self._lane_problem()
                if locked or problem is None or problem.native is None:
                    return np.zeros((0, len(self.dofs)))
                return distinct_solutions(self, _ROUNDS).positions

        return search_problem(self, functions, problem, frozen, search, solutions)

    @contextmanager
    def _without_problem(self, functions: Sequence[Function]) -> Iterator[None]:
        """Context in which nothing was added to the problem, and some functions are the objectives."""
        saved = self._problem, self._objective, self._null_space_objective
        self._problem = None
        self._objective, self._null_space_objective = (*functions, None, None)[:2]
        try:
            yield
        finally:
            self._problem, self._objective, self._null_space_objective = saved

    def _followed_problem(self) -> ModuleProblem:
        """The problem as the parts are now; where nobody looked at it, one that is not kept."""
        if self._problem is None:
            return ModuleProblem(self)
        self._problem.follow(self)
        return self._problem

    def _tracked(self, poses: FloatArray, largest_change: FloatArray, time_budget: float) -> IKResults:
        problem = self._lane_problem()
        search = None if problem is None or problem.grouped.any() else problem.native
        if problem is not None and search is not None and not self._region_moves():
            positions = self.owner.skeleton.positions
            return track_poses(problem, search, poses, positions, largest_change, time_budget)
        names = tuple(dof.name for dof in self.dofs)
        return IKResults.of(names, track_each(self, poses, largest_change, time_budget))

    def _starts(self, starts: ArrayLike | None, count: int) -> FloatArray:
        """Start positions (1 or count, num_dofs) of all dofs of the skeleton."""
        present, dofs = self.owner.skeleton.positions, self.dof_indices
        if starts is None:
            return present[None]
        given = frozen_array("starts", starts, None, "rad, m")
        k = len(dofs)
        if given.shape not in ((k,), (count, k)):
            expected = f"expected shape ({k},) or ({count}, {k}) [rad, m]"
            raise ValueError(f"starts: {expected}, got {given.shape}")
        rows = np.repeat(present[None], 1 if given.ndim == 1 else count, axis=0)
        rows[:, dofs] = given
        return rows
