"""Convex hulls of points, with faces instead of triangles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["ConvexHull", "convex_hull"]

_AT_ONCE = 256
"""Faces whose reach is computed at once."""
_COPLANAR = 1e-6
"""Of the hull's size: triangles whose corners lie no farther from a plane than this are one face."""
_THIN = 1e-5
"""Radius of a ball within the hull, to the hull's size, below which it is flat."""


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """Convex polyhedron.

    `vertices` (n, 3) [m]; `planes` (k, 4): outward unit normals and offsets along them [m]; `faces`: corners
    of each face by index, counterclockwise seen from outside; `edges` (m, 2) of a triangulation of these
    faces: from any vertex they lead to the one farthest along any direction without a step back;
    `inner_radius` of a ball that fits into it [m].
    """

    vertices: FloatArray
    planes: FloatArray
    faces: tuple[tuple[int, ...], ...]
    edges: NDArray[np.intp]
    inner_radius: float


def convex_hull(points: ArrayLike) -> ConvexHull:
    """The convex hull of points, by Qhull (Barber, Dobkin and Huhdanpaa, "The quickhull algorithm for convex
    hulls", 1996).

    Coplanar triangles are merged to faces; points inside, within faces or on edges are left out.

    Args:
        points: (n, 3) [m], in any order.

    Raises:
        TypeError: for what are not real numbers.
        ValueError: wrong shape, numbers that are not finite, points that span no volume.
    """
    cloud = frozen_array("points", points, (-1, 3), "m")
    if len(cloud) < 4:
        raise ValueError(f"points: expected at least four that span a volume, got {len(cloud)}")
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    size = float((high - low).max()) / 2
    if not size > 0.0:
        raise ValueError(f"points: expected some that span a volume, got {len(cloud)} in one place")
    middle = low + (high - low) / 2
    triangles, faces = _faces((cloud - middle) / size)
    planes = _planes(triangles.points, faces)
    inner = triangles.inner_radius()
    planes[:, 3] = planes[:, 3] * size + planes[:, :3] @ middle
    loops = tuple(map(tuple, faces))
    return ConvexHull(triangles.points * size + middle, planes, loops, triangles.edges(), inner * size)


def _faces(points: FloatArray) -> tuple[_Triangles, list[list[int]]]:
    """The surface of those points that are corners of three faces or more, and corners of its faces."""
    while True:
        triangles = _Triangles.around(points)
        if not triangles.inner_radius() > _THIN:
            raise ValueError(
                f"points: expected some that span a volume, got {len(points)} in a plane within {_THIN:g} of "
                "their size"
            )
        faces = triangles.merged()
        count = np.bincount(_joined(faces), minlength=len(triangles.points))
        if (count > 2).all():
            return triangles, faces
        points = triangles.points[count > 2]


def _joined(loops: list[list[int]]) -> NDArray[np.intp]:
    """All corners of polygons, one after the other."""
    return np.fromiter(chain.from_iterable(loops), dtype=np.intp)


