"""Triangles of lines, points and arrows, for what draws triangles only."""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray
from kido.view._scene._geometry import Arrows, Geometry, Label, Lines, Points, Polyline, TriangleSurface
from kido.view._scene._solid import aligned, arrow, ball, rod
from kido.view._scene._tube import tube

__all__ = ["as_surface"]

_SHORTEST = 1e-12
"""Length of the shortest arrow that is drawn [m]."""


def as_surface(geometry: Geometry) -> TriangleSurface:
    """Triangles that look like a geometry; none for a label."""
    match geometry:
        case TriangleSurface():
            return geometry
        case Polyline():
            return tube(geometry.points, geometry.radius) if len(geometry.points) else _NOTHING
        case Lines():
            return TriangleSurface.joined(
                rod(start, end, geometry.radius) for start, end in geometry.segments
            )
        case Points():
            dot = ball(geometry.radius)
            return TriangleSurface.joined(dot.moved(_at(point)) for point in geometry.points)
        case Arrows():
            return TriangleSurface.joined(_arrows(geometry))
        case Label():
            return _NOTHING


def _arrows(geometry: Arrows) -> list[TriangleSurface]:
    lengths = np.linalg.norm(geometry.vectors, axis=1)
    return [
        arrow(geometry.radius, float(length)).moved(aligned(vector, start))
        for start, vector, length in zip(geometry.starts, geometry.vectors, lengths, strict=True)
        if length > _SHORTEST
    ]


def _at(point: FloatArray) -> FloatArray:
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose


_NOTHING = TriangleSurface(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), np.empty((0, 3)))
