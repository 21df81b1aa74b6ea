"""Triangles that are the whole surface of a solid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kido.errors import DescriptionError
from kido.typing import FloatArray

__all__ = ["crossing", "enclosed_volume", "open_edges", "volume_within"]

_INWARD = 1e-7
"""Share of its size by which a surface is shrunk, so that parts which touch each other are apart."""
_MOVED = 1e-9
"""Share of the size by which points are moved at random, so that no edge goes through another edge."""


def open_edges(faces: NDArray[np.int64]) -> int:
    """Number of edges that are not between two faces, one of which goes there and the other back."""
    sides = np.concatenate([faces[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    ways, counts = np.unique(sides, axis=0, return_counts=True)
    there, back = set(map(tuple, ways.tolist())), set(map(tuple, ways[:, ::-1].tolist()))
    return len(there ^ back) // 2 + int((counts > 1).sum())


def enclosed_volume(points: FloatArray, faces: NDArray[np.int64]) -> float:
    """The volume within faces [m^3]. Raises DescriptionError where they are open, cut each other or are
    inside out."""
    count = open_edges(faces)
    if count or not len(faces):
        raise DescriptionError(f"faces: expected a closed surface, there are {count} open edges")
    volume = volume_within(points, faces)
    if volume <= 0.0:
        raise DescriptionError(
            "faces: expected corners counterclockwise seen from outside, they are inside out"
        )
    cut = crossing(points, faces)
    if cut is not None:
        raise DescriptionError(f"faces: an edge of face {cut[0]} crosses face {cut[1]}")
    return volume


def crossing(points: FloatArray, faces: NDArray[np.int64]) -> tuple[int, int] | None:
    """A face with an edge that goes through another face, neither end of which is one of its corners, and
    that one. Parts that touch each other do not cross."""
    points = _loosened(points, faces)
    corners = points[faces]
    for first, second in _near(corners):
        for side in range(3):
            ends = faces[first][:, [side, side - 2]]
            free = ~(ends[:, :, None] == faces[second][:, None, :]).any(axis=(1, 2))
            through = free.copy()
            through[free] = _through(points[ends[free]], corners[second[free]])
            if through.any():
                pair = np.flatnonzero(through)[0]
                return int(first[pair]), int(second[pair])
    return None


def _loosened(points: FloatArray, faces: NDArray[np.int64]) -> FloatArray:
    """Points moved inward, and a little at random."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    normals = np.zeros_like(points)
    for k in range(3):
        np.add.at(normals, faces[:, k], np.cross(b - a, c - a))
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    inward = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    moved = np.random.default_rng(0).uniform(-1.0, 1.0, points.shape)
    return np.asarray(points + np.ptp(points, axis=0).max() * (_MOVED * moved - _INWARD * inward))


def _near(corners: FloatArray) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Pairs of faces whose spheres meet, each in both orders."""
    from scipy.spatial import cKDTree

    centers = corners.mean(axis=1)
    reach = np.linalg.norm(corners - centers[:, None], axis=2).max()
    one, other = cKDTree(centers).query_pairs(2.0 * reach, output_type="ndarray").T
    return [(one, other), (other, one)]


def _through(edges: FloatArray, triangles: FloatArray) -> NDArray[np.bool_]:
    """Whether edges (k, 2, 3) go through triangles (k, 3, 3), each through its own."""
    start, way = edges[:, 0], edges[:, 1] - edges[:, 0]
    a, b, c = (triangles[:, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    along = (way * normal).sum(axis=1)
    square = (normal * normal).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = ((a - start) * normal).sum(axis=1) / along
        hit = start + t[:, None] * way - a
        u = (np.cross(hit, c - a) * normal).sum(axis=1) / square
        v = (np.cross(b - a, hit) * normal).sum(axis=1) / square
    return np.asarray((t > 0.0) & (t < 1.0) & (u > 0.0) & (v > 0.0) & (u + v < 1.0))


def volume_within(points: FloatArray, faces: NDArray[np.int64]) -> float:
    corners = points[faces] - points.mean(axis=0)
    return float((corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)
