"""Results of detectors for two shapes, in one pose or in many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray

__all__ = ["ContactPoints", "Distances", "RayHits", "SweepHits"]


@dataclass(frozen=True, eq=False)
class ContactPoints:
    """Points where two shapes touch: n of all poses together, one pose after the other.

    Attributes:
        sample: index of the pose (n,), as the leading axes are counted when they are made one.
        normal: unit vectors (n, 3) from the second shape to the first, world axes.
        on_first, on_second: points on the surfaces (n, 3) [m];
            on_first - on_second = -depth * normal.
        depth: overlap along the normal (n,) [m], negative where the shapes are apart.
        manifold: number (n,) of the region of the surfaces that a point belongs to: points of one pose and
            one number lie in one plane.
    """

    sample: NDArray[np.int64]
    normal: FloatArray
    on_first: FloatArray
    on_second: FloatArray
    depth: FloatArray
    manifold: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.depth)

    @property
    def point(self) -> FloatArray:
        """Points between the surfaces (n, 3) [m]."""
        return (self.on_first + self.on_second) / 2


class Distances(NamedTuple):
    """Signed distances of two shapes.

    Attributes:
        distance: (...) [m], negative where the shapes overlap.
        normal: (..., 3) from the second shape to the first.
        on_first, on_second: nearest points (..., 3) [m]; on_first - on_second = distance * normal.
    """

    distance: FloatArray
    normal: FloatArray
    on_first: FloatArray
    on_second: FloatArray


class RayHits(NamedTuple):
    """First hits of rays with a shape.

    Attributes:
        distance: along the rays (...) [m], infinite where they meet nothing.
        normal: of the surface there (..., 3), NaN where they meet nothing.
    """

    distance: FloatArray
    normal: FloatArray


class SweepHits(NamedTuple):
    """First contacts of moving shapes.

    Attributes:
        time: share of the motion (...), 0 to 1; infinite where they do not meet.
        normal: then (..., 3), from the second shape to the first; NaN where they do not meet.
        on_first, on_second: nearest points then (..., 3) [m]; NaN where they do not meet.
    """

    time: FloatArray
    normal: FloatArray
    on_first: FloatArray
    on_second: FloatArray
