"""The problem of optimisation that a module is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.ik._gradient_methods._gradient_method import checked_gradient
from kido.ik._gradient_methods._least_squares import shortest_solution
from kido.ik._position_rates import by_positions
from kido.optimize import (
    Function,
    GradientDescentSolver,
    MultiFunction,
    NullFunction,
    Problem,
    Solver,
    checked_array,
)
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["ErrorConstraint", "MergedObjective", "ModuleProblem", "default_solver"]


class ErrorConstraint(MultiFunction):
    """A module's weighted error, which is to be zero.

    Gradient descent gets its length, with the gradient method's step for a gradient: so it makes one step of
    the method at a time. Other solvers get the components, with their own derivatives.
    """

    def __init__(self, ik: InverseKinematics) -> None:
        """The error of a module."""
        self._ik = ik

    def values(self, x: FloatArray) -> FloatArray:
        """Length (1,), or components (m,), at positions `x` (k,) [rad, m]."""
        ik = self._ik
        with ik.at(x):
            if self._is_descended:
                return np.array([np.linalg.norm(ik.weighted_error())])
            error = ik.error
            return np.asarray(ik.weights(error) * error)

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Step of the gradient method (1, k), or derivative (m, k) of the components, at positions `x` (k,)
        [rad, m]."""
        ik = self._ik
        with ik.at(x):
            if self._is_descended:
                return checked_gradient(ik)[None]
            error = ik.error
            J = by_positions(ik.dofs, ik.weighted_jacobian(len(error)))
            return np.where(error[:, None] == 0.0, 0.0, J)

    @property
    def _is_descended(self) -> bool:
        return self._ik.solver is None or isinstance(self._ik.solver, GradientDescentSolver)


class MergedObjective(Function):
    """A module's objective and its null space objective, the latter's gradient without what would change the
    error."""

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
        whole, inner = (self._part(part, x) for part in (ik.objective, ik.null_space_objective))
        if not np.any(inner):
            return whole
        with ik.at(x):
            J = by_positions(ik.dofs, ik.weighted_error_and_jacobian()[1])
        return np.asarray(whole + inner - shortest_solution(J, J @ inner))

    def _part(self, function: Function, x: FloatArray) -> FloatArray:
        gradient = function.gradient_within(x, *self._ik.position_limits)
        return checked_array(f"{function.name}.gradient", gradient, (len(x),))


class ModuleProblem(Problem):
    """What a module's solver solves: within the limits, the objectives, and an error that is to be zero.

    What a user has not replaced follows the module's parts.
    """

    def __init__(self, ik: InverseKinematics) -> None:
        """The problem of a module."""
        super().__init__(len(ik.dofs), initial_guess=ik.positions)
        self._followed_objective = self.objective
        self._followed_limits = self.lower_bounds, self.upper_bounds
        self.equality_constraints.add(ErrorConstraint(ik))
        self.follow(ik)

    def follow(self, ik: InverseKinematics) -> None:
        """Take the module's dofs, their limits and the objectives as they are now.

        Bounds that were set stay where they are narrower than the limits. Another number of dofs starts
        bounds, initial guess and seeds over.
        """
        if self.dimension != len(ik.dofs):
            self.dimension = len(ik.dofs)
            self._followed_limits = self.lower_bounds, self.upper_bounds
        self._follow_limits(*ik.position_limits)
        if self.objective is self._followed_objective:
            self.objective = self._followed_objective = _objective_of(ik)

    def _follow_limits(self, lower: FloatArray, upper: FloatArray) -> None:
        low, high = self._followed_limits
        own_low = np.where(self.lower_bounds == low, lower, self.lower_bounds)
        own_high = np.where(self.upper_bounds == high, upper, self.upper_bounds)
        self.set_bounds(np.clip(own_low, lower, upper), np.clip(own_high, lower, upper))
        self._followed_limits = lower, upper


def _objective_of(ik: InverseKinematics) -> Function:
    """The objective itself where there is no other: some solvers ask what it is."""
    return ik.objective if isinstance(ik.null_space_objective, NullFunction) else MergedObjective(ik)


def default_solver() -> Solver:
    """The solver of a module that has none and cannot be searched."""
    return GradientDescentSolver(step_size=1.0, max_iterations=500, tolerance=1e-9)
