"""Search for positions that meet errors, constraints and bounds of a problem, which the other searches do not
know.

From each start a least-squares method takes away what is broken: errors, equality constraints, and inequality
constraints where they do not hold. Where nothing is broken, an objective is lowered by sequential quadratic
programming.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kido.ik._problem._ik_function import OwnErrors
from kido.ik._search._settings import DEFAULT_BUDGET, SearchSettings
from kido.optimize import (
    Evaluator,
    Function,
    LeastSquaresFunction,
    LevenbergMarquardtSolver,
    Problem,
    SciPySolver,
    Status,
    Stop,
    checked_array,
    checked_number,
)
from kido.typing import FloatArray

__all__ = ["ConstrainedEnd", "ConstrainedSearch"]

_LOWERING_TOLERANCE = 1e-14
_MOST_LOWERINGS = 4
_ERRORS = 20
"""Errors that take about as long as the measurement of what an objective has left, beside its gradients."""
_MOST_RESERVED = 0.5
"""Part of the time left that is reserved for measuring what an objective has left, at most."""
_LOWERED = 1e-8
"""Part of an objective by which sequential quadratic programming has to lower it to be started again."""


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedEnd:
    """End of a start.

    Attributes:
        x: positions (n,) within the bounds [rad, m].
        met: whether nothing is broken there.
        broken: half the sum of squares of what is [-].
        start, iterations: which start, and its iterations.
        method: name of what found the positions.
    """

    x: FloatArray
    met: bool
    broken: float
    start: int
    iterations: int
    method: str


class ConstrainedSearch:
    """A search with many starts in a limited time.

    Attributes: `starts`, how many were made; `timed_out`, whether the time ended what would have gone on.
    """

    __slots__ = (
        "_broken",
        "_deadline",
        "_functions",
        "_is_met",
        "_most_iterations",
        "_most_starts",
        "_problem",
        "_reserve",
        "starts",
        "timed_out",
    )

    def __init__(
        self,
        problem: Problem,
        functions: Sequence[Function],
        is_met: Callable[[FloatArray], bool],
        settings: SearchSettings,
    ) -> None:
        """A search that begins now.

        Args:
            problem: with errors of a module or hierarchy.
            functions: objectives.
            is_met: whether nothing is broken at positions (n,).
            settings: of the search; a time budget of None is 2 s.
        """
        self._problem, self._functions, self._is_met = problem, functions, is_met
        budget = DEFAULT_BUDGET if settings.time_budget is None else settings.time_budget
        self._deadline = time.monotonic() + budget
        self._most_starts, self._most_iterations = settings.max_starts, settings.max_iterations
        self._broken, self._reserve = _Broken(problem), 0.0
        self.starts = 0
        self.timed_out = False

    @property
    def time_left(self) -> float:
        """Time until the search ends [s]; may be infinite."""
        return self._deadline - time.monotonic() - self._reserve

    def broken(self, x: FloatArray) -> float:
        """Half the sum of squares of what is broken at positions `x` (n,) [-]; infinite where that is no
        number."""
        broken = self._broken.value(x)
        return broken if math.isfinite(broken) else math.inf

    def run(self, starts: Iterable[FloatArray]) -> tuple[ConstrainedEnd, ConstrainedEnd]:
        """The first end at which nothing is broken, else the one where least is; and that of the first of
        the starts (n,)."""
        ends: list[ConstrainedEnd] = []
        for index, start in enumerate(starts):
            ends.append(self._end(index, start))
            self.starts = index + 1
            if ends[-1].met:
                return self._lowered(ends[-1]), ends[0]
            if self.starts >= self._most_starts or self._is_over():
                break
        return min(ends, key=lambda end: end.broken), ends[0]

    def approached(self, end: ConstrainedEnd) -> ConstrainedEnd:
        """From where a start ended, positions that keep the constraints of the user's and come as near to
        zero errors as these let them; the same end where that is not found."""
        near = self._problem.clone()
        near.objective = _Broken(self._problem, only_own=True)
        for own in _own_errors(near):
            near.equality_constraints.remove(own)
        if near.is_feasible(end.x) or self._is_over():
            return end
        solver = SciPySolver(max_iterations=self._most_iterations, time_budget=self._seconds())
        found = solver.solve(near, start=end.x)
        self.timed_out = self.timed_out or found.status is Status.TIME_OUT
        if found.violation > solver.constraint_tolerance:
            return end
        return replace(end, x=found.x, broken=self.broken(found.x), method="SciPySolver")

    def _end(self, index: int, start: FloatArray) -> ConstrainedEnd:
        feasible = Problem(
            len(start),
            self._broken,
            lower_bounds=self._problem.lower_bounds,
            upper_bounds=self._problem.upper_bounds,
        )
        evaluator = Evaluator(feasible, np.random.default_rng(0), self._seconds())
        start = feasible.clamp(start)
        evaluator.move_to(start)
        solver = LevenbergMarquardtSolver(max_iterations=self._most_iterations)
        try:
            x = solver.run(evaluator, start)[0]
        except Stop:
            x = evaluator.x
        x = feasible.clamp(x)
        met = self._is_met(x)
        if not met:
            self._is_over()
        return ConstrainedEnd(x, met, self.broken(x), index, evaluator.iterations, solver.type_name)

    def _lowered(self, end: ConstrainedEnd) -> ConstrainedEnd:
        """Positions near an end at which nothing is broken, where the objectives are lower."""
        if not self._functions:
            return end
        lowered = self._problem.clone()
        lowered.objective = total = self._total(end.x)
        value = total.value(end.x)
        for _ in range(_MOST_LOWERINGS):
            if not math.isfinite(value) or self._is_over():
                break
            solver = SciPySolver(
                tolerance=_LOWERING_TOLERANCE,
                max_iterations=self._most_iterations,
                time_budget=self._seconds(),
            )
            found = solver.solve(lowered, start=end.x)
            self.timed_out = self.timed_out or found.status is Status.TIME_OUT
            x, met = found.x, self._is_met(found.x)
            if not met and not self._is_over():
                again = self._end(end.start, x)
                x, met = again.x, again.met
            after = total.value(x) if met else math.inf
            if not (met and after <= value):
                break
            least, value = value - _LOWERED * max(1.0, abs(value)), after
            iterations = end.iterations + found.iterations
            end = replace(end, x=x, iterations=iterations, method=solver.type_name)
            if after > least:
                break
        return end

    def _total(self, x: FloatArray) -> _Sum:
        """The sum of the objectives near positions (n,).

        What is left of them at the end has to be measured in the same time: that takes two of their
        gradients, and some errors.
        """
        begin = time.monotonic()
        total = _Sum(self._functions, x, self._problem)
        gradient = time.monotonic() - begin
        self._is_met(x)
        errors = time.monotonic() - begin - gradient
        left = self._deadline - time.monotonic()
        self._reserve = min(2.0 * gradient + _ERRORS * errors, _MOST_RESERVED * left)
        return total

    def _is_over(self) -> bool:
        over = self.time_left <= 0.0
        self.timed_out = self.timed_out or over
        return over

    def _seconds(self) -> float | None:
        """Time for a solver [s]; None: any."""
        return None if math.isinf(self._deadline) else max(self.time_left, 1e-6)


class _Broken(LeastSquaresFunction):
    """Violations of errors, equality and inequality constraints of a problem; errors in units in which
    they change by about 1 with a position."""

    def __init__(self, problem: Problem, *, only_own: bool = False) -> None:
        self._own = _own_errors(problem)
        x = problem.clamp(problem.initial_guess)
        slopes = (np.abs(own.component_jacobian(x)).max(initial=0.0) for own in self._own)
        self._scales = [1.0 / slope if slope > 0.0 else 1.0 for slope in slopes]
        self._others = problem.clone()
        for own in self._own:
            self._others.equality_constraints.remove(own)
        if only_own:
            self._others.equality_constraints.clear()
            self._others.inequality_constraints.clear()

    def residuals(self, x: FloatArray) -> FloatArray:
        others = self._others
        above = np.maximum(others.inequality_values(x), 0.0)
        return np.concatenate(
            [
                *(s * own.component_values(x) for s, own in zip(self._scales, self._own, strict=True)),
                others.equality_values(x),
                above,
            ]
        )

    def jacobian(self, x: FloatArray) -> FloatArray:
        others = self._others
        counts = others.inequality_values(x) > 0.0
        return np.concatenate(
            [
                *(s * own.component_jacobian(x) for s, own in zip(self._scales, self._own, strict=True)),
                others.equality_jacobian(x),
                np.where(counts[:, None], others.inequality_jacobian(x), 0.0),
            ]
        )


class _Sum(Function):
    """Sum of functions, in units in which its gradient at some positions is about 1."""

    def __init__(self, functions: Sequence[Function], x: FloatArray, problem: Problem) -> None:
        self._functions, self._scale = functions, 1.0
        self._bounds = problem.lower_bounds, problem.upper_bounds
        largest = float(np.abs(self.gradient(x)).max(initial=0.0))
        if 0.0 < largest < math.inf:
            self._scale = 1.0 / largest

    def value(self, x: FloatArray) -> float:
        return self._scale * sum(checked_number(f"{f.name}.value", f.value(x)) for f in self._functions)

    def gradient(self, x: FloatArray) -> FloatArray:
        parts = (f.gradient_within(x, *self._bounds) for f in self._functions)
        named = zip(self._functions, parts, strict=True)
        total = sum(
            (checked_array(f"{f.name}.gradient", part, x.shape) for f, part in named), np.zeros(len(x))
        )
        return np.asarray(self._scale * total)


def _own_errors(problem: Problem) -> list[OwnErrors]:
    return [constraint for constraint in problem.equality_constraints if isinstance(constraint, OwnErrors)]
