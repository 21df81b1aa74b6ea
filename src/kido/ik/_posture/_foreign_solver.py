"""Posture problems for the solvers of kido.optimize."""

from __future__ import annotations

from typing import Any

import numpy as np

from kido.ik._posture._attempt import Attempt
from kido.ik._posture._custom import position_rates
from kido.ik._posture._program import Program
from kido.ik._posture._shape_distances import (
    MinimumDistanceLowerBoundConstraint,
    MinimumDistanceUpperBoundConstraint,
)
from kido.optimize import Function, ModularFunction, MultiFunction, Problem, Solver, Status
from kido.typing import FloatArray

__all__ = ["problem_of", "solve_by"]

_STATUS = {
    Status.SOLVED: "solved",
    Status.MAX_ITERATIONS: "max_iterations",
    Status.STALLED: "stalled",
    Status.INFEASIBLE: "infeasible",
    Status.TIME_OUT: "time_out",
    Status.FAILED: "failed",
}


class _Chart:
    """Positions of the dofs that move, and forces, as one vector; the last posture that was looked at."""

    def __init__(self, program: Program, seed: FloatArray) -> None:
        self.program, self.seed = program, seed
        self.moving = list(program.layout.moving)
        self._at: FloatArray | None = None
        self._found: Any = None

    def positions(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Positions of all dofs, and forces."""
        q = self.seed.copy()
        q[self.moving] = x[: len(self.moving)]
        return self.program.start(q), np.array(x[len(self.moving) :])

    def look(self, x: FloatArray) -> Any:
        """Values, derivatives by x, bounds, cost, gradient by x."""
        if self._at is None or not np.array_equal(self._at, x):
            q, extra = self.positions(x)
            values, J, low, high, costs, g = self.program.look(q, extra)
            rates = self._rates(q)
            k = len(self.moving)
            by_x, gradient = J.copy(), g.copy()
            by_x[:, :k] = J[:, :k] @ rates
            gradient[:k] = g[:k] @ rates
            self._found = values, by_x, low, high, float(costs.sum()), gradient
            self._at = np.array(x)
        return self._found

    def _rates(self, q: FloatArray) -> FloatArray:
        """Velocities for rates of the positions that move."""
        N = position_rates(self.program.layout, q)[np.ix_(self.moving, self.moving)]
        return np.asarray(np.linalg.inv(N))


class _Rows(MultiFunction, closed=True):
    """Rows of constraints, each times a sign, less a bound."""

    def __init__(self, chart: _Chart, rows: list[int], signs: FloatArray, bounds: FloatArray) -> None:
        self._chart, self._rows, self._signs, self._bounds = chart, rows, signs, bounds

    def values(self, x: FloatArray) -> FloatArray:
        """Values (k,) at x."""
        return np.asarray(self._signs * (self._chart.look(x)[0][self._rows] - self._bounds))

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (k, n) at x."""
        return np.asarray(self._signs[:, None] * self._chart.look(x)[1][self._rows])


class _Penalty(MultiFunction, closed=True):
    """The smooth function of all distances of a constraint, zero or below where it holds."""

    def __init__(self, chart: _Chart, constraint: Any, sign: float) -> None:
        self._chart, self._constraint, self._sign = chart, constraint, sign

    def values(self, x: FloatArray) -> FloatArray:
        """Value (1,) at x."""
        q, _ = self._chart.positions(x)
        found = self._constraint.penalty(self._chart.program.layout.skeletons, q)
        return np.array([self._sign * (found[0] - 1.0)])

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (1, n) at x."""
        chart = self._chart
        q, extra = chart.positions(x)
        slope = chart.program.unknown_slopes(self._constraint.penalty(chart.program.layout.skeletons, q)[1])
        by_x = slope @ chart._rates(q)
        return self._sign * np.concatenate([by_x, np.zeros(len(extra))])[None]


def problem_of(program: Program, seed: FloatArray) -> Problem:
    """The problem whose unknowns are positions of the dofs that move, then forces, from a seed on."""
    chart = _Chart(program, seed)
    k = len(chart.moving)
    lower, upper = program.unknown_limits()
    endless = np.full(program.extras, np.inf)
    start = np.concatenate([seed[chart.moving], program.first_forces])
    problem = Problem(
        k + program.extras,
        _objective(chart) if program.costs else None,
        lower_bounds=np.concatenate([lower, -endless]),
        upper_bounds=np.concatenate([upper, endless]),
        initial_guess=start,
    )
    equal: list[tuple[int, float]] = []
    below: list[tuple[int, float, float]] = []
    for row in program.rows:
        constraint = program.constraints[row.index] if row.index >= 0 else None
        if isinstance(constraint, MinimumDistanceLowerBoundConstraint):
            problem.inequality_constraints.add(_Penalty(chart, constraint, 1.0))
            continue
        if isinstance(constraint, MinimumDistanceUpperBoundConstraint):
            problem.inequality_constraints.add(_Penalty(chart, constraint, -1.0))
            continue
        low, high = program.solver_bounds(row)
        for i, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True), start=row.first):
            if a == b:
                equal.append((i, a))
                continue
            if np.isfinite(a):
                below.append((i, -1.0, a))
            if np.isfinite(b):
                below.append((i, 1.0, b))
    if equal:
        places, values = zip(*equal, strict=True)
        problem.equality_constraints.add(_Rows(chart, list(places), np.ones(len(equal)), np.array(values)))
    if below:
        rows, signs, limits = zip(*below, strict=True)
        problem.inequality_constraints.add(_Rows(chart, list(rows), np.array(signs), np.array(limits)))
    return problem


def _objective(chart: _Chart) -> Function:
    return ModularFunction(lambda x: chart.look(x)[4], lambda x: chart.look(x)[5])


def solve_by(solver: Solver, program: Program, seed: FloatArray) -> Attempt:
    """Result of another solver."""
    if not isinstance(solver, Solver):
        raise TypeError(f"solver: expected a Solver of kido.optimize or None, got {type(solver).__name__}")
    problem = problem_of(program, seed)
    result = solver.solve(problem)
    q, extra = _Chart(program, seed).positions(result.x)
    left = np.inf if result.stationarity is None else result.stationarity
    status = _STATUS[result.status]
    return Attempt(
        positions=q,
        forces=extra,
        values=None,
        multipliers=None,
        limit_multipliers=None,
        cost=result.value,
        violation=result.violation,
        shown=np.nan,
        stationarity=left,
        iterations=result.iterations,
        evaluations=result.evaluations,
        status=status,
        message=result.message,
    )
