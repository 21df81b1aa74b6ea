"""Output of methods that users write, checked, and norms that do not overflow."""

from __future__ import annotations

import math

import numpy as np

from kido.optimize import checked_array
from kido.typing import FloatArray

__all__ = ["finite_array", "norm"]

_LARGEST_SQUARED = 1e150
"""Numbers below it have squares that are numbers."""


def finite_array(part: str, got: object, shape: tuple[int, ...]) -> FloatArray:
    """`got` [rad, m] as an array of this `shape`, -1 being any length.

    Raises TypeError or ValueError, naming the part, for another shape and for numbers that are not finite.
    """
    array = checked_array(part, got, shape)
    if not np.isfinite(array).all():
        raise ValueError(f"{part}: expected finite numbers [rad, m], got {array.tolist()}")
    return array


def norm(vector: FloatArray) -> float:
    """Euclidean norm of a vector (m,), finite where the norm itself is."""
    largest = max(map(abs, vector.tolist()), default=0.0)
    if largest < _LARGEST_SQUARED:
        return math.sqrt(vector.dot(vector))
    return float(largest * np.linalg.norm(vector / largest))
