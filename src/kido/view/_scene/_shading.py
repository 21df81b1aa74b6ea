"""Normals of triangle surfaces: smooth within parts that bend little, sharp at creases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.view._scene._geometry import TriangleSurface

__all__ = ["SmoothParts", "shaded"]

_CREASE = math.cos(math.radians(32.0))
"""Cosine of the angle between triangles above which their common edge is sharp."""


def shaded(surface: TriangleSurface) -> TriangleSurface:
    """The same surface with normals; points on sharp edges are there once for each side.

    Corners of triangles at one point share a normal where a fan of triangles that bend little leads from one
    to the other; the normal is the mean of theirs, by area. Triangles without area are left out.
    """
    parts = SmoothParts.of(surface)
    points = surface.points[parts.source]
    colors = None if surface.colors is None else surface.colors[parts.source]
    return TriangleSurface(points, parts.triangles, parts.normals(points), colors)


@dataclass(frozen=True, slots=True, eq=False)
class SmoothParts:
    """The points of a surface once for each of its smooth parts that they are in.

    Attributes:
        source: the point of the surface of each (k,).
        triangles: with area, between them (m, 3).
    """

    source: NDArray[np.int64]
    triangles: NDArray[np.int64]

    @classmethod
    def of(cls, surface: TriangleSurface) -> SmoothParts:
        """Those of a surface as it is."""
        crosses = _crosses(surface.points, surface.triangles)
        areas = np.linalg.norm(crosses, axis=1)
        kept = areas > 0.0
        triangles = surface.triangles[kept]
        if not len(triangles):
            return cls(np.empty(0, dtype=np.int64), np.empty((0, 3), dtype=np.int64))
        count, labels = _fans(triangles, crosses[kept] / areas[kept, None])
        source = np.empty(count, dtype=np.int64)
        source[labels] = triangles.ravel()
        return cls(source, labels.reshape(-1, 3))

    def normals(self, points: FloatArray) -> FloatArray:
        """Unit normals (k, 3) where the points are at (k, 3) [m]: the means of those of their triangles, by
        area."""
        count, labels = len(points), self.triangles.ravel()
        crosses = _crosses(points, self.triangles)
        sums = np.empty((count, 3))
        for axis in range(3):
            sums[:, axis] = np.bincount(labels, np.repeat(crosses[:, axis], 3), minlength=count)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0.0))


def _crosses(points: FloatArray, triangles: NDArray[np.int64]) -> FloatArray:
    """Vectors (m, 3) across the triangles, twice as long as their areas."""
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    return np.asarray(np.cross(b - a, c - a))


def _fans(triangles: NDArray[np.int64], normals: FloatArray) -> tuple[int, NDArray[np.int64]]:
    """Number of fans, and that of each corner (3 m,): corners of triangles that share a smooth edge there."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    m = len(triangles)
    ends = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)  # sides, three for each triangle
    corners = np.arange(3 * m).reshape(-1, 3)[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    turned = ends[:, 0] > ends[:, 1]
    ends[turned], corners[turned] = ends[turned][:, ::-1], corners[turned][:, ::-1]
    keys = ends[:, 0] * (int(triangles.max()) + 1) + ends[:, 1]
    order = np.argsort(keys, kind="stable")
    first, second = order[:-1], order[1:]
    face_normals = normals[first // 3], normals[second // 3]
    smooth = (keys[first] == keys[second]) & (np.einsum("ij,ij->i", *face_normals) > _CREASE)
    pairs = corners[first[smooth]].ravel(), corners[second[smooth]].ravel()
    graph = coo_array((np.ones(len(pairs[0]), dtype=bool), pairs), shape=(3 * m, 3 * m))
    count, labels = connected_components(graph, directed=False)
    return int(count), labels.astype(np.int64)
