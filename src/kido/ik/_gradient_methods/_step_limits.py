"""Weights and clamp of the steps of gradient methods, and other numbers that these are set up with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import TypeAlias

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Checked, Value, checked, value

__all__ = [
    "NO_LIMITS",
    "StepLimits",
    "Weights",
    "any_weights",
    "checked_clamp",
    "nonnegative_number",
    "positive_number",
]


Weights: TypeAlias = Checked[FloatArray | Sequence[float], FloatArray]
"""Annotation of a field that takes weights (w,); readers of types take what heirs hold for what they take."""


def checked_clamp(name: str, value: float) -> float:
    """A number above 0, which may be infinite. Raises TypeError or ValueError naming it."""
    return positive_number(name, value, infinite=True)


def any_weights(name: str, value: ArrayLike) -> FloatArray:
    """Weights (w,) of 0 or above [-]. Raises TypeError or ValueError naming them."""
    given = frozen_array(name, value, (-1,))
    if (given < 0.0).any():
        raise ValueError(f"{name}: expected numbers of 0 or above, got {given.tolist()}")
    return given


def positive_number(name: str, value: float, *, infinite: bool = False) -> float:
    """A number above 0, finite unless `infinite`. Raises TypeError or ValueError naming it."""
    number = _number(name, value)
    if not (number > 0.0 and (infinite or math.isfinite(number))):
        raise ValueError(f"{name}: expected a {'' if infinite else 'finite '}number above 0, got {value!r}")
    return number


def nonnegative_number(name: str, value: float) -> float:
    """A finite number, 0 or above. Raises TypeError or ValueError naming it."""
    number = _number(name, value)
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{name}: expected a finite number of 0 or above, got {value!r}")
    return number


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    return float(value)


@value
class StepLimits(Value):
    """Weights and clamp of the components of a gradient, in this order.

    Attributes:
        component_clamp: largest size of a component [rad, m]; may be infinite.
        component_weights: factors (w,) of the components [-]; 1 for those beyond w.

    Raises TypeError or ValueError, naming the argument, for numbers out of range.
    """

    component_clamp: float = checked(checked_clamp, default=math.inf, kw_only=True)
    component_weights: Weights = checked(any_weights, default=(), kw_only=True)

    def limited(self, gradient: FloatArray) -> FloatArray:
        """A gradient (k,) with these weights and clamp [rad, m]; weights beyond k do not count."""
        weights, clamp, step = self.component_weights, self.component_clamp, gradient
        if len(weights):
            step = gradient.copy()
            step[: len(weights)] *= weights[: len(step)]
        return step if clamp == math.inf else np.minimum(np.maximum(step, -clamp), clamp)


NO_LIMITS = StepLimits()
