"""The infinite plane."""

from __future__ import annotations

import math

from kido.shape._shape import Shape
from kido.typing import frozen_direction
from kido.values import Array, checked, value

__all__ = ["Plane"]


def _finite_length(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{name}: expected a finite number [m], got {value}")
    return float(value)


@value
class Plane(Shape):
    """Half space below a plane: the points x with normal . x <= offset.

    `normal` (3,) points out of the solid side and is normalised; `offset` is the distance of the plane from
    the origin along the unit normal [m].
    """

    normal: Array = checked(frozen_direction, default=(0.0, 0.0, 1.0))
    offset: float = checked(_finite_length, default=0.0)
