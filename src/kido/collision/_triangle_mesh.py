"""Triangles of mesh files, and whether they bound something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.collision._mesh_points import mesh_surface
from kido.shape import HeightField, Mesh
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["TriangleMesh", "field_triangles", "mesh_triangles", "triangle_mesh"]

_FLAT = 1e-12
"""Twice the area of a triangle, to the square of the mesh's size, below which it counts as none."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Surface of triangles, solid on the side that their normals point away from.

    `vertices` (n, 3) [m], all different; `triangles` (m, 3) of them by index, counterclockwise seen from
    outside.
    """

    vertices: FloatArray
    triangles: NDArray[np.intp]


def triangle_mesh(vertices: ArrayLike, triangles: ArrayLike) -> TriangleMesh:
    """A surface of triangles; equal vertices are joined, triangles without an area left out.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) of them by index, counterclockwise seen from outside.

    Raises:
        TypeError: for what are not real numbers.
        ValueError: wrong shapes, indices of no vertex, no triangle that has an area, neighbors that are wound
            in opposite ways, a closed surface that is inside out.
    """
    points = frozen_array("vertices", vertices, (-1, 3), "m")
    corners = frozen_array("triangles", triangles, (-1, 3))
    index = corners.astype(np.intp)
    if (index != corners).any() or (index < 0).any() or (index >= len(points)).any():
        raise ValueError(f"triangles: expected indices of {len(points)} vertices")
    unique, inverse = np.unique(points + 0.0, axis=0, return_inverse=True)
    index = inverse.reshape(-1)[index]
    area = np.linalg.norm(_doubled_areas(unique, index), axis=1)
    size = float(np.ptp(unique, axis=0).max()) if len(unique) else 0.0
    index = index[area > _FLAT * size**2]
    if not len(index):
        raise ValueError(f"triangles: expected some with an area, got {len(corners)} without one")
    _check_winding(unique, index)
    return TriangleMesh(unique, index)


def mesh_triangles(mesh: Mesh) -> TriangleMesh:
    """The triangles of a mesh file in the coordinates of its shape.

    Raises:
        ValueError: the file is missing, cannot be read, or its triangles are as `triangle_mesh` refuses them.
    """
    surface = mesh_surface(mesh)
    try:
        return triangle_mesh(surface.vertices, surface.triangles)
    except ValueError as error:
        raise ValueError(f"mesh {mesh.path}: {error}") from error


def field_triangles(field: HeightField) -> TriangleMesh:
    """The surface of a height field as triangles."""
    rows, columns = field.heights.shape
    x = (np.arange(columns) - (columns - 1) / 2) * field.spacing[0]
    y = (np.arange(rows) - (rows - 1) / 2) * field.spacing[1]
    vertices = np.column_stack([np.tile(x, rows), np.repeat(y, columns), field.heights.ravel()])
    at = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.column_stack([at, at + 1, at + columns + 1])
    upper = np.column_stack([at, at + columns + 1, at + columns])
    return TriangleMesh(vertices, np.stack([lower, upper], axis=1).reshape(-1, 3))


def _doubled_areas(points: FloatArray, triangles: NDArray[np.intp]) -> FloatArray:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _check_winding(points: FloatArray, triangles: NDArray[np.intp]) -> None:
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, counts = np.unique(sides, axis=0, return_counts=True)
    undirected, uses = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
    twisted = int((counts > 1).sum())
    if twisted:
        raise ValueError(
            f"triangles: expected neighbors that are wound alike, got {twisted} sides that two triangles "
            "have in the same direction"
        )
    if len(undirected) and (uses == 2).all():
        middle = points.mean(axis=0)
        a, b, c = (points[triangles[:, k]] - middle for k in range(3))
        volume = float((a * np.cross(b, c)).sum()) / 6
        if volume < 0.0:
            raise ValueError(
                f"triangles: expected normals that point outwards, got a closed surface that is inside out "
                f"(volume {volume:.3g} m^3)"
            )
