"""Meshes in MuJoCo's own binary format."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from kido.shape._mesh_solid import hull_triangles
from kido.typing import FloatArray

__all__ = ["msh_triangles"]

_HEADER = 16


def msh_triangles(data: bytes) -> tuple[FloatArray, NDArray[np.intp]]:
    """Vertices (n, 3) [m] and triangles (m, 3) of an MSH file: of the convex hull, where it has none.

    The file has four counts, then vertices, normals, texture coordinates and triangles.

    Raises ValueError for a file of another length, indices of no vertex, and points without a hull.
    """
    if len(data) < _HEADER:
        raise ValueError(f"cut off: expected four counts at the beginning, got {len(data)} bytes")
    vertices, normals, texture, faces = struct.unpack_from("<iiii", data)
    size = _HEADER + 12 * (vertices + normals + faces) + 8 * texture
    if min(vertices, normals, texture, faces) < 0 or len(data) != size:
        raise ValueError(f"cut off or broken: expected {size} bytes, got {len(data)}")
    points = np.frombuffer(data, "<f4", 3 * vertices, _HEADER).reshape(-1, 3).astype(np.float64)
    corners = np.frombuffer(data, "<i4", 3 * faces, size - 12 * faces).reshape(-1, 3).astype(np.intp)
    if corners.size and (corners.min() < 0 or corners.max() >= vertices):
        raise ValueError(f"triangles of no point of {vertices}")
    return points, corners if faces else hull_triangles(points)
