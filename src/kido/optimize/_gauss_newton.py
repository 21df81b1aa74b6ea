"""Gauss-Newton with bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido.optimize._least_squares_solver import LeastSquaresSolver, is_free, steepness, verdict
from kido.optimize._residual_model import ResidualModel
from kido.optimize._result import Status
from kido.typing import FloatArray

__all__ = ["GaussNewtonSolver"]

_ENOUGH_DECREASE = 1e-4
_MOST_HALVINGS = 50


@dataclass(frozen=True, kw_only=True)
class GaussNewtonSolver(LeastSquaresSolver):
    """Steps to the minimum of the residuals made linear, halved until the sum of squares falls enough.

    The step of least length is taken where J has not full rank; the criterion of enough is Armijo's (1966).
    Fastest where residuals are small at the solution; where J is nearly singular between start and solution,
    Levenberg-Marquardt is safer.
    """

    def descend(
        self, model: ResidualModel, start: FloatArray, max_iterations: int
    ) -> tuple[FloatArray, Status, str]:
        """Lower the sum of squares of the model from `start` (n,) [-]."""
        problem, x = model.evaluator.problem, start
        r = model.first_residuals(x)
        for _ in range(max_iterations):
            J = model.jacobian(x)
            free = is_free(problem, x, J.T @ r)
            if steepness(r, J, free) <= self.tolerance:
                return x, Status.SOLVED, f"gradient below {self.tolerance:g}"
            step = np.zeros(len(x))
            step[free] = np.linalg.lstsq(J[:, free], -r, rcond=None)[0]
            found = self._search(model, x, r, J, step)
            if found is None:
                return x, *verdict(r, J, free)
            x, r = found
            model.evaluator.accept(x)
        return x, Status.MAX_ITERATIONS, f"not at rest after {self.max_iterations} iterations"

    def _search(
        self, model: ResidualModel, x: FloatArray, r: FloatArray, J: FloatArray, step: FloatArray
    ) -> tuple[FloatArray, FloatArray] | None:
        """The first point along the projected step that is low enough, and its residuals; None if none is."""
        for halvings in range(_MOST_HALVINGS):
            trial = model.evaluator.problem.clamp(x + step / 2**halvings)
            slope = float((J.T @ r) @ (trial - x))
            if slope >= 0:
                continue
            tried = model.residuals(trial)
            if 0.5 * float((r - tried) @ (r + tried)) >= -_ENOUGH_DECREASE * slope:
                return trial, tried
        return None
