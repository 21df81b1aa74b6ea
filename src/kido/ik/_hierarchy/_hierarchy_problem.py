"""Optimization problem of a hierarchy of modules."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kido.ik._coordinates import jacobian_by_positions
from kido.ik._gradient_methods._damped_methods import DampedLeastSquares
from kido.ik._gradient_methods._least_squares import within_null_space
from kido.ik._hierarchy._hierarchy_step import limited_velocities
from kido.ik._problem._constraint_values import weighted_constraint, weighted_constraint_jacobian
from kido.ik._problem._following_problem import FollowingProblem
from kido.ik._problem._ik_function import OwnErrors
from kido.ik._problem._problem_owner import SolvedHierarchy
from kido.ik._query import IKQuery
from kido.ik._search._pose_problem import grouped
from kido.optimize import Function, GradientDescentSolver, LeastSquaresFunction, NullFunction, checked_array
from kido.typing import FloatArray

__all__ = ["HierarchyProblem", "Wishes"]

_Levels = tuple[tuple[IKQuery, ...], ...]

_CLAMP = DampedLeastSquares().component_clamp


class HierarchyErrors(OwnErrors, closed=True):
    """Weighted errors of all modules as equality constraints.

    Gradient descent gets their norm, with the hierarchy's step for a gradient. Other solvers get the
    components, with their own derivatives.
    """

    def __init__(self, hierarchy: SolvedHierarchy) -> None:
        """The errors of a hierarchy."""
        self._hierarchy = hierarchy

    @property
    def owner(self) -> SolvedHierarchy:
        """The hierarchy."""
        return self._hierarchy

    def values(self, x: FloatArray) -> FloatArray:
        """Length (1,), or components (m,), at positions `x` (n,) [rad, m]."""
        hierarchy = self._hierarchy
        with hierarchy.at(x):
            if self._is_descended:
                return np.array([math.sqrt(sum(hierarchy.step().squared))])
            return _errors(hierarchy, hierarchy.levels)

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Step (1, n), or derivative (m, n) of the components, at positions `x` (n,) [rad, m]."""
        hierarchy = self._hierarchy
        with hierarchy.at(x):
            if self._is_descended:
                return self._step(x)[None]
            return _stacked(hierarchy, hierarchy.levels, weighted_constraint_jacobian)

    def component_values(self, x: FloatArray) -> FloatArray:
        """Weighted errors (m,) of the active modules that are required, at positions `x` (n,) [-]."""
        hierarchy = self._hierarchy
        with hierarchy.at(x):
            return _errors(hierarchy, _of(hierarchy, is_required=True))

    def component_jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (m, n) of these at positions `x` (n,) [-]."""
        hierarchy = self._hierarchy
        with hierarchy.at(x):
            return _stacked(hierarchy, _of(hierarchy, is_required=True), weighted_constraint_jacobian)

    def _step(self, x: FloatArray) -> FloatArray:
        """Negative step (n,), scaled as a whole so that lower levels stay in the null space of higher
        ones."""
        hierarchy, tree = self._hierarchy, self._hierarchy.skeleton.tree
        step = hierarchy.step()
        groups = np.array([grouped(dof) for dof in hierarchy.skeleton.dofs], dtype=bool)
        lowest = np.where(groups, -np.inf, tree.lower_limits - x)
        highest = np.where(groups, np.inf, tree.upper_limits - x)
        settings = hierarchy.settings
        damping = [settings.damping * squared + settings.least_damping for squared in step.squared]
        velocities = limited_velocities(step, damping, np.ones(len(x)), lowest, highest)
        velocities *= _CLAMP / max(_CLAMP, float(np.abs(velocities).max(initial=0.0)))
        return np.asarray(x - tree.integrate(np.array(x), velocities, 1.0))

    @property
    def _is_descended(self) -> bool:
        return isinstance(self._hierarchy.solver, GradientDescentSolver)


class HierarchyObjective(Function, closed=True):
    """Sum of a hierarchy's objective and its null space objective, whose gradient is projected into the null
    space of the modules' errors."""

    def __init__(self, hierarchy: SolvedHierarchy) -> None:
        """The objectives of a hierarchy."""
        self._hierarchy = hierarchy

    def value(self, x: FloatArray) -> float:
        """Sum of both at positions `x` (n,) [rad, m]."""
        parts = self._hierarchy.objective, self._hierarchy.null_space_objective
        return sum(float(checked_array(f"{part.name}.value", part.value(x), ())) for part in parts)

    def gradient(self, x: FloatArray) -> FloatArray:
        """Gradient (n,) at positions `x` (n,) [rad, m]."""
        hierarchy = self._hierarchy
        limits = hierarchy.skeleton.tree.lower_limits, hierarchy.skeleton.tree.upper_limits
        whole, inner = (
            checked_array(f"{part.name}.gradient", part.gradient_within(x, *limits), (len(x),))
            for part in (hierarchy.objective, hierarchy.null_space_objective)
        )
        if not np.any(inner):
            return whole
        with hierarchy.at(x):
            J = _stacked(
                hierarchy, hierarchy.levels, lambda module: module.weighted_jacobian(len(module.error))
            )
        return whole + within_null_space(inner, J, x <= limits[0], x >= limits[1])


