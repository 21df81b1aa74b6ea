"""Quadratic objectives, as the weighted distance from a posture."""

from __future__ import annotations

import numpy as np

from kido.optimize._function import Function
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Checked, Value, checked, value

__all__ = ["QuadraticFunction"]


def _checked_center(name: str, given: ArrayLike) -> FloatArray:
    return frozen_array(name, given, (-1,))


def _checked_curvature(name: str, given: ArrayLike) -> FloatArray:
    curvature = frozen_array(name, given, None)
    if curvature.ndim > 2:
        expected = "a number, weights (n,) or a matrix (n, n)"
        raise ValueError(f"{name}: expected {expected}, got shape {curvature.shape}")
    if curvature.ndim == 2 and not np.array_equal(curvature, curvature.T):
        raise ValueError(f"{name}: expected a symmetric matrix, got {curvature.tolist()}")
    return curvature


def _checked_slope(name: str, given: ArrayLike | None) -> FloatArray | None:
    return None if given is None else frozen_array(name, given, (-1,))


@value
class QuadraticFunction(Value, Function):
    """A quadratic function of x (n,): ½ d·H d + g·d, where d = x - center.

    With the weights as `curvature`, half the weighted squared distance from `center`, as from a posture. As
    objective of a module or hierarchy it is lowered in native code, and Python is not asked.

    Attributes:
        center: x (n,) at which the value is zero.
        curvature: H (n, n), symmetric [-]. Given as a number or (n,), weights: its diagonal.
        slope: g (n,), the gradient at the center [-]. Given as None: zeros.

    Raises TypeError or ValueError naming the argument.
    """

    center: Array = checked(_checked_center)
    curvature: Checked[ArrayLike, FloatArray] = checked(_checked_curvature, default=1.0)
    slope: Checked[ArrayLike | None, FloatArray] = checked(_checked_slope, default=None)

    def _check(self) -> None:
        count = len(self.center)
        given = np.asarray(self.curvature)
        curvature = given if given.ndim == 2 else np.diag(np.broadcast_to(given, self._fitting(given)))
        slope = np.zeros(count) if self.slope is None else self.slope
        for name, part, shape in (("curvature", curvature, (count, count)), ("slope", slope, (count,))):
            if part.shape != shape:
                raise ValueError(f"{name}: expected shape {shape} as of center, got {part.shape}")
        self._assign(curvature=curvature, slope=slope)

    def _fitting(self, given: FloatArray) -> tuple[int, ...]:
        count = (len(self.center),)
        if given.shape not in ((), count):
            raise ValueError(f"curvature: expected weights {count} as of center, got {given.shape}")
        return count

    def value(self, x: FloatArray) -> float:
        """Value at `x` (n,) [-]. Raises ValueError for another number of numbers."""
        away = self._away(x)
        return float(away @ (0.5 * (self.curvature @ away) + self.slope))

    def gradient(self, x: FloatArray) -> FloatArray:
        """H d + g (n,) at `x` (n,) [-]. Raises ValueError for another number of numbers."""
        return np.asarray(self.curvature @ self._away(x) + self.slope)

    def hessian(self, x: FloatArray) -> FloatArray:
        """H (n, n), at every `x` (n,) [-]."""
        return self.curvature

    def _away(self, x: FloatArray) -> FloatArray:
        if np.shape(x) != self.center.shape:
            raise ValueError(f"{self.name}: expected x of shape {self.center.shape}, got {np.shape(x)}")
        return np.asarray(x - self.center)
