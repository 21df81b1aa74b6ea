"""Search for one or more modules in levels of priority.

The native search takes the steps. What it does not know by itself, as error methods, gradient methods and
joints that users write and targets that move with the dofs, it asks of the modules.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.ik._error_methods._region import GazeRegion, MassRegion, PostureRegion, axes_for_search
from kido.ik._gradient_methods._damped_methods import DampedLeastSquares
from kido.ik._gradient_methods._jacobian_methods import JacobianPseudoinverse
from kido.ik._gradient_methods._least_squares import RANK_TOLERANCE
from kido.ik._module._properties import DEFAULT_GRADIENT_METHOD
from kido.ik._query import IKQuery
from kido.ik._search._custom_parts import CustomParts, SearchObjective
from kido.ik._search._settings import DEFAULT_BUDGET, SearchSettings
from kido.optimize import Function
from kido.skeleton import Skeleton
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["LevelEnd", "LevelSearch"]


class _Common(TypedDict):
    """Arguments that all tasks have."""

    level: int
    moves: FloatArray
    wished: bool
    own_step: bool
    damping: float
    clamp: float


@dataclass(frozen=True, slots=True, eq=False)
class LevelEnd:
    """End of a start of a search.

    Attributes:
        positions: of all dofs (n,) [rad, m].
        angular_error, linear_error: of each module (t,) [rad], [m].
        reached: whether each module (t,) has no error.
        start, iterations: which start, and its iterations.
        stationarity: largest component of the gradient of the Lagrangian relative to the largest gradient met
            [-]; NaN where no objective was lowered.
        timed_out: whether the time budget ended the search.
    """

    positions: FloatArray
    angular_error: FloatArray
    linear_error: FloatArray
    reached: NDArray[np.bool_]
    start: int
    iterations: int
    stationarity: float
    timed_out: bool


class LevelSearch:
    """The search for some modules of a skeleton, each with its rank, valid until one of them changes.

    Attributes:
        modules: sorted by rank, with their `problems`.
        wished: whether what remains of each module's error is no failure.
    """

    __slots__ = (
        "_additive",
        "_built",
        "_functions",
        "_objective",
        "_ranges",
        "_ranks",
        "_tree",
        "modules",
        "problems",
        "wished",
    )

    def __init__(
        self,
        tree: Tree,
        modules: tuple[IKQuery, ...],
        ranks: tuple[int, ...],
        ranges: _core.SearchRanges,
        wished: tuple[bool, ...],
    ) -> None:
        """A search.

        Args:
            tree: of the skeleton.
            modules: sorted by rank.
            ranks: of the modules, without gaps from 0.
            ranges: of all dofs.
            wished: whether what remains of each module's error is no failure.
        """
        self._tree, self.modules, self._ranks = tree, modules, ranks
        self._ranges, self.wished = ranges, wished
        self.problems = tuple(module.search_problem() for module in modules)
        self._built: list[tuple[tuple[int, bool] | None, _core.SearchTask] | None] = [None] * len(modules)
        self._additive: NDArray[np.bool_] | None = None
        self._functions: tuple[Function, ...] = ()
        self._objective: SearchObjective | None = None

    def objective_of_module(self) -> SearchObjective | None:
        """The objective beside the error of the only module, made once for the same functions; None: there is
        none."""
        (module,) = self.modules
        if not module.has_objectives:
            return None
        known, functions = self._functions, module.lowered_functions
        if len(known) != len(functions) or any(a is not b for a, b in zip(known, functions, strict=True)):
            skeleton = module.node.skeleton
            self._objective = SearchObjective(skeleton, module, module.dofs, module.dof_indices)
            self._functions = functions
        return self._objective

    def is_for(
        self,
        tree: Tree,
        modules: tuple[IKQuery, ...],
        ranks: tuple[int, ...],
        wished: tuple[bool, ...],
    ) -> bool:
        """Whether it is still the search for these modules."""
        return (
            self._tree is tree
            and (self.modules, self._ranks, self.wished) == (modules, ranks, wished)
            and all(a is b.search_problem() for a, b in zip(self.problems, modules, strict=True))
        )

    def run(
        self,
        skeleton: Skeleton,
        settings: SearchSettings,
        objective: SearchObjective | None = None,
        locked: Collection[int] = (),
        largest_change: FloatArray | None = None,
    ) -> tuple[LevelEnd, LevelEnd]:
        """The best end of all starts from the present positions of the skeleton, and that of the first start,
        which a path without jumps leads to; where they are the same, twice the same.

        Args:
            skeleton: of the modules.
            settings: of the search.
            objective: what is lowered where all is reached that must be.
            locked: places of dofs that stay as they are.
            largest_change: of each dof (n,) from the present positions [rad, m]; None: as far as limits let
                it.
        """
        saved = skeleton.positions
        asked = [self._asks_python(i) for i in range(len(self.modules))]
        bounded = [objective is not None and ask and self._is_bounded(i) for i, ask in enumerate(asked)]
        asks_objective = objective is not None and objective.asks_python
        held = any(asked) or any(map(_has_own_step, self.modules)) or asks_objective
        parts = None
        if held:
            parts = CustomParts(skeleton, self.modules, self.problems, asked, bounded, objective)
        tasks = [
            self._task(i, None if parts is None or not ask else (parts.rows[i], bounded[i]), locked)
            for i, ask in enumerate(asked)
        ]
        try:
            best, first, cut = _core.solve_hierarchy(
                self._tree,
                tasks=tasks,
                targets=np.array([module.target.transform() for module in self.modules]).reshape(-1, 4, 4),
                start=saved,
                ranges=self._ranges if largest_change is None else self._box(skeleton, largest_change),
                settings=settings.native(DEFAULT_BUDGET if held else None),
                parts=parts,
                lowers=None if objective is None else self._lowers(objective, locked),
                asks_objective=asks_objective,
                quadratics=[] if objective is None else objective.quadratics,
                largest_change=largest_change,
            )
        finally:
            if held:
                skeleton.positions = saved
        end = LevelEnd(*best, cut)
        return end, end if first is None else LevelEnd(*first, cut)

    def _box(self, skeleton: Skeleton, largest_change: FloatArray) -> _core.SearchRanges:
        """Limits as far as dofs may move; those beyond their limits come back as fast as that lets them."""
        if self._additive is None:
            self._additive = np.array([dof.coordinate.is_additive for dof in skeleton.dofs], dtype=bool)
        most, none = np.where(self._additive, largest_change, math.inf), np.zeros(len(self._additive))
        positions = skeleton.positions
        lower = np.clip(self._tree.lower_limits, positions - most, positions + most)
        upper = np.clip(self._tree.upper_limits, positions - most, positions + most)
        return _core.SearchRanges(lower=lower, upper=upper, low_seed=none, high_seed=none, cyclic=none)

    def _asks_python(self, index: int) -> bool:
        """Whether native code does not know the error of a module with its frames as they are."""
        module, problem = self.modules[index], self.problems[index]
        target_region = problem.target_region
        if isinstance(target_region, PostureRegion):
            return False
        if target_region is None or problem.has_user_joints:
            return True
        if not isinstance(target_region, MassRegion) and len(problem.places) == 0:
            return True
        for frame in (module.target, module.error_axes):
            if not frame.parent_frame.is_world and any(other.moves(frame) for other in self.modules):
                return True
        return False

    def _is_bounded(self, index: int) -> bool:
        """Whether a module that Python is asked for has bounds between which there is no error."""
        return not self.problems[index].is_pose and self.modules[index].has_bounds

    def _asked_task(self, rows: int, bounded: bool, index: int, locked: Collection[int]) -> _core.SearchTask:
        """The task of a module whose error Python knows."""
        problem = self.problems[index]
        frame = self._tree, problem.body, problem.point
        return _core.SearchTask.custom(*frame, rows, bounded=bounded, **self._common(index, locked))

    def _task(self, index: int, asked: tuple[int, bool] | None, locked: Collection[int]) -> _core.SearchTask:
        """The task of a module, where Python is asked for its error the number of rows, and whether it has
        bounds; the same task while these stay and no dof is locked."""
        built = self._built[index]
        if built is not None and built[0] == asked and not locked:
            return built[1]
        make = self._known_task if asked is None else partial(self._asked_task, *asked)
        task = make(index, locked)
        if not locked:
            self._built[index] = asked, task
        return task

    def _known_task(self, index: int, locked: Collection[int]) -> _core.SearchTask:
        """The task of a module whose error native code knows."""
        problem, make = self.problems[index], _core.SearchTask
        frame, common = (self._tree, problem.body, problem.point), self._common(index, locked)
        match problem.target_region:
            case GazeRegion(axis, half_angle, weight):
                return make.gaze(*frame, axis, half_angle, weight, **common)
            case MassRegion(weights, axes):
                along = axes_for_search(axes, self.modules[index].target)
                return make.center_of_mass(*along, weights, *self._mass_parts(), **common)
            case PostureRegion(dofs, positions, weights):
                return make.posture(dofs, positions, weights, **common)
        assert problem.region is not None
        return make.pose(*frame, problem.region, **common)

    def _lowers(self, objective: SearchObjective, locked: Collection[int]) -> FloatArray:
        """Whether each dof (n,) moves for the objective."""
        lowers = np.zeros(self._tree.num_dofs)
        lowers[objective.moves] = 1.0
        lowers[list(locked)] = 0.0
        return lowers

    def _mass_parts(self) -> tuple[float, FloatArray]:
        """The share of links in the mass of the skeleton [-], and the part (3,) that bodies fixed to the
        world have in its center of mass [m]."""
        skeleton = self.modules[0].node.skeleton
        if skeleton.mass == 0.0:
            return 0.0, np.zeros(3)
        share = self._tree.total_mass / skeleton.mass
        moving = self._tree.center_of_mass(skeleton.positions) if share > 0.0 else np.zeros(3)
        return share, skeleton.com() - share * moving

    def _common(self, index: int, locked: Collection[int]) -> _Common:
        moves = np.zeros(self._tree.num_dofs)
        moves[self.problems[index].dofs] = 1.0
        moves[list(locked)] = 0.0
        method = self.modules[index].gradient_method
        own, damping, clamp = _has_own_step(self.modules[index]), -1.0, math.inf
        if not own and method != DEFAULT_GRADIENT_METHOD and method.knows_steps(self.modules[index]):
            damping = method.damping**2 if isinstance(method, DampedLeastSquares) else 0.0
            clamp = method.component_clamp
        return {
            "level": self._ranks[index],
            "moves": moves,
            "wished": self.wished[index],
            "own_step": own,
            "damping": damping,
            "clamp": clamp,
        }


def _has_own_step(module: IKQuery) -> bool:
    """Whether only the gradient method of a module knows its steps: native ones are least squares without
    weights of components."""
    method = module.gradient_method
    if type(method) is DampedLeastSquares:
        return len(method.component_weights) > 0
    if type(method) is JacobianPseudoinverse:
        return len(method.component_weights) > 0 or method.rank_tolerance != RANK_TOLERANCE
    return bool(method.knows_steps(module))
