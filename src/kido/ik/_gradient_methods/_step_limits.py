"""Weights and clamp that all gradient methods of kido take, and other numbers that they are set up with."""

from __future__ import annotations

import math
from numbers import Real

from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["any_weights", "checked_clamp", "nonnegative_number", "positive_number"]


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
