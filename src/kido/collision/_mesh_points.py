"""Points of meshes."""

from __future__ import annotations

from kido.shape import Mesh, load_triangles
from kido.typing import FloatArray

__all__ = ["mesh_points"]


def mesh_points(mesh: Mesh) -> FloatArray:
    """The points of a mesh in the coordinates of its shape (n, 3) [m], of triangles or not.

    Lengths are meters unless the file has its unit.

    Raises:
        ValueError: the file is missing, or cannot be read.
    """
    return load_triangles(mesh).vertices
