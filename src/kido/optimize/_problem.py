"""Optimization problem with bounds and constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kido.errors import unknown_attribute
from kido.optimize._function import Function
from kido.optimize._moved_settings import refuse_setting
from kido.optimize._nonlinear_program import NonlinearProgram
from kido.optimize._result import Result
from kido.optimize._violations import broken_parts, largest_violation, violation_lines
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["Problem"]


class Problem(NonlinearProgram, closed=True):
    """Minimise f(x) over x (n,), where h(x) = 0, g(x) <= 0 and lower <= x <= upper.

    Constraints are added to `equality_constraints` (h) and `inequality_constraints` (g). Numbers have the
    units that the functions give them. How the problem is solved, with which tolerance and how many
    iterations, is said to solvers: an attribute of the name of such a setting is refused.
    """

    def __init__(
        self,
        dimension: int,
        objective: Function | None = None,
        *,
        lower_bounds: ArrayLike | None = None,
        upper_bounds: ArrayLike | None = None,
        initial_guess: ArrayLike | None = None,
    ) -> None:
        """A problem with n = `dimension` numbers and no constraints.

        Args:
            dimension: 0 or above.
            objective: f; None is zero everywhere.
            lower_bounds: (n,) [-], -inf where there is none; None is no bounds.
            upper_bounds: (n,) [-], inf where there is none; None is no bounds.
            initial_guess: (n,) [-] where solvers start; None is zeros.

        Raises:
            TypeError, ValueError: naming the argument, and the entry.
        """
        super().__init__(dimension)
        self.objective = objective
        self.set_bounds(
            self.lower_bounds if lower_bounds is None else lower_bounds,
            self.upper_bounds if upper_bounds is None else upper_bounds,
        )
        if initial_guess is not None:
            self.initial_guess = initial_guess

    def __setattr__(self, name: str, value: object) -> None:
        if self._declared is not None:
            refuse_setting(type(self), name)
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        refuse_setting(type(self), name)
        raise unknown_attribute(type(self), name)

    def _start_over(self) -> None:
        super()._start_over()
        self._guess = frozen_array("", np.zeros(self._dimension), (self._dimension,))
        self._seeds: tuple[FloatArray, ...] = ()
        self._result: Result | None = None

    @property
    def initial_guess(self) -> FloatArray:
        """Start (n,) of solvers [-]; they move it inside the bounds. Read-only; can be set."""
        return self._guess

    @initial_guess.setter
    def initial_guess(self, x: ArrayLike) -> None:
        self._guess = frozen_array("initial_guess", x, (self._dimension,))

    @property
    def seeds(self) -> tuple[FloatArray, ...]:
        """Starts of further attempts, each (n,) [-], before random ones. Can be set.

        How many attempts there are is said to the solver, by `max_attempts`; its result tells which of these
        starts were not come to.
        """
        return self._seeds

    @seeds.setter
    def seeds(self, seeds: Iterable[ArrayLike]) -> None:
        shape = (self._dimension,)
        self._seeds = tuple(frozen_array(f"seeds[{i}]", seed, shape) for i, seed in enumerate(seeds))

    def add_seed(self, x: ArrayLike) -> None:
        """Add a seed (n,) [-]. Raises TypeError or ValueError for another shape or non-finite numbers."""
        self._seeds = (*self._seeds, frozen_array("seed", x, (self._dimension,)))

    def clear_seeds(self) -> None:
        """Remove all seeds."""
        self._seeds = ()

    def violation(self, x: ArrayLike) -> float:
        """Largest violation of a bound, |h| or g at `x` (n,) [-]: 0 if all hold, inf where a constraint has
        no value."""
        return largest_violation(broken_parts(self, self._point(x)))

    def violations(self, x: ArrayLike, tolerance: float = 1e-6) -> tuple[str, ...]:
        """A line for each bound and constraint that `x` (n,) [-] breaks by more than `tolerance` [-]."""
        return violation_lines(broken_parts(self, self._point(x)), tolerance)

    def is_feasible(self, x: ArrayLike, tolerance: float = 1e-6) -> bool:
        """Whether `x` (n,) [-] breaks nothing by more than `tolerance` [-]."""
        return self.violation(x) <= tolerance

    @property
    def result(self) -> Result | None:
        """Result of the last solver; None before the first."""
        return self._result

    @property
    def optimum_solution(self) -> FloatArray | None:
        """x (n,) of the last result if that solved the problem, else None."""
        return self._result.x if self._result is not None and self._result.success else None

    @property
    def optimum_value(self) -> float | None:
        """Objective of the last result if that solved the problem, else None."""
        return self._result.value if self._result is not None and self._result.success else None

    def record(self, result: Result) -> None:
        """Keep a solver's result; solvers do this."""
        self._result = result

    def clone(self) -> Problem:
        """A problem with the same numbers and functions, that changes on its own."""
        copy = Problem(
            self._dimension,
            self._objective,
            lower_bounds=self._lower,
            upper_bounds=self._upper,
            initial_guess=self._guess,
        )
        copy._seeds, copy._result = self._seeds, self._result
        copy._equalities, copy._inequalities = self._equalities.copy(), self._inequalities.copy()
        return copy

    def __repr__(self) -> str:
        return (
            f"<Problem of {self._dimension} numbers: {self._objective.name}, "
            f"{self._equalities!r}, {self._inequalities!r}>"
        )
