"""Simplification of surfaces that are drawn many times: whether their backs can be left out, and coarser ones
for shadows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.view._scene import TriangleSurface

__all__ = ["coarse", "is_closed", "thinned"]

_HOLE = 1e-5
"""Area of a hole, by that of the surface, which is too small to see."""
_LARGE = 4.0
"""Edges by the size of a cell, from which on a triangle keeps its corners."""
_TURN = 2.0
"""Steps of each coordinate of normals between which points of a cell stay apart, so that creases are kept."""
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def is_closed(surface: TriangleSurface) -> bool:
    """Whether nobody outside sees the back of a triangle: each part encloses a volume, counterclockwise seen
    from outside, without holes that could be seen."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    points, triangles = _welded(surface)
    if not len(triangles):
        return False
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    count = len(points)
    graph = coo_array((np.ones(len(edges), dtype=bool), (edges[:, 0], edges[:, 1])), shape=(count, count))
    number, part = connected_components(graph, directed=False)
    of_triangle = part[triangles[:, 0]]
    middle = points[np.unique(part, return_index=True)[1]][of_triangle]  # any point of the part
    volumes = np.bincount(
        of_triangle, np.einsum("ij,ij->i", corners[:, 0] - middle, across), minlength=number
    )
    if not (volumes[np.unique(of_triangle)] > 0.0).all():
        return False
    rims = _unmatched(edges, count)
    return bool(_largest_hole(points, rims) <= _HOLE * np.linalg.norm(across, axis=1).sum())


def coarse(surface: TriangleSurface, cell: float) -> TriangleSurface:
    """A surface with fewer triangles, without normals and colors: points in one cell of a grid become one,
    but for corners of large triangles.

    Args:
        surface: what is made coarse.
        cell: size of the cells [m].
    """
    points, triangles = surface.points, surface.triangles
    if not len(triangles):
        return surface
    sides = np.abs(points[triangles] - points[np.roll(triangles, 1, axis=1)]).max(axis=(1, 2))
    key = _cells(points, cell)
    large = np.unique(triangles[sides > _LARGE * cell])
    key[large] = key.max() + 1 + np.arange(len(large))
    _, first, label = np.unique(key, return_index=True, return_inverse=True)
    return TriangleSurface(points[first], _with_area(label.ravel()[triangles]))


def thinned(surface: TriangleSurface, cell: float) -> TriangleSurface:
    """A surface that looks the same where `cell` is less than a pixel, with fewer triangles: points in one
    cell of a grid stand at their mean, and are one where their normals differ little. Closed surfaces stay
    closed.

    Args:
        surface: with normals, without colors of its own; others are left as they are.
        cell: size of the cells [m].
    """
    points, triangles, normals = surface.points, surface.triangles, surface.normals
    if normals is None or surface.colors is not None or not len(triangles):
        return surface
    _, of_cell = np.unique(_cells(points, cell), return_inverse=True)
    of_cell = of_cell.ravel()
    steps = np.rint((normals + 1.0) * _TURN).astype(np.int64)
    base = int(2.0 * _TURN) + 1
    turned = (steps[:, 0] * base + steps[:, 1]) * base + steps[:, 2]
    _, first, label = np.unique(of_cell * base**3 + turned, return_index=True, return_inverse=True)
    label = label.ravel()
    sums = _sums(normals, label)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    means = _sums(points, of_cell) / np.bincount(of_cell)[:, None]
    kept = _with_area(of_cell[triangles], triangles)
    return TriangleSurface(
        means[of_cell[first]], label[kept], np.divide(sums, lengths, out=sums, where=lengths > 0.0)
    )


def _cells(points: FloatArray, cell: float) -> NDArray[np.int64]:
    """The number of the cell of a grid for each point (n,)."""
    place = np.floor((points - points.min(axis=0)) / cell).astype(np.int64)
    size = place.max(axis=0) + 1
    return np.asarray((place[:, 0] * size[1] + place[:, 1]) * size[2] + place[:, 2])


def _sums(rows: FloatArray, label: NDArray[np.int64]) -> FloatArray:
    """Sums (k, 3) of the rows (n, 3) that have one label (n,)."""
    return np.stack([np.bincount(label, rows[:, axis]) for axis in range(3)], axis=1)


def _welded(surface: TriangleSurface) -> tuple[FloatArray, NDArray[np.int64]]:
    """Points that differ, in single precision, and the triangles between them."""
    bits = (surface.points.astype(np.float32) + np.float32(0.0)).view(np.uint32).astype(np.uint64)
    key = (bits[:, 0] * _MIX[0]) ^ (bits[:, 1] * _MIX[1] + (bits[:, 2] * _MIX[2] << np.uint64(17)))
    key ^= key >> np.uint64(29)
    _, first, label = np.unique(key, return_index=True, return_inverse=True)
    return surface.points[first], _with_area(label.ravel()[surface.triangles])


def _with_area(triangles: NDArray[np.int64], kept: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Rows of `kept`, the triangles (m, 3) themselves unless told, whose three points differ."""
    a, b, c = triangles.T
    return np.asarray((triangles if kept is None else kept)[(a != b) & (b != c) & (c != a)])


def _unmatched(edges: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Edges (k, 2) that are there more often than their reverse is."""
    there, often = np.unique(edges[:, 0] * count + edges[:, 1], return_counts=True)
    back, back_often = np.unique(edges[:, 1] * count + edges[:, 0], return_counts=True)
    place = np.minimum(np.searchsorted(back, there), len(back) - 1)
    found = np.where(back[place] == there, back_often[place], 0)
    left = np.repeat(there, np.maximum(often - found, 0))
    return np.stack([left // count, left % count], axis=1)


def _largest_hole(points: FloatArray, rims: NDArray[np.int64]) -> float:
    """Twice the area of the largest hole [m^2]; rims (k, 2): edges around holes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(rims):
        return 0.0
    there, ends = np.unique(rims, return_inverse=True)
    ends = ends.reshape(-1, 2)
    graph = coo_array((np.ones(len(ends), dtype=bool), (ends[:, 0], ends[:, 1])), shape=(len(there),) * 2)
    number, hole = connected_components(graph, directed=False)
    own = points[there] - points[there[0]]
    areas = np.cross(own[ends[:, 0]], own[ends[:, 1]])
    of_edge = hole[ends[:, 0]]
    sums = np.stack([np.bincount(of_edge, areas[:, axis], minlength=number) for axis in range(3)], axis=1)
    return float(np.linalg.norm(sums, axis=1).max())
