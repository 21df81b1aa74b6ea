"""A problem as one vector of residuals: objective and weighted equality constraints."""

from __future__ import annotations

from typing import cast

import numpy as np

from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._checked import checked_array
from kido.optimize._evaluator import Evaluator, Stop
from kido.optimize._function import NullFunction
from kido.optimize._least_squares_function import LeastSquaresFunction
from kido.optimize._result import Status
from kido.typing import FloatArray

__all__ = ["ResidualModel"]


class ResidualModel(DeclaredAttributes, closed=True):
    """Residuals r of the objective, and below them √w (h + u) of the equality constraints.

    The shifts u are the multipliers of the constraints, divided by the weights w.
    """

    __slots__ = ("_objective", "evaluator", "shifts", "weights")

    def __init__(self, evaluator: Evaluator, weights: FloatArray) -> None:
        """Of the evaluator's problem; `weights` (k,) [-] are those of its rows of equality constraints."""
        self.evaluator = evaluator
        self.weights = weights
        self.shifts: FloatArray = np.zeros(len(weights))
        objective = evaluator.problem.objective
        self._objective = (
            None if isinstance(objective, NullFunction) else cast(LeastSquaresFunction, objective)
        )

    def residuals(self, x: FloatArray) -> FloatArray:
        """All residuals (m,) at `x` (n,) [-], finite or not."""
        self.evaluator.check_time()
        self.evaluator.evaluations += 1
        h = self.evaluator.problem.equality_values(x)
        rows = np.sqrt(self.weights) * (h + self.shifts)
        if self._objective is None:
            return rows
        r = checked_array(
            f"objective: {self._objective.name}.residuals", self._objective.residuals(_fixed(x)), (-1,)
        )
        return np.concatenate([r, rows])

    def first_residuals(self, x: FloatArray) -> FloatArray:
        """All residuals (m,) at a start `x` (n,) [-]. Raises Stop where they are not finite."""
        return _finite("residuals", self.residuals(x), x)

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (m, n) of all residuals at `x` (n,) [-]."""
        problem = self.evaluator.problem
        rows = np.sqrt(self.weights)[:, None] * self.evaluator.equality_jacobian(x)
        if self._objective is None:
            return rows
        J = self._objective.jacobian_within(_fixed(x), problem.lower_bounds, problem.upper_bounds)
        return _finite("Jacobian of the residuals", np.concatenate([J, rows]), x)


def _fixed(x: FloatArray) -> FloatArray:
    """A read-only copy."""
    copy = np.array(x)
    copy.flags.writeable = False
    return copy


def _finite(what: str, values: FloatArray, x: FloatArray) -> FloatArray:
    if not np.isfinite(values).all():
        raise Stop(Status.FAILED, f"{what}: not finite at x = {x.tolist()}")
    return values
