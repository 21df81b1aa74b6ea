"""The infinite plane."""

from __future__ import annotations

from kido.shape._shape import Shape
from kido.typing import frozen_direction
from kido.values import Array, checked, number, value

__all__ = ["Plane"]


@value
class Plane(Shape):
    """Half space below a plane: the points x with normal . x <= offset.

    `normal` (3,) points out of the solid side and is normalised; `offset` is the distance of the plane from
    the origin along the unit normal [m].
    """

    normal: Array = checked(frozen_direction, default=(0.0, 0.0, 1.0))
    offset: float = number(unit="m", default=0.0)
