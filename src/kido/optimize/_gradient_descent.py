"""Gradient descent with fixed steps, softened constraints and random perturbations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.optimize._checked import (
    checked_weights,
    require_count,
    require_nonnegative,
    require_positive,
)
from kido.optimize._evaluator import Evaluator
from kido.optimize._problem import Problem
from kido.optimize._result import Status
from kido.optimize._solver import Solver
from kido.typing import FloatArray

__all__ = ["GradientDescentSolver"]


@dataclass(frozen=True, kw_only=True)
class GradientDescentSolver(Solver):
    """Steps of fixed length ratio down the gradient of the objective and of the constraints that are broken.

    x becomes x - s (∇f + Σ w sign(h) ∇h + Σ w ∇g), moved inside the bounds, where the sums are over the
    constraints that are broken by more than `tolerance`. It is solved when x moves by less than `tolerance`
    and the constraints held before that. This is the method of DART's GradientDescentSolver, with its
    defaults.

    Because the pull of a constraint does not fade as it is met, x comes to rest only where the objective
    and the
    broken constraints do not pull against each other: constraints whose gradient vanishes where they are met,
    as the square of an error, suit it. A `step_size` above 2 over the largest curvature diverges.

    Attributes:
        step_size: s, the factor of the gradient [-].
        perturbation_step: every so many iterations x is moved towards a random point; 0 is never.
        max_perturbation_factor: by at most this part of the distance [-].
        default_constraint_weight: w of constraints without a weight of their own [-].
        equality_weights: w of each equality constraint, in order [-]; they may be fewer.
        inequality_weights: w of each inequality constraint, in order [-]; they may be fewer.
        max_randomization_step: as for every solver; also of perturbations.
    """

    step_size: float = 0.1
    perturbation_step: int = 0
    max_perturbation_factor: float = 1.0
    max_randomization_step: float = 1e10
    default_constraint_weight: float = 1.0
    equality_weights: Sequence[float] = ()
    inequality_weights: Sequence[float] = ()

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError naming the setting."""
        super().__post_init__()
        require_positive("step_size", self.step_size)
        require_count("perturbation_step", self.perturbation_step, 0)
        require_nonnegative("max_perturbation_factor", self.max_perturbation_factor)
        require_nonnegative("default_constraint_weight", self.default_constraint_weight)
        for name in ("equality_weights", "inequality_weights"):
            object.__setattr__(self, name, checked_weights(name, getattr(self, name)))

    def check_problem(self, problem: Problem) -> None:
        """Raises TypeError or ValueError if this solver cannot take the problem."""
        super().check_problem(problem)
        problem.equality_constraints.require_fitting("equality_weights", self.equality_weights)
        problem.inequality_constraints.require_fitting("inequality_weights", self.inequality_weights)

    def run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        """One attempt from `start` (n,) [-]."""
        problem, x = evaluator.problem, start
        default = self.default_constraint_weight
        weights = (
            problem.equality_constraints.row_weights(self.equality_weights, default, x),
            problem.inequality_constraints.row_weights(self.inequality_weights, default, x),
        )
        for step in range(self.max_iterations):
            if self.perturbation_step and step and step % self.perturbation_step == 0:
                x = self._perturbed(evaluator, x)
            direction, satisfied = self._direction(evaluator, x, *weights)
            moved = problem.clamp(x - self.step_size * direction)
            distance = float(np.linalg.norm(moved - evaluator.x))
            evaluator.accept(moved)
            x = moved
            if satisfied and distance < self.tolerance:
                return x, Status.SOLVED, f"x moves by less than {self.tolerance:g}"
        return x, Status.MAX_ITERATIONS, f"x still moves after {self.max_iterations} iterations"

    def _direction(
        self, evaluator: Evaluator, x: FloatArray, equal_weights: FloatArray, above_weights: FloatArray
    ) -> tuple[FloatArray, bool]:
        """Direction (n,) against which x moves, and whether the constraints hold."""
        direction = evaluator.gradient(x)
        if len(equal_weights) + len(above_weights) == 0:
            return direction, True
        equal, above = evaluator.equality_values(x), evaluator.inequality_values(x)
        pull = np.where(np.abs(equal) > self.tolerance, np.sign(equal), 0.0)
        push = np.where(above > self.tolerance, 1.0, 0.0)
        if pull.any():
            direction = direction + evaluator.equality_jacobian(x).T @ (equal_weights * pull)
        if push.any():
            direction = direction + evaluator.inequality_jacobian(x).T @ (above_weights * push)
        return direction, not (pull.any() or push.any())

    def _perturbed(self, evaluator: Evaluator, x: FloatArray) -> FloatArray:
        """x, moved towards a random point by a random part of the distance."""
        towards = self.random_point(evaluator, x)
        part = self.max_perturbation_factor * evaluator.random.random()
        return x + part * (towards - x)
