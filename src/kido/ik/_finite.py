"""What parts of the user's own give, checked."""

from __future__ import annotations

import numpy as np

from kido.optimize import checked_array
from kido.typing import FloatArray

__all__ = ["finite_array"]


def finite_array(part: str, got: object, shape: tuple[int, ...]) -> FloatArray:
    """`got` [rad, m] as an array of this `shape`, -1 being any length.

    Raises TypeError or ValueError, naming the part, for another shape and for numbers that are not finite.
    """
    array = checked_array(part, got, shape)
    if not np.isfinite(array).all():
        raise ValueError(f"{part}: expected finite numbers [rad, m], got {array.tolist()}")
    return array
