"""Objective, bounds and constraints over n numbers, and what they are at a point."""

from __future__ import annotations

import numpy as np

from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._checked import checked_array, checked_number, real_array, require_count
from kido.optimize._constraints import Constraints
from kido.optimize._function import Function, NullFunction
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["NonlinearProgram"]

_NO_BOUND = 1e20
"""Magnitude from which on a bound is none [-], as for SNOPT and Ipopt: it would swamp other distances."""


class NonlinearProgram(DeclaredAttributes):
    """f(x) over x (n,), where h(x) = 0, g(x) <= 0 and lower <= x <= upper, with all derivatives."""

    def __init__(self, dimension: int) -> None:
        """n = `dimension` numbers, 0 or above, without bounds and constraints, and an objective of zero.

        Raises TypeError or ValueError for another dimension.
        """
        require_count("dimension", dimension, 0)
        self._dimension = int(dimension)
        self._equalities = Constraints("equality constraint")
        self._inequalities = Constraints("inequality constraint")
        self._objective: Function = NullFunction()
        self._start_over()

    def _start_over(self) -> None:
        n = self._dimension
        self._lower, self._upper = (
            frozen_array("", np.full(n, b), (n,), finite=False) for b in (-np.inf, np.inf)
        )

    @property
    def dimension(self) -> int:
        """Number n of variables. Set: whatever has numbers for each starts over."""
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

    def _point(self, x: ArrayLike) -> FloatArray:
        """A read-only copy of `x` of the right size: functions can neither change it nor see it change."""
        point = np.array(real_array("x", x))
        if point.shape != (self._dimension,):
            raise ValueError(f"x: expected shape ({self._dimension},), got {point.shape}")
        point.flags.writeable = False
        return point
