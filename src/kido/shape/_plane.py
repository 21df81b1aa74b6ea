"""The infinite plane."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kido.shape._shape import Shape
from kido.typing import ArrayLike, FloatArray, frozen_direction

__all__ = ["Plane"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Plane(Shape):
    """Half space below a plane: the points x with normal . x <= offset.

    `normal` (3,) points out of the solid side and is normalised; `offset` is the distance of the plane from
    the origin along the unit normal [m].
    """

    normal: FloatArray
    offset: float

    def __init__(self, normal: ArrayLike = (0.0, 0.0, 1.0), offset: float = 0.0) -> None:
        direction = frozen_direction("normal", normal)
        if not math.isfinite(offset):
            raise ValueError(f"offset: expected a finite number [m], got {offset}")
        self._assign(normal=direction, offset=float(offset))
