"""Base of solvers: starts, attempts, and a result that is checked before it is returned."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from kido.optimize._checked import checked_array, require_count, require_positive
from kido.optimize._evaluator import Evaluator, Stop
from kido.optimize._moved_settings import SETTINGS
from kido.optimize._problem import Problem
from kido.optimize._result import Result, Status
from kido.optimize._stationarity import problem_residual
from kido.optimize._violations import broken_parts, largest_violation, violation_lines
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import register

__all__ = ["Solver"]

_LARGEST_STATIONARITY = 1e-2
"""Of a result that counts as solved [-]: what is left at optima that solvers without derivatives find."""

_Same = TypeVar("_Same", bound="Solver")


@dataclass(frozen=True, kw_only=True)
class Solver(ABC):
    """A method of minimisation, and its settings: an immutable value that solves any number of problems.

    A solver of your own is a frozen dataclass that derives from it and has `run`; `takes_equalities` and
    `takes_inequalities` say what it can do.

    Attributes:
        tolerance: of the method's own criterion [-].
        constraint_tolerance: by how much a solution may break bounds and constraints [-].
        max_iterations: of each attempt.
        max_attempts: the first starts at the initial guess, further ones at the problem's seeds, then at
            random; 0 is as many as the time budget allows.
        time_budget: of the whole solve [s]; None is no limit.
        max_randomization_step: how far from the start a random start may be where bounds are farther [-].
        seed: of the random numbers; the same seed gives the same result.
    """

    tolerance: float = 1e-9
    constraint_tolerance: float = 1e-6
    max_iterations: int = 500
    max_attempts: int = 1
    time_budget: float | None = None
    max_randomization_step: float = 10.0
    seed: int = 0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        register(cls)

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError naming the setting."""
        for name in ("tolerance", "constraint_tolerance", "max_randomization_step"):
            require_positive(name, getattr(self, name))
        require_count("max_iterations", self.max_iterations, 1)
        require_count("max_attempts", self.max_attempts, 0)
        require_count("seed", self.seed, 0)
        if self.time_budget is not None:
            require_positive("time_budget", self.time_budget)
        elif self.max_attempts == 0:
            raise ValueError("max_attempts: expected 1 or above without a time_budget, got 0 (no limit)")

    @property
    def type_name(self) -> str:
        """The name of the method: the class's."""
        return type(self).__name__

    @property
    def takes_equalities(self) -> bool:
        """Whether problems may have equality constraints."""
        return True

    @property
    def takes_inequalities(self) -> bool:
        """Whether problems may have inequality constraints."""
        return True

    @abstractmethod
    def run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        """One attempt from `start` (n,) [-], which is inside the bounds.

        Returns where it ended (n,), the status, and a message; SOLVED where the method's criterion is met.
        May raise Stop.
        """

    def check_problem(self, problem: Problem) -> None:
        """Raises TypeError or ValueError if this solver cannot take the problem."""
        if not isinstance(problem, Problem):
            raise TypeError(f"problem: expected a Problem, got {type(problem).__name__}")
        for kind, constraints, taken in (
            ("equality", problem.equality_constraints, self.takes_equalities),
            ("inequality", problem.inequality_constraints, self.takes_inequalities),
        ):
            if len(constraints) and not taken:
                raise ValueError(
                    f"problem: {self.label} takes no {kind} constraints, got {len(constraints)}; "
                    "SciPySolver(method='SLSQP') does"
                )

    @property
    def label(self) -> str:
        """Name of this solver in errors."""
        return self.type_name

    def solve(self, problem: Problem, *, start: ArrayLike | None = None) -> Result:
        """Minimise, and record the result in the problem.

        Args:
            problem: it is left as it is, but for its `result`.
            start: (n,) [-] instead of the problem's initial guess; moved inside the bounds.

        Returns:
            The first attempt's end that solves the problem, else the best one: that with the least violation,
            then with the least value.

        Raises:
            TypeError, ValueError: a problem that this solver cannot take, a start of another shape, a
                function of the problem that returns what it must not.
        """
        self.check_problem(problem)
        given = problem.initial_guess
        if start is not None:
            given = frozen_array("start", start, (problem.dimension,))
        evaluator = Evaluator(problem, np.random.default_rng(self.seed), self.time_budget)
        with np.errstate(all="ignore"):
            result = self._best_attempt(evaluator, problem.clamp(given))
        problem.record(result)
        return result

    def clone(self: _Same, **changes: Any) -> _Same:
        """The same solver with other settings. Raises TypeError or ValueError naming the setting."""
        known = {field.name for field in fields(self) if field.init}
        for name in changes.keys() - known:
            owners = f"; it is one of {SETTINGS[name]}" if name in SETTINGS else ""
            raise TypeError(f"{name}: {self.type_name} has no such setting{owners}")
        return replace(self, **changes)

    def random_point(self, evaluator: Evaluator, near: FloatArray) -> FloatArray:
        """A point (n,) uniformly inside the bounds; where they are farther apart than
        `max_randomization_step`, within that of `near` (n,) [-]."""
        problem, reach = evaluator.problem, self.max_randomization_step
        wide = ~(problem.upper_bounds - problem.lower_bounds <= reach)
        low = np.where(wide, np.maximum(problem.lower_bounds, near - reach), problem.lower_bounds)
        high = np.where(wide, np.minimum(problem.upper_bounds, near + reach), problem.upper_bounds)
        return problem.clamp(low + (high - low) * evaluator.random.random(problem.dimension))

    def _starts(self, evaluator: Evaluator, first: FloatArray) -> Iterator[FloatArray]:
        yield first
        for seed in evaluator.problem.seeds:
            yield evaluator.problem.clamp(seed)
        while True:
            yield self.random_point(evaluator, first)

    def _best_attempt(self, evaluator: Evaluator, first: FloatArray) -> Result:
        starts = self._starts(evaluator, first)
        best = last = self._attempt(evaluator, next(starts))
        attempts = 1
        while not (last.success or last.status is Status.TIME_OUT or attempts == self.max_attempts):
            last = self._attempt(evaluator, next(starts))
            attempts += 1
            if self._rank(last) < self._rank(best):
                best = last
        if last.status is Status.TIME_OUT and best is not last and not best.success:
            best = replace(best, status=last.status, message=f"{best.message}; then {last.message}")
        left = len(evaluator.problem.seeds) + 1 - attempts
        if left > 0 and not best.success:
            best = replace(best, message=f"{best.message}; {_untried(left, attempts)}")
        return replace(
            best,
            attempts=attempts,
            iterations=evaluator.iterations,
            evaluations=evaluator.evaluations,
        )

    def _attempt(self, evaluator: Evaluator, start: FloatArray) -> Result:
        evaluator.move_to(start)
        try:
            if len(start) == 0:
                x, status, message = start, Status.SOLVED, "there is nothing to choose"
            else:
                x, status, message = self._checked_run(evaluator, start)
            evaluator.move_to(x)
        except Stop as stop:
            status, message = stop.status, stop.message
        result = self._judged(evaluator.problem, evaluator.x, status, message)
        if status is Status.FAILED:
            result = min(result, self._judged(evaluator.problem, start, status, message), key=self._rank)
        return result

    def _checked_run(self, evaluator: Evaluator, start: FloatArray) -> tuple[FloatArray, Status, str]:
        """Checked output of `run`. Raises TypeError or ValueError, naming the solver, for anything else."""
        ended, problem = self.run(evaluator, start), evaluator.problem
        expected = f"{self.type_name}.run: expected x (n,), a Status and a message"
        if not isinstance(ended, tuple) or len(ended) != 3 or not isinstance(ended[1], Status):
            raise TypeError(f"{expected}, got {ended!r}")
        x = checked_array(f"{self.type_name}.run", ended[0], start.shape)
        if not np.isfinite(x).all():
            raise Stop(Status.FAILED, f"{self.type_name}.run: expected finite numbers, got x = {x.tolist()}")
        beyond = np.abs(x - problem.clamp(x))
        worst = int(np.argmax(beyond))
        if beyond[worst] > self.constraint_tolerance:
            low, high = problem.lower_bounds[worst], problem.upper_bounds[worst]
            got = f"x[{worst}] = {x[worst]:.6g} outside [{low:.6g}, {high:.6g}]"
            raise ValueError(f"{self.type_name}.run: expected x within the bounds, got {got}")
        return x, ended[1], str(ended[2])

    def _judged(self, problem: Problem, x: FloatArray, status: Status, message: str) -> Result:
        """The result at `x`: solved only if the problem's own functions say so."""
        inside, left = problem.clamp(x), None
        value, parts = problem.value(inside), broken_parts(problem, inside)
        broken = violation_lines(parts, self.constraint_tolerance)
        if status in (Status.SOLVED, Status.STALLED) and broken:
            status, message = Status.INFEASIBLE, f"{message}; {broken[0]}"
        elif status is Status.SOLVED and not np.isfinite(value):
            status, message = Status.FAILED, f"objective is {value}"
        elif status in (Status.SOLVED, Status.STALLED) and not broken and np.isfinite(value):
            left = problem_residual(problem, inside, self.constraint_tolerance)
            if status is Status.SOLVED and not left <= _LARGEST_STATIONARITY:
                status = Status.STALLED
                message = f"{message}; x is no optimum, {left:.3g} of the gradient is left"
        violation = largest_violation(parts)
        return Result(inside, value, status, message, violation=violation, stationarity=left)

    def _rank(self, result: Result) -> tuple[bool, float, float]:
        """Smaller is better."""
        excess = result.violation if result.violation > self.constraint_tolerance else 0.0
        return not result.success, excess, np.inf if np.isnan(result.value) else result.value


def _untried(seeds: int, attempts: int) -> str:
    """Words for seeds that no attempt came to."""
    return f"{seeds} seed{'s' * (seeds > 1)} not tried in {attempts} attempt{'s' * (attempts > 1)}"
