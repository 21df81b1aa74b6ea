"""Optimization problem of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.ik._coordinates import jacobian_by_positions, within_half_turn
from kido.ik._following_problem import FollowingProblem
from kido.ik._gradient_methods._gradient_method import checked_gradient
from kido.ik._gradient_methods._least_squares import within_null_space
from kido.ik._objectives import OwnErrors
from kido.ik._result import IKResult, IKStatus
from kido.ik._user_output import checked_solution, finite_array
from kido.optimize import (
    Function,
    GradientDescentSolver,
    NullFunction,
    Problem,
    Solver,
    checked_array,
)
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._module._inverse_kinematics import InverseKinematics

__all__ = [
    "ErrorConstraint",
    "MergedObjective",
    "ModuleProblem",
    "default_solver",
    "remaining_lengths",
    "solve_problem",
    "weighted_constraint",
    "weighted_constraint_jacobian",
]

_FEASIBLE = 1e-6
"""Largest violation of a problem at positions that solve it [-]."""


class ErrorConstraint(OwnErrors, closed=True):
    """Weighted error of a module as equality constraint.

    Gradient descent gets its norm, with the step of the gradient method as gradient: so it makes one step of
    the method at a time. Other solvers get the components, with their own derivatives.
    """

    def __init__(self, ik: InverseKinematics) -> None:
        """The error of a module."""
        self._ik = ik

    @property
    def owner(self) -> InverseKinematics:
        """The module."""
        return self._ik

    def values(self, x: FloatArray) -> FloatArray:
        """Length (1,), or components (m,), at positions `x` (k,) [rad, m]."""
        ik = self._ik
        with ik.at(x):
            if self._is_descended:
                return np.array([np.linalg.norm(ik.weighted_error())])
            return weighted_constraint(ik)

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Step of the gradient method (1, k), or derivative (m, k) of the components, at positions `x` (k,)
        [rad, m]."""
        ik = self._ik
        with ik.at(x):
            if self._is_descended:
                return checked_gradient(ik)[None]
            return jacobian_by_positions(ik.dofs, weighted_constraint_jacobian(ik))

    @property
    def _is_descended(self) -> bool:
        return self._ik.solver is None or isinstance(self._ik.solver, GradientDescentSolver)


def weighted_constraint(ik: InverseKinematics) -> FloatArray:
    """Weighted error (m,) that solvers with constraints make zero, at the present positions [-]."""
    values = constraint_values(ik)
    return np.asarray(ik.weights(values) * values)


def weighted_constraint_jacobian(ik: InverseKinematics) -> FloatArray:
    """Derivative (m, k) of `weighted_constraint` by the velocities of the module's dofs."""
    method, shape = ik.error_method, (len(ik.error), len(ik.dofs))
    J = finite_array(f"{method.name}.compute_jacobian", method.compute_constraint_jacobian(ik), shape)
    return np.asarray(ik.weights(J[:, 0])[:, None] * J)


def constraint_values(ik: InverseKinematics) -> FloatArray:
    """Error (m,) that solvers with constraints make zero, without weights [rad, m]."""
    method = ik.error_method
    return finite_array(f"{method.name}.compute_constraint", method.compute_constraint(ik), (-1,))


def remaining_lengths(ik: InverseKinematics) -> tuple[float, float]:
    """Norms of the angles [rad] and lengths [m] of a module's remaining error, without components of weight
    zero."""
    values = constraint_values(ik)
    return ik.error_lengths(np.where(ik.weights(values) == 0.0, 0.0, values))


class MergedObjective(Function, closed=True):
    """Sum of a module's objective and its null space objective, whose gradient is projected into the null
    space of the error."""

    def __init__(self, ik: InverseKinematics) -> None:
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

    def __init__(self, ik: InverseKinematics) -> None:
        """The problem of a module."""
        super().__init__(ik.positions)
        self.equality_constraints.add(ErrorConstraint(ik))
        self.follow(ik)

    def follow(self, ik: InverseKinematics) -> None:
        """Take the module's dofs, their limits and the objectives as they are now, as `follow_parts` does."""
        self.follow_parts(ik.position_limits, _objective_of(ik), ik.dofs)


def _objective_of(ik: InverseKinematics) -> Function:
    """The objective itself where there is no other: some solvers ask what it is."""
    return ik.objective if isinstance(ik.null_space_objective, NullFunction) else MergedObjective(ik)


def default_solver() -> Solver:
    """The solver of a module that has none and cannot be searched."""
    return GradientDescentSolver(step_size=1.0, max_iterations=500, tolerance=1e-9)


def solve_problem(ik: InverseKinematics, problem: Problem, frozen: list[int]) -> IKResult:
    """The answer of a module's solver to a problem, from the present positions.

    Args:
        ik: the module.
        problem: its own, or one that was changed; it is left as it was.
        frozen: places of the dofs that keep their positions.
    """
    solver, skeleton = ik.solver or default_solver(), ik.node.skeleton
    saved, bounds = skeleton.positions, (problem.lower_bounds, problem.upper_bounds)
    lower, upper = bounds[0].copy(), bounds[1].copy()
    lower[frozen] = upper[frozen] = ik.positions[frozen]
    problem.initial_guess = within_half_turn(ik.dofs, ik.positions, lower, upper)
    try:
        problem.set_bounds(lower, upper)
        found = checked_solution(solver, problem, repr(ik.node.name))
        with ik.at(found.x):
            angular, linear = remaining_lengths(ik)
        left = problem.violation(found.x)
    finally:
        problem.set_bounds(*bounds)
        skeleton.positions = saved
    status = IKStatus.SOLVED if left <= _FEASIBLE else IKStatus.NOT_REACHED
    names = tuple(dof.name for dof in ik.dofs)
    name = type(solver).__name__
    reason = "" if found.success or status is IKStatus.SOLVED else found.message
    return IKResult(np.array(found.x), names, status, angular, linear, 0, found.iterations, name, reason)
