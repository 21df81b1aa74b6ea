"""Points and triangles of meshes."""

from __future__ import annotations

from kido.errors import ModelFileError
from kido.shape import Mesh, Triangles, load_triangles
from kido.typing import FloatArray

__all__ = ["mesh_points", "mesh_surface"]


def mesh_points(mesh: Mesh) -> FloatArray:
    """The points of a mesh in the coordinates of its shape (n, 3) [m], of triangles or not.

    Lengths are meters unless the file has its unit.

    Raises:
        ValueError: the file is missing, or cannot be read.
    """
    return mesh_surface(mesh).vertices


def mesh_surface(mesh: Mesh) -> Triangles:
    """The triangles of a mesh in the coordinates of its shape.

    Raises:
        ValueError: the file is missing, or cannot be read.
    """
    try:
        return load_triangles(mesh)
    except ModelFileError as error:
        raise ValueError(f"mesh {error.file}: {error.message}") from error
