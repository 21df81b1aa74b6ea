"""Bounds of surfaces: the points that a picture has to show."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.typing import FloatArray
from kido.view._surface import Surface

__all__ = ["extent", "seen_points"]

_NOTHING = 0.5
"""Half the edge of the box [m] that is shown where there is nothing."""
_SMALLEST = 1e-9


def seen_points(surfaces: Iterable[Surface], more: Iterable[FloatArray] = ()) -> FloatArray:
    """Points (k, 3) [m] of all surfaces that a picture shows whole, and `more` of them.

    Where there are none, or all are in one place, the corners of a box around the origin or that place.
    """
    bounded = [surface.points for surface in surfaces if surface.bounded and len(surface.points)]
    found = [*bounded, *more]
    points = np.concatenate(found) if found else np.zeros((1, 3))
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    if extent(points) > _SMALLEST * max(1.0, float(np.abs(centre).max())):
        return points
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return np.asarray(centre + _NOTHING * corners)


def extent(points: FloatArray) -> float:
    """Length of the diagonal of the box around points (k, 3) [m]."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))
