"""Optimization problem of a module."""

from __future__ import annotations

import numpy as np

from kido.ik._coordinates import jacobian_by_positions
from kido.ik._gradient_methods._gradient_method import checked_gradient
from kido.ik._gradient_methods._least_squares import within_null_space
from kido.ik._problem._constraint_values import weighted_constraint, weighted_constraint_jacobian
from kido.ik._problem._following_problem import FollowingProblem
from kido.ik._problem._ik_function import OwnErrors
from kido.ik._problem._problem_owner import SolvedModule
from kido.optimize import (
    Function,
    GradientDescentSolver,
    NullFunction,
    checked_array,
)
from kido.typing import FloatArray
from kido.values import register

__all__ = [
    "ErrorConstraint",
    "MergedObjective",
    "ModuleProblem",
]


@register
class ErrorConstraint(OwnErrors, closed=True):
    """Weighted error of a module as equality constraint.

    Gradient descent gets its norm, with the step of the gradient method as gradient: so it makes one step of
    the method at a time. Other solvers get the components, with their own derivatives.
    """

    def __init__(self, ik: SolvedModule) -> None:
        """The error of a module."""
        self._ik = ik

    @property
    def owner(self) -> SolvedModule:
        """The module."""
        return self._ik

    def values(self, x: FloatArray) -> FloatArray:
        """Length (1,), or components (m,), at positions `x` (k,) [rad, m]."""
        if not self._is_descended:
            return self.component_values(x)
        with self._ik.at(x):
            return np.array([np.linalg.norm(self._ik.weighted_error())])

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Step of the gradient method (1, k), or derivative (m, k) of the components, at positions `x` (k,)
        [rad, m]."""
        if not self._is_descended:
            return self.component_jacobian(x)
        with self._ik.at(x):
            return checked_gradient(self._ik)[None]

    def component_values(self, x: FloatArray) -> FloatArray:
        """Components (m,) at positions `x` (k,) [-]."""
        with self._ik.at(x):
            return weighted_constraint(self._ik)

    def component_jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (m, k) of the components at positions `x` (k,) [-]."""
        ik = self._ik
        with ik.at(x):
            return jacobian_by_positions(ik.dofs, weighted_constraint_jacobian(ik))

    @property
    def _is_descended(self) -> bool:
        return isinstance(self._ik.solver, GradientDescentSolver)


class MergedObjective(Function, closed=True):
    """Sum of a module's objective and its null space objective, whose gradient is projected into the null
    space of the error."""

    def __init__(self, ik: SolvedModule) -> None:
        """The objectives of a module."""
        self._ik = ik

    def value(self, x: FloatArray) -> float:
        """Sum of both at positions `x` (k,) [rad, m]."""
        parts = self._ik.objective, self._ik.null_space_objective
        return sum(float(checked_array(f"{part.name}.value", part.value(x), ())) for part in parts)

    def gradient(self, x: FloatArray) -> FloatArray:
        """Gradient (k,) at positions `x` (k,) [rad, m]."""
        ik = self._ik
        lower, upper = ik.position_limits
        whole, inner = (
            checked_array(f"{part.name}.gradient", part.gradient_within(x, lower, upper), (len(x),))
            for part in (ik.objective, ik.null_space_objective)
        )
        if not np.any(inner):
            return whole
        with ik.at(x):
            J = jacobian_by_positions(ik.dofs, ik.weighted_error_and_jacobian()[1])
        return whole + within_null_space(inner, J, x <= lower, x >= upper)


class ModuleProblem(FollowingProblem, closed=True):
    """Problem of a module's solver: the limits, the objectives, and the error as equality constraint.

    Parts that users have not replaced follow the module.
    """

    def __init__(self, ik: SolvedModule) -> None:
        """The problem of a module."""
        super().__init__(ik.positions)
        self.equality_constraints.add(ErrorConstraint(ik))
        self.follow(ik)

    def follow(self, ik: SolvedModule) -> None:
        """Take the module's dofs, their limits and positions and the objectives as they are now, as
        `follow_parts` does."""
        self.follow_parts(ik.position_limits, _objective_of(ik), ik.dofs, ik.positions)


def _objective_of(ik: SolvedModule) -> Function:
    """The objective itself where there is no other: some solvers ask what it is."""
    return ik.objective if isinstance(ik.null_space_objective, NullFunction) else MergedObjective(ik)
