"""Levenberg-Marquardt with bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido.optimize._checked import require_positive
from kido.optimize._least_squares_solver import LeastSquaresSolver, is_free, steepness, verdict
from kido.optimize._residual_model import ResidualModel
from kido.optimize._result import Status
from kido.typing import FloatArray

__all__ = ["LevenbergMarquardtSolver"]

_LARGEST_DAMPING = 1e18
_SMALLEST_SCALE = 1e-6
"""Of a number that moves no residual, relative to that which moves them most."""


@dataclass(frozen=True, kw_only=True)
class LevenbergMarquardtSolver(LeastSquaresSolver):
    """Gauss-Newton steps, damped where they promise too much: (JᵀJ + λ diag(JᵀJ)) d = -Jᵀr.

    Marquardt (1963); λ follows the ratio of actual to promised decrease by the rule of Nielsen (1999).

    Attributes:
        initial_damping: the first λ [-].
    """

    initial_damping: float = 1e-3

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError naming the setting."""
        super().__post_init__()
        require_positive("initial_damping", self.initial_damping)

    def descend(
        self, model: ResidualModel, start: FloatArray, max_iterations: int
    ) -> tuple[FloatArray, Status, str]:
        """Lower the sum of squares of the model from `start` (n,) [-]."""
        problem, evaluator = model.evaluator.problem, model.evaluator
        x, damping, growth = start, self.initial_damping, 2.0
        r, J = model.first_residuals(x), model.jacobian(x)
        for _ in range(max_iterations):
            free = is_free(problem, x, J.T @ r)
            if steepness(r, J, free) <= self.tolerance:
                return x, Status.SOLVED, f"gradient below {self.tolerance:g}"
            trial = problem.clamp(x + _step(r, J, free, damping))
            promised, tried = _decrease(r, r + J @ (trial - x)), model.residuals(trial)
            gain = _decrease(r, tried)
            if promised > 0 and gain > 0:
                damping *= max(1 / 3, 1 - (2 * gain / promised - 1) ** 3)
                x, r, growth = trial, tried, 2.0
                J = model.jacobian(x)
            elif damping > _LARGEST_DAMPING or np.array_equal(trial, x):
                return x, *verdict(r, J, free)
            else:
                damping, growth = damping * growth, growth * 2.0
            evaluator.accept(x)
        return x, Status.MAX_ITERATIONS, f"not at rest after {self.max_iterations} iterations"


def _decrease(before: FloatArray, after: FloatArray) -> float:
    """Decrease of half the sum of squares; of close sums to more digits than their difference has."""
    return 0.5 * float((before - after) @ (before + after))


def _step(r: FloatArray, J: FloatArray, free: FloatArray, damping: float) -> FloatArray:
    """The damped step (n,), along the free numbers only."""
    A = J[:, free]
    lengths = np.linalg.norm(A, axis=0)
    least = _SMALLEST_SCALE * max(float(lengths.max(initial=0.0)), np.finfo(float).tiny)
    damped = np.concatenate([A, np.sqrt(damping) * np.diag(np.maximum(lengths, least))])
    step = np.zeros(len(free))
    step[free] = np.linalg.lstsq(damped, np.concatenate([-r, np.zeros(A.shape[1])]), rcond=None)[0]
    return step
