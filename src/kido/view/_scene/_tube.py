"""A tube along a line of points."""

from __future__ import annotations

import math

import numpy as np

from kido.typing import FloatArray
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._solid import aligned, ball, ring_triangles

__all__ = ["tube"]

_RING = 16
"""Number of points around the line."""
_SHORTEST = 1e-3
"""Steps shorter than this part of the radius are left out."""
_TURNED_BACK = 1e-6


def tube(points: FloatArray, radius: float) -> TriangleSurface:
    """Tube of `radius` [m] through `points` (k, 3) [m]; a ball where they do not move."""
    line = _without_pauses(points, _SHORTEST * radius)
    if len(line) < 2:
        return ball(radius).moved(aligned(np.zeros(3), line[0]))
    angles = np.arange(_RING) * (2.0 * math.pi / _RING)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    first, second = _normals(line)
    outwards = around[:, :1] * first[:, None] + around[:, 1:] * second[:, None]
    rings = line[:, None] + radius * outwards
    triangles = ring_triangles(len(line), _RING)
    return TriangleSurface(rings.reshape(-1, 3), triangles, outwards.reshape(-1, 3))


def _without_pauses(points: FloatArray, shortest: float) -> FloatArray:
    kept = [points[0]]
    for point in points[1:]:
        if np.linalg.norm(point - kept[-1]) > shortest:
            kept.append(point)
    return np.array(kept)


def _normals(line: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two unit normals (k, 3) at each point, carried along the line with as little twist as it allows."""
    steps = np.diff(line, axis=0)
    ways = steps / np.linalg.norm(steps, axis=1, keepdims=True)
    tangents = np.concatenate([ways[:1], ways[:-1] + ways[1:], ways[-1:]])
    normals = np.empty_like(line)
    normal = aligned(ways[0], line[0])[:3, 0]
    for i, tangent in enumerate(tangents):
        length = np.linalg.norm(tangent)
        if length > _TURNED_BACK:
            tangents[i] = tangent / length
            across = normal - tangents[i] * (normal @ tangents[i])
            size = np.linalg.norm(across)
            normal = across / size if size > _TURNED_BACK else aligned(tangents[i], line[i])[:3, 0]
        else:
            tangents[i] = tangents[i - 1]
        normals[i] = normal
    return normals, np.cross(tangents, normals)
