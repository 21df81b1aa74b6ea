"""Optimization problem with bounds and constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.errors import unknown_attribute
from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._checked import checked_array, checked_number, real_array, require_count
from kido.optimize._constraints import Constraints
from kido.optimize._function import Function, NullFunction
from kido.optimize._moved_settings import refuse_setting
from kido.optimize._violations import broken_parts
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

if TYPE_CHECKING:
    from kido.optimize._result import Result

__all__ = ["Problem"]

_NO_BOUND = 1e20
"""Magnitude from which on a bound is none [-], as for SNOPT and Ipopt: it would swamp other distances."""


class Problem(DeclaredAttributes, closed=True):
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
        require_count("dimension", dimension, 0)
        self._dimension = int(dimension)
        self._equalities = Constraints("equality constraint")
        self._inequalities = Constraints("inequality constraint")
        self._start_over()
        self.objective = NullFunction() if objective is None else objective
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
        n = self._dimension
        self._lower, self._upper = (
            frozen_array("", np.full(n, b), (n,), finite=False) for b in (-np.inf, np.inf)
        )
        self._guess = frozen_array("", np.zeros(n), (n,))
        self._seeds: tuple[FloatArray, ...] = ()
        self._result: Result | None = None

    @property
    def dimension(self) -> int:
        """Number n of variables. Set: bounds, initial guess, seeds and result start over."""
        return self._dimension

    @dimension.setter
    def dimension(self, dimension: int) -> None:
        require_count("dimension", dimension, 0)
        self._dimension = int(dimension)
        self._start_over()

    @property
    def objective(self) -> Function:
        """The function to minimise. Set: None is zero everywhere."""
        return self._objective

    @objective.setter
    def objective(self, objective: Function | None) -> None:
        if objective is not None and not isinstance(objective, Function):
            raise TypeError(
                f"objective: expected a Function, got {type(objective).__name__}; "
                "a callable goes into a ModularFunction"
            )
        self._objective = NullFunction() if objective is None else objective

    @property
    def equality_constraints(self) -> Constraints:
        """Functions h that shall be zero: `add`, `remove`, `clear`."""
        return self._equalities

    @property
    def inequality_constraints(self) -> Constraints:
        """Functions g that shall be zero or below: `add`, `remove`, `clear`."""
        return self._inequalities

    @property
    def lower_bounds(self) -> FloatArray:
        """Smallest x (n,) [-], -inf where there is none. Read-only; can be set."""
        return self._lower

    @lower_bounds.setter
    def lower_bounds(self, bounds: ArrayLike) -> None:
        self.set_bounds(bounds, self._upper)

    @property
    def upper_bounds(self) -> FloatArray:
        """Largest x (n,) [-], inf where there is none. Read-only; can be set."""
        return self._upper

    @upper_bounds.setter
    def upper_bounds(self, bounds: ArrayLike) -> None:
        self.set_bounds(self._lower, bounds)

    def set_bounds(self, lower: ArrayLike, upper: ArrayLike) -> None:
        """Set both bounds (n,) [-] at once; beyond 1e20 there is none.

        Raises TypeError or ValueError naming bound and entry.
        """
        shape = (self._dimension,)
        low = frozen_array("lower_bounds", lower, shape, finite=False)
        high = frozen_array("upper_bounds", upper, shape, finite=False)
        for i, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            if a > b or a == np.inf or b == -np.inf:
                raise ValueError(f"lower_bounds[{i}]: expected at most upper_bounds[{i}] = {b}, got {a}")
        self._lower = read_only(np.where(low <= -_NO_BOUND, -np.inf, low))
        self._upper = read_only(np.where(high >= _NO_BOUND, np.inf, high))

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

    def value(self, x: ArrayLike) -> float:
        """Objective at `x` (n,) [-]. Raises TypeError or ValueError naming the function at fault."""
        return checked_number(
            f"objective: {self._objective.name}.value", self._objective.value(self._point(x))
        )

    def gradient(self, x: ArrayLike) -> FloatArray:
        """Gradient (n,) of the objective at `x` (n,) [-]; differences stay inside the bounds.

        Raises TypeError or ValueError naming the function at fault.
        """
        g = self._objective.gradient_within(self._point(x), self._lower, self._upper)
        return checked_array(f"objective: {self._objective.name}.gradient", g, (self._dimension,))

    def hessian(self, x: ArrayLike) -> FloatArray:
        """Second derivatives (n, n) of the objective at `x` (n,) [-]; differences stay inside the bounds.

        Raises TypeError or ValueError naming the function at fault.
        """
        H = self._objective.hessian_within(self._point(x), self._lower, self._upper)
        n = self._dimension
        return checked_array(f"objective: {self._objective.name}.hessian", H, (n, n))

    def equality_values(self, x: ArrayLike) -> FloatArray:
        """h(x) (k,) at `x` (n,) [-]. Raises TypeError or ValueError naming the function at fault."""
        return self._equalities.values(self._point(x))

    def equality_jacobian(self, x: ArrayLike) -> FloatArray:
        """Derivative (k, n) of h at `x` (n,) [-]. Raises TypeError or ValueError naming the function."""
        return self._equalities.jacobian(self._point(x), self._lower, self._upper)

    def inequality_values(self, x: ArrayLike) -> FloatArray:
        """g(x) (k,) at `x` (n,) [-]. Raises TypeError or ValueError naming the function at fault."""
        return self._inequalities.values(self._point(x))

    def inequality_jacobian(self, x: ArrayLike) -> FloatArray:
        """Derivative (k, n) of g at `x` (n,) [-]. Raises TypeError or ValueError naming the function."""
        return self._inequalities.jacobian(self._point(x), self._lower, self._upper)

    def clamp(self, x: ArrayLike) -> FloatArray:
        """The point (n,) inside the bounds that is nearest to `x` (n,) [-]."""
        return np.minimum(np.maximum(self._point(x), self._lower), self._upper)

    def violation(self, x: ArrayLike) -> float:
        """Largest violation of a bound, |h| or g at `x` (n,) [-]: 0 if all hold, inf where a constraint has
        no value."""
        return max((amount for amount, _ in broken_parts(self, self._point(x))), default=0.0)

    def violations(self, x: ArrayLike, tolerance: float = 1e-6) -> tuple[str, ...]:
        """A line for each bound and constraint that `x` (n,) [-] breaks by more than `tolerance` [-]."""
        return tuple(
            f"{what}, broken by {a:.3g}" for a, what in broken_parts(self, self._point(x)) if a > tolerance
        )

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

    def _point(self, x: ArrayLike) -> FloatArray:
        """A read-only copy of `x` of the right size: functions can neither change it nor see it change."""
        point = np.array(real_array("x", x))
        if point.shape != (self._dimension,):
            raise ValueError(f"x: expected shape ({self._dimension},), got {point.shape}")
        point.flags.writeable = False
        return point