def _planes(vertices: FloatArray, loops: list[list[int]]) -> FloatArray:
    """Newell's normals of polygons, and how far the whole hull reaches along them: (k, 4)."""
    sizes = np.fromiter(map(len, loops), dtype=np.intp, count=len(loops))
    ends = np.cumsum(sizes)
    starts = ends - sizes
    corners = _joined(loops)
    following = np.concatenate([corners[1:], corners[:1]])
    following[ends - 1] = corners[starts]
    normals = np.add.reduceat(np.cross(vertices[corners], vertices[following]), starts, axis=0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    reach = [
        (vertices @ some.T).max(axis=0) for some in np.array_split(normals, len(normals) // _AT_ONCE + 1)
    ]
    return np.column_stack([normals, np.concatenate(reach)])


class _Triangles:
    """The surface of a hull: corners (m, 3) counterclockwise from outside, neighbors and planes of these."""

    def __init__(
        self, points: FloatArray, corners: NDArray[np.intp], neighbors: NDArray[np.intp], planes: FloatArray
    ) -> None:
        self.points, self.corners, self.neighbors, self.planes = points, corners, neighbors, planes

    @classmethod
    def around(cls, points: FloatArray) -> _Triangles:
        from scipy.spatial import ConvexHull as Qhull
        from scipy.spatial import QhullError

        try:
            hull = Qhull(points)
        except QhullError as error:
            raise ValueError(
                f"points: expected some that span a volume, got {len(points)} in a plane or on a line"
            ) from error
        used = np.sort(hull.vertices)
        corners = np.searchsorted(used, hull.simplices)
        points = points[used]
        a, b, c = (points[corners[:, k]] for k in range(3))
        inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0.0
        corners[inward, 1:] = corners[inward, :0:-1]
        planes = np.column_stack([hull.equations[:, :3], -hull.equations[:, 3]])
        return cls(points, corners, np.array(hull.neighbors, dtype=np.intp), planes)

    def centroid(self) -> FloatArray:
        """Center of the volume (3,)."""
        a, b, c = (self.points[self.corners[:, k]] for k in range(3))
        volumes = (a * np.cross(b, c)).sum(axis=1)
        return np.asarray(volumes @ (a + b + c) / 4 / volumes.sum())

    def inner_radius(self) -> float:
        """Of a ball about the center that fits inside."""
        return float((self.planes[:, 3] - self.planes[:, :3] @ self.centroid()).min())

    def edges(self) -> NDArray[np.intp]:
        """Sides of the triangles (m, 2), each once."""
        sides = np.concatenate([self.corners[:, [0, 1]], self.corners[:, [1, 2]], self.corners[:, [2, 0]]])
        return np.unique(np.sort(sides, axis=1), axis=0)

    def merged(self) -> list[list[int]]:
        """Corners of the faces that coplanar triangles make, around each."""
        a, b, c = (self.points[self.corners[:, k]] for k in range(3))
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        free = [True] * len(self.corners)
        alone, loops = self._alone().tolist(), self._loops().tolist()
        faces: list[list[int]] = []
        for seed in np.argsort(-areas, kind="stable").tolist():
            if free[seed] and alone[seed]:
                free[seed] = False
                faces.append(loops[seed])
            elif free[seed]:
                region = self._coplanar(seed, free)
                loop = _around([loops[k] for k in region])
                faces.extend([loop] if loop else (loops[k] for k in region))
        return faces

    def _alone(self) -> NDArray[np.bool_]:
        """Of each triangle, whether no neighbor lies in its plane (m,)."""
        normals, offsets = self.planes[:, None, :3], self.planes[:, 3:]
        alone = np.ones(len(self.corners), dtype=np.bool_)
        for others in self.neighbors.T:
            heights = (self.points[self.corners[others]] * normals).sum(axis=2) - offsets
            alone &= (np.abs(heights) > _COPLANAR).any(axis=1)
        return alone

    def _loops(self) -> NDArray[np.intp]:
        """Corners of each triangle, the one of the least index first (m, 3)."""
        turns = (self.corners.argmin(axis=1)[:, None] + np.arange(3)) % 3
        return np.take_along_axis(self.corners, turns, axis=1)

    def _coplanar(self, seed: int, free: list[bool]) -> list[int]:
        """The triangles in the plane of one, from there on; they are free no more."""
        x, y, z, offset = self.planes[seed].tolist()

        def level(triangle: int) -> bool:
            places = self.points[self.corners[triangle]].tolist()
            return all(abs(p[0] * x + p[1] * y + p[2] * z - offset) <= _COPLANAR for p in places)

        region, free[seed] = [seed], False
        for triangle in region:
            for other in self.neighbors[triangle].tolist():
                if free[other] and level(other):
                    free[other] = False
                    region.append(other)
        return region


def _around(triangles: list[list[int]]) -> list[int]:
    """Corners around a region of triangles; none where its edge is no single loop."""
    if len(triangles) == 1:
        return triangles[0]
    sides = {side for i, j, k in triangles for side in ((i, j), (j, k), (k, i))}
    following = {i: j for i, j in sides if (j, i) not in sides}
    if len(following) != sum((j, i) not in sides for i, j in sides):
        return []
    start = min(following)
    loop = [start]
    while following[loop[-1]] != start and len(loop) <= len(following):
        loop.append(following[loop[-1]])
    return loop if len(loop) == len(following) else []
