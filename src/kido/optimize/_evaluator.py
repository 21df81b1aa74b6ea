"""Evaluation of a problem during one solve: counted, timed, and finite."""

from __future__ import annotations

import time

import numpy as np

from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._differences import HESSIAN_STEP, difference_jacobian
from kido.optimize._function import Function
from kido.optimize._problem import Problem
from kido.optimize._result import Status
from kido.typing import FloatArray

__all__ = ["Evaluator", "Stop"]


class Stop(Exception):
    """Ends an attempt from inside any callback.

    Attributes: `status`, `message`.
    """

    def __init__(self, status: Status, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(status, message)


class Evaluator(DeclaredAttributes, closed=True):
    """A problem as a solver sees it.

    Every question raises `Stop` where the answer is not finite, or the time is over. A solver calls `accept`
    for each of its iterations; the point of the last one is what remains if it is stopped. `random` is the
    generator of the solve.
    """

    __slots__ = ("_deadline", "evaluations", "iterations", "problem", "random", "x")

    def __init__(self, problem: Problem, random: np.random.Generator, time_budget: float | None) -> None:
        """For one solve of `problem`, which ends `time_budget` [s] from now."""
        self.problem = problem
        self.random = random
        self.iterations = 0
        self.evaluations = 0
        self.x: FloatArray = np.zeros(problem.dimension)
        self._deadline = None if time_budget is None else time.monotonic() + time_budget

    def accept(self, x: FloatArray) -> None:
        """Count an iteration that ended at `x` (n,) [-]."""
        self.iterations += 1
        self.move_to(x)

    def move_to(self, x: FloatArray) -> None:
        """Make `x` (n,) [-] the point that remains if the solver is stopped."""
        if not np.isfinite(x).all():
            raise Stop(Status.FAILED, "diverged: x is no longer finite")
        self.x = np.array(x, dtype=np.float64)

    def check_time(self) -> None:
        """Raises Stop if the time budget is spent."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise Stop(Status.TIME_OUT, "time budget spent")

    def value(self, x: FloatArray) -> float:
        """Objective at `x` (n,) [-]."""
        self.check_time()
        self.evaluations += 1
        value = self.problem.value(x)
        if not np.isfinite(value):
            raise Stop(Status.FAILED, f"objective is {value} at x = {x.tolist()}")
        return value

    def gradient(self, x: FloatArray) -> FloatArray:
        """Gradient (n,) of the objective at `x` (n,) [-]."""
        self.check_time()
        problem = self.problem
        if problem.objective.has_gradient or not _has_differences(problem.objective, "gradient_within"):
            return _finite("gradient of the objective", problem.gradient(x), x)

        def value(at: FloatArray) -> FloatArray:
            self.check_time()
            return np.array([problem.value(at)])

        by_differences = difference_jacobian(value, x, problem.lower_bounds, problem.upper_bounds)
        return _finite("gradient of the objective", by_differences.reshape(len(x)), x)

    def hessian(self, x: FloatArray) -> FloatArray:
        """Second derivatives (n, n) of the objective at `x` (n,) [-]."""
        self.check_time()
        problem = self.problem
        if problem.objective.has_hessian or not _has_differences(problem.objective, "hessian_within"):
            return _finite("Hessian of the objective", problem.hessian(x), x)
        bounds = problem.lower_bounds, problem.upper_bounds
        rough = difference_jacobian(self.gradient, x, *bounds, HESSIAN_STEP)
        return _finite("Hessian of the objective", 0.5 * (rough + rough.T), x)

    def equality_values(self, x: FloatArray) -> FloatArray:
        """h (k,) at `x` (n,) [-]."""
        self.check_time()
        return _finite("equality constraints", self.problem.equality_values(x), x)

    def equality_jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (k, n) of h at `x` (n,) [-]."""
        self.check_time()
        return _finite("Jacobian of the equality constraints", self.problem.equality_jacobian(x), x)

    def inequality_values(self, x: FloatArray) -> FloatArray:
        """g (k,) at `x` (n,) [-]."""
        self.check_time()
        return _finite("inequality constraints", self.problem.inequality_values(x), x)

    def inequality_jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (k, n) of g at `x` (n,) [-]."""
        self.check_time()
        return _finite("Jacobian of the inequality constraints", self.problem.inequality_jacobian(x), x)


def _has_differences(function: Function, method: str) -> bool:
    """Whether a derivative within bounds is that of the base, which takes differences."""
    return getattr(type(function), method) is getattr(Function, method)


def _finite(what: str, values: FloatArray, x: FloatArray) -> FloatArray:
    if not np.isfinite(values).all():
        raise Stop(Status.FAILED, f"{what}: not finite at x = {x.tolist()}")
    return values
