"""Base of solvers of least-squares problems: bounds by active sets, equalities by multipliers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.optimize._checked import checked_weights, require_positive
from kido.optimize._evaluator import Evaluator
from kido.optimize._function import NullFunction
from kido.optimize._least_squares_function import LeastSquaresFunction
from kido.optimize._problem import Problem
from kido.optimize._residual_model import ResidualModel
from kido.optimize._result import Status
from kido.optimize._solver import Solver
from kido.typing import FloatArray

__all__ = ["LeastSquaresSolver", "is_free", "steepness", "verdict"]

_WEIGHT_GROWTH = 100.0
_ENOUGH_REDUCTION = 0.25
_MOST_FRUITLESS = 4
"""Rounds of multipliers in a row that hardly reduce the violation, before it is called infeasible."""
_ROUNDING_SLOPE = 1e-7


@dataclass(frozen=True, kw_only=True)
class LeastSquaresSolver(Solver):
    """Base of solvers whose objective is a LeastSquaresFunction, or none.

    Bounds: numbers that stand on a bound, with the gradient pushing outward, stay there during a step; the
    rest moves, and is then projected (Bertsekas 1982). Equality constraints h become residuals √w (h + u);
    the shifts u are adapted until h is met to `constraint_tolerance` (Hestenes 1969, Powell 1969); w grows
    where that is slow. Solved when the projected gradient is below `tolerance`, or no step lowers the sum of
    squares by more than rounding.

    Attributes:
        default_constraint_weight: w of equality constraints without a weight of their own [-].
        equality_weights: w of each equality constraint, in order [-]; they may be fewer.
    """

    default_constraint_weight: float = 1.0
    equality_weights: Sequence[float] = ()

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError naming the setting."""
        super().__post_init__()
        require_positive("default_constraint_weight", self.default_constraint_weight)
        object.__setattr__(
            self, "equality_weights", checked_weights("equality_weights", self.equality_weights)
        )
        for i, weight in enumerate(self.equality_weights):
            require_positive(f"equality_weights[{i}]", weight)

    @property
    def takes_inequalities(self) -> bool:
        """No: sums of squares have none."""
        return False

    def check_problem(self, problem: Problem) -> None:
        """Raises TypeError or ValueError if this solver cannot take the problem."""
        super().check_problem(problem)
        problem.equality_constraints.require_fitting("equality_weights", self.equality_weights)
        if not isinstance(problem.objective, LeastSquaresFunction | NullFunction):
            raise TypeError(
                f"problem: {self.label} needs a LeastSquaresFunction as objective, "
                f"got {type(problem.objective).__name__}"
            )

    def run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        """One attempt from `start` (n,) [-]."""
        default = self.default_constraint_weight
        equalities = evaluator.problem.equality_constraints
        model = ResidualModel(evaluator, equalities.row_weights(self.equality_weights, default, start))
        last = evaluator.iterations + self.max_iterations
        x, broken, fruitless = start, np.inf, 0
        while True:
            x, status, message = self.descend(model, x, last - evaluator.iterations)
            h = evaluator.equality_values(x)
            left = float(np.abs(h).max(initial=0.0))
            if left <= self.constraint_tolerance or status is Status.MAX_ITERATIONS:
                return x, status, message
            fruitless = fruitless + 1 if left > _ENOUGH_REDUCTION * broken else 0
            if fruitless == _MOST_FRUITLESS:
                return x, Status.INFEASIBLE, f"equality constraints remain broken by {left:.3g}"
            model.shifts = model.shifts + h
            if left > _ENOUGH_REDUCTION * broken:
                model.weights = model.weights * _WEIGHT_GROWTH
                model.shifts = model.shifts / _WEIGHT_GROWTH
            broken = left

    @abstractmethod
    def descend(
        self, model: ResidualModel, start: FloatArray, max_iterations: int
    ) -> tuple[FloatArray, Status, str]:
        """Lower the sum of squares of the model from `start` (n,) [-] in at most `max_iterations`."""


def is_free(problem: Problem, x: FloatArray, gradient: FloatArray) -> FloatArray:
    """Whether each number of `x` (n,) [-] is free: not held on a bound by the gradient (n,) [-]."""
    active = ((x <= problem.lower_bounds) & (gradient > 0)) | ((x >= problem.upper_bounds) & (gradient < 0))
    return np.asarray(~active)


def _largest_cosine(r: FloatArray, J: FloatArray, free: FloatArray) -> float:
    """Largest cosine between r (m,) and the free columns of J (m, n) [-]: zero at a minimum."""
    lengths = np.linalg.norm(J, axis=0) * np.linalg.norm(r)
    slopes = np.divide(np.abs(J.T @ r), lengths, out=np.zeros(J.shape[1]), where=lengths > 0)
    return float(slopes[free].max(initial=0.0))


def steepness(r: FloatArray, J: FloatArray, free: FloatArray) -> float:
    """Largest component along the free numbers (n,) of the gradient of ½ r·r (m,), with J (m, n) [-]."""
    return float(np.abs(J.T @ r)[free].max(initial=0.0))


def verdict(r: FloatArray, J: FloatArray, free: FloatArray) -> tuple[Status, str]:
    """Status where no step lowers the sum of squares of r (m,), with J (m, n) [-]."""
    if _largest_cosine(r, J, free) <= _ROUNDING_SLOPE:
        return Status.SOLVED, "the sum of squares falls by no more than rounding"
    return Status.STALLED, "no step lowers the sum of squares"
