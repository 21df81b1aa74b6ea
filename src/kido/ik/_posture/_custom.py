"""Constraints and costs that users write as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kido import _core
from kido.ik._posture._layout import Layout
from kido.ik._posture._native_term import NativeTerm
from kido.ik._posture._pose_constraints import checked_bounds
from kido.ik._posture._term import PostureConstraint, PostureCostTerm
from kido.typing import FloatArray
from kido.values import Array, array, checked, checked_function, checked_text, value

__all__ = ["FunctionConstraint", "FunctionCost"]

_STEP = 6e-6
"""Of differences of second order [rad, m]: the third root of rounding."""


def _checked_derivative(name: str, given: Any) -> Any:
    return checked_function(name, given, or_none=True)


def _asked(
    name: str,
    function: Callable[..., Any],
    derivative: Callable[..., Any] | None,
    layout: Layout,
    q: FloatArray,
    rows: int,
) -> tuple[FloatArray, FloatArray]:
    """Values (rows,) and their derivatives (rows, dofs) by velocities."""

    def call(at: FloatArray) -> FloatArray:
        given = np.asarray(function(at.copy()), dtype=float).reshape(-1)
        if given.shape != (rows,):
            raise ValueError(f"{name}: expected {rows} numbers, got {given.size}")
        return given

    values = call(q)
    if derivative is not None:
        by_positions = np.asarray(derivative(q.copy()), dtype=float)
        if by_positions.size != rows * len(q):
            raise ValueError(
                f"{name}: expected a derivative of shape ({rows}, {len(q)}), got {by_positions.shape}"
            )
        return values, by_positions.reshape(rows, len(q)) @ position_rates(layout, q)
    slopes = np.zeros((rows, len(q)))
    for i in range(len(q)):
        step = _STEP * max(1.0, abs(q[i]))
        up, down = q.copy(), q.copy()
        up[i] += step
        down[i] -= step
        slopes[:, i] = (call(up) - call(down)) / (up[i] - down[i])
    return values, slopes @ position_rates(layout, q)


def position_rates(layout: Layout, q: FloatArray) -> FloatArray:
    """Rates (dofs, dofs) of positions by velocities, of all skeletons."""
    N = np.zeros((len(q), len(q)))
    for first, tree in zip(layout.first, layout.trees, strict=True):
        part = slice(first, first + tree.num_dofs)
        if tree.num_dofs:
            N[part, part] = _core.position_rates(tree, np.array(q[part]))
    return N


@value
class FunctionConstraint(PostureConstraint):
    """A function of positions, of the user's own, is between bounds.

    Value: f(q) (m,).

    Attributes:
        function: of positions (num_dofs,) of all skeletons [rad, m]; gives m numbers.
        lower, upper: bounds (m,); may be infinite.
        derivative: gives (m, num_dofs), by positions; None: differences of second order.
        name: in messages.
    """

    function: Callable[[FloatArray], Any] = checked(checked_function)
    lower: Array = array(-1, finite=False)
    upper: Array = array(-1, finite=False)
    derivative: Callable[[FloatArray], Any] | None = checked(_checked_derivative, default=None, kw_only=True)
    name: str = checked(checked_text, default="function", kw_only=True)

    asks_python = True

    def _check(self) -> None:
        if not len(self.lower) == len(self.upper) or not len(self.lower):
            raise ValueError(
                f"upper: expected shape {self.lower.shape}, at least one, got {self.upper.shape}"
            )
        checked_bounds(self.lower, self.upper)

    @property
    def text(self) -> str:
        """Its name."""
        return self.name

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """Rows that Python is asked for."""
        rows = len(self.lower)
        return [NativeTerm(kind="custom", rows=rows, lower=self.lower, upper=self.upper, custom=0, unit="-")]

    def ask(self, layout: Layout, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values (m,) and derivatives (m, num_dofs) by velocities at positions of all dofs [rad, m]."""
        return _asked(self.name, self.function, self.derivative, layout, q, len(self.lower))


@value
class FunctionCost(PostureCostTerm):
    """A cost of the user's own.

    Attributes:
        function: of positions (num_dofs,) of all skeletons [rad, m]; gives a number.
        derivative: gives (num_dofs,), by positions; None: differences of second order.
        name: in messages.
    """

    function: Callable[[FloatArray], Any] = checked(checked_function)
    derivative: Callable[[FloatArray], Any] | None = checked(_checked_derivative, default=None, kw_only=True)
    name: str = checked(checked_text, default="function", kw_only=True)

    asks_python = True

    @property
    def text(self) -> str:
        """Its name."""
        return self.name

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """A value that Python is asked for."""
        return [NativeTerm(kind="custom", rows=1, custom=0)]

    def ask(self, layout: Layout, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Value (1,) and gradient (1, num_dofs) by velocities at positions of all dofs [rad, m]."""
        return _asked(self.name, self.function, self.derivative, layout, q, 1)
