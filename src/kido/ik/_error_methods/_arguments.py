"""Arguments that error methods have in common."""

from __future__ import annotations

import math

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = [
    "ANGULAR_WEIGHT",
    "LINEAR_WEIGHT",
    "check_limits",
    "checked_clamp",
    "checked_weight",
    "checked_weights",
    "six_weights",
    "spread",
    "three_weights",
]

ANGULAR_WEIGHT, LINEAR_WEIGHT = 0.4, 1.0
"""Default weights of a radian and of a meter [-]."""


def three_weights(name: str, value: ArrayLike) -> FloatArray:
    """Weights (3,) [-]. Raises TypeError or ValueError naming them."""
    return checked_weights(name, value, 3)


def six_weights(name: str, value: ArrayLike) -> FloatArray:
    """Weights (6,) [-]. Raises TypeError or ValueError naming them."""
    return checked_weights(name, value, 6)


def checked_weights(name: str, value: ArrayLike, count: int) -> FloatArray:
    """Weights (count,) [-], a count of -1 being any. Raises TypeError or ValueError naming them."""
    weights = frozen_array(name, value, (count,))
    if (weights < 0.0).any():
        raise ValueError(f"{name}: expected numbers of 0 or above, got {weights.tolist()}")
    return weights


def checked_weight(name: str, value: float) -> float:
    """One weight above 0 [-]. Raises TypeError or ValueError naming it."""
    weight = float(frozen_array(name, value, ()))
    if not weight > 0.0:
        raise ValueError(f"{name}: expected a number above 0, got {value!r}")
    return weight


def checked_clamp(name: str, value: float) -> float:
    """A largest length above 0 [-], which may be infinite. Raises TypeError or ValueError naming it."""
    clamp = float(frozen_array(name, value, (), finite=False))
    if not clamp > 0.0:
        raise ValueError(f"{name}: expected a number above 0, got {value!r}")
    return clamp


def check_limits(low: float, high: float) -> None:
    """Raises ValueError for two limits [m] that leave nothing between them."""
    if low > high or low == math.inf or high == -math.inf:
        raise ValueError(f"lower, upper: expected a lowest of at most the highest [m], got {low} and {high}")


def spread(angular: ArrayLike, linear: ArrayLike) -> FloatArray:
    """Numbers of three angles and three lengths, each (3,) or one for all, as one array (6,)."""
    both = np.empty(6)
    both[:3], both[3:] = angular, linear
    return both
