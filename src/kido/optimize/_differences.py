"""Derivatives by differences of values, at points that stay inside bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kido.typing import FloatArray

__all__ = ["HESSIAN_STEP", "difference_jacobian"]

HESSIAN_STEP = 1e-4
"""Relative step of differences of derivatives, which may be differences themselves."""

_STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Relative step where truncation and rounding of a second-order difference balance."""

_CENTRAL = ((-1.0, -0.5), (1.0, 0.5))
_FORWARD = ((0.0, -1.5), (1.0, 2.0), (2.0, -0.5))
_BACKWARD = ((0.0, 1.5), (-1.0, -2.0), (-2.0, 0.5))
"""Points in steps from x, and their weights over one step."""


def difference_jacobian(
    function: Callable[[FloatArray], FloatArray],
    x: FloatArray,
    lower: FloatArray | None = None,
    upper: FloatArray | None = None,
    relative_step: float = _STEP,
) -> FloatArray:
    """Derivative (k, n) of `function` from (n,) to (k,), by differences of second order.

    They are central, and one-sided where a bound is nearer than one step. The column of a number that its
    bounds fix is zero.
    """
    low = np.full(x.shape, -np.inf) if lower is None else lower
    high = np.full(x.shape, np.inf) if upper is None else upper
    steps = relative_step * np.maximum(1.0, np.abs(x))
    columns = []
    for i, step in enumerate(steps):
        column: FloatArray = np.zeros(())
        for shift, weight in _stencil(x[i], float(step), low[i], high[i]):
            moved = x.copy()
            moved[i] += shift
            moved.flags.writeable = False
            column = column + weight * np.asarray(function(moved), dtype=np.float64)
        columns.append(column)
    if not columns:
        return np.zeros((np.asarray(function(x)).size, 0))
    return _stacked(columns, function, x)


def _stacked(
    columns: list[FloatArray], function: Callable[[FloatArray], FloatArray], x: FloatArray
) -> FloatArray:
    shape = next((column.shape for column in columns if column.ndim), None)
    if shape is None:
        shape = np.asarray(function(x)).shape
    return np.stack([np.broadcast_to(column, shape) for column in columns], axis=-1)


def _stencil(x: float, step: float, lower: float, upper: float) -> Iterator[tuple[float, float]]:
    """Shifts from x, and the weights of the values there."""
    if x - step >= lower and x + step <= upper:
        pattern: tuple[tuple[float, float], ...] = _CENTRAL
    elif x + 2 * step <= upper:
        pattern = _FORWARD
    elif x - 2 * step >= lower:
        pattern = _BACKWARD
    else:
        yield from _between(x, lower, upper)
        return
    for shift, weight in pattern:
        yield shift * step, weight / step


def _between(x: float, lower: float, upper: float) -> Iterator[tuple[float, float]]:
    """The one difference that bounds closer than two steps leave; none where they leave no width."""
    if upper > lower:
        yield lower - x, -1.0 / (upper - lower)
        yield upper - x, 1.0 / (upper - lower)
