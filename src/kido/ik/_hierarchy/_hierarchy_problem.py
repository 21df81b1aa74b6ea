"""The problem of optimisation that a hierarchy of modules is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kido.ik._gradient_methods._damped_least_squares import DampedLeastSquares
from kido.optimize import Function, GradientDescentSolver, MultiFunction, Problem
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._hierarchy._hierarchical import HierarchicalIK

__all__ = ["make_hierarchy_problem"]

_DAMPING = DampedLeastSquares().damping ** 2
_CLAMP = DampedLeastSquares().component_clamp


class HierarchyLength(Function):
    """Length of the weighted errors of all modules, with the hierarchy's step for its gradient: what gradient
    descent makes zero."""

    def __init__(self, hierarchy: HierarchicalIK) -> None:
        """The errors of a hierarchy."""
        self._hierarchy = hierarchy

    def value(self, x: FloatArray) -> float:
        """Length at positions `x` (n,) [rad, m]."""
        with self._hierarchy.at(x):
            return math.sqrt(sum(self._hierarchy.step().squared))

    def gradient(self, x: FloatArray) -> FloatArray:
        """What a step goes against at positions `x` (n,) [rad, m]."""
        hierarchy, tree = self._hierarchy, self._hierarchy.skeleton.tree
        with hierarchy.at(x):
            step = hierarchy.step()
            free, none = np.ones(len(x)), np.zeros(len(x))
            velocities = step.velocities(free, none, [_DAMPING] * len(step.levels))
            return np.clip(x - tree.integrate(np.array(x), velocities, 1.0), -_CLAMP, _CLAMP)


class HierarchyRows(MultiFunction):
    """Weighted errors of all modules with their own derivatives: what solvers with constraints make zero."""

    def __init__(self, hierarchy: HierarchicalIK) -> None:
        """The errors of a hierarchy."""
        self._hierarchy = hierarchy

    def values(self, x: FloatArray) -> FloatArray:
        """Weighted errors (m,) at positions `x` (n,) [rad, m]."""
        with self._hierarchy.at(x):
            return np.concatenate(self._hierarchy.step().errors)

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Their derivative (m, n) by the positions."""
        with self._hierarchy.at(x):
            return self._hierarchy.step().by_positions()


class HierarchyObjective(Function):
    """A hierarchy's objective and its null space objective, the latter's gradient without what would change
    the error of a module."""

    def __init__(self, hierarchy: HierarchicalIK) -> None:
        """The objectives of a hierarchy."""
        self._hierarchy = hierarchy

    def value(self, x: FloatArray) -> float:
        """Sum of both at positions `x` (n,) [rad, m]."""
        return self._hierarchy.objective.value(x) + self._hierarchy.null_space_objective.value(x)

    def gradient(self, x: FloatArray) -> FloatArray:
        """Gradient (n,) at positions `x` (n,) [rad, m]."""
        hierarchy = self._hierarchy
        tree = hierarchy.skeleton.tree
        limits = tree.lower_limits, tree.upper_limits
        whole = hierarchy.objective.gradient_within(x, *limits)
        inner = hierarchy.null_space_objective.gradient_within(x, *limits)
        if not np.any(inner):
            return np.asarray(whole)
        with hierarchy.at(x):
            J = hierarchy.step().by_positions()
        return np.asarray(whole + inner - np.linalg.pinv(J) @ (J @ inner))


def make_hierarchy_problem(hierarchy: HierarchicalIK) -> Problem:
    """The problem of a hierarchy: limits, objectives, and errors that are to be zero."""
    tree = hierarchy.skeleton.tree
    problem = Problem(
        tree.num_dofs,
        HierarchyObjective(hierarchy),
        lower_bounds=tree.lower_limits,
        upper_bounds=tree.upper_limits,
        initial_guess=hierarchy.positions,
    )
    descends = hierarchy.solver is None or isinstance(hierarchy.solver, GradientDescentSolver)
    if descends:
        problem.equality_constraints.add(HierarchyLength(hierarchy))
    else:
        problem.equality_constraints.add(HierarchyRows(hierarchy))
    return problem