class Wishes(LeastSquaresFunction, closed=True):
    """Half the squares of the weighted errors of modules that are not required, which are lowered."""

    def __init__(self, hierarchy: SolvedHierarchy) -> None:
        """The wishes of a hierarchy."""
        self._hierarchy = hierarchy

    def residuals(self, x: FloatArray) -> FloatArray:
        """Weighted errors (m,) at positions `x` (n,) [-]."""
        hierarchy = self._hierarchy
        with hierarchy.at(x):
            return _errors(hierarchy, _of(hierarchy, is_required=False))

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (m, n) of these at positions `x` (n,) [-]."""
        hierarchy = self._hierarchy
        with hierarchy.at(x):
            return _stacked(hierarchy, _of(hierarchy, is_required=False), weighted_constraint_jacobian)


class HierarchyProblem(FollowingProblem, closed=True):
    """Problem of a hierarchy's solver: the limits, the objectives, and the errors as equality constraints.

    Parts that users have not replaced follow the hierarchy.
    """

    def __init__(self, hierarchy: SolvedHierarchy) -> None:
        """The problem of a hierarchy."""
        super().__init__(hierarchy.positions)
        self.equality_constraints.add(HierarchyErrors(hierarchy))
        self.follow(hierarchy)

    def follow(self, hierarchy: SolvedHierarchy) -> None:
        """Take the skeleton's dofs, their limits and the objectives as they are, as `follow_parts` does."""
        tree = hierarchy.skeleton.tree
        alone = isinstance(hierarchy.null_space_objective, NullFunction)
        objective = hierarchy.objective if alone else HierarchyObjective(hierarchy)
        limits = tree.lower_limits, tree.upper_limits
        self.follow_parts(limits, objective, hierarchy.skeleton.dofs, hierarchy.positions)


def _of(hierarchy: SolvedHierarchy, *, is_required: bool) -> _Levels:
    """The levels with only those modules that are required, or only the others."""
    return tuple(tuple(m for m in level if m.is_required is is_required) for level in hierarchy.levels)


def _errors(hierarchy: SolvedHierarchy, levels: _Levels) -> FloatArray:
    """Weighted errors (m,) of modules, level by level [-]."""
    modules = [module for level in levels for module in level]
    return np.concatenate([np.zeros(0), *(weighted_constraint(module) for module in modules)])


def _stacked(
    hierarchy: SolvedHierarchy, levels: _Levels, jacobian: Callable[[IKQuery], FloatArray]
) -> FloatArray:
    """The modules' own Jacobians below each other, as one by the positions of the skeleton (m, n)."""
    count = hierarchy.skeleton.num_dofs
    rows = [np.zeros((0, count))]
    for module in (module for level in levels for module in level):
        own = jacobian(module)
        rows.append(np.zeros((len(own), count)))
        rows[-1][:, module.dof_indices] = own
    return jacobian_by_positions(hierarchy.skeleton.dofs, np.concatenate(rows))
