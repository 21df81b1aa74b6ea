"""Bounded convex regions of space."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["Polytope"]

_FLAT = 1e-9
"""Extent below which a region has no thickness, relative to its size [-]."""


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """Points x with normals @ x <= offsets.

    Attributes:
        normals: (m, 3) unit vectors.
        offsets: (m,) [m].
        lower, upper: (3,) corners of the box around it [m].
    """

    normals: FloatArray
    offsets: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of_vertices(cls, name: str, vertices: ArrayLike) -> Polytope:
        """The convex hull of vertices (n, 3) [m], which may be flat.

        Raises TypeError, ValueError for other shapes.
        """
        points = frozen_array(name, vertices, (-1, 3), "m")
        if not len(points):
            raise ValueError(f"{name}: expected at least one vertex, got none")
        center = points.mean(axis=0)
        _, sizes, axes = np.linalg.svd(points - center, full_matrices=True)
        size = float(sizes.max(initial=0.0))
        rank = int((sizes > _FLAT * max(size, 1e-9)).sum())
        normals, offsets = _within((points - center) @ axes[:rank].T) if rank else _nothing()
        rows = [normals @ axes[:rank], axes[rank:], -axes[rank:]]
        A = np.concatenate(rows)
        b = np.concatenate([offsets, np.zeros(2 * (3 - rank))]) + A @ center
        return cls(*map(read_only, (A, b, points.min(axis=0), points.max(axis=0))))

    @classmethod
    def of_half_spaces(cls, name: str, A: ArrayLike, b: ArrayLike, radius: float) -> Polytope | None:
        """The centres of spheres of a radius [m] within A @ x <= b, A (m, 3) and b (m,) [m]; None where
        there are none.

        Raises TypeError, ValueError for other shapes, and for half spaces that bound no region.
        """
        from scipy.optimize import linprog

        normals, offsets = frozen_array(name, A, (-1, 3)), frozen_array(name, b, (-1,), "m")
        if len(normals) != len(offsets):
            raise ValueError(
                f"{name}: expected as many offsets as normals, got {len(offsets)}, {len(normals)}"
            )
        lengths = np.linalg.norm(normals, axis=1)
        if not lengths.all():
            raise ValueError(f"{name}: expected nonzero normals, got one of length 0")
        normals, offsets = normals / lengths[:, None], offsets / lengths - radius
        corners = np.empty((2, 3))
        for axis in range(3):
            for k, sign in enumerate((1.0, -1.0)):
                cost = np.zeros(3)
                cost[axis] = sign
                found = linprog(cost, A_ub=normals, b_ub=offsets, bounds=[(None, None)] * 3)
                if found.status == 3 or (found.status == 4 and _is_open(normals)):
                    raise ValueError(f"{name}: expected a bounded region, got one without end")
                if found.status == 2:
                    if _is_open(normals):
                        raise ValueError(f"{name}: expected a bounded region, got one without end")
                    return None
                corners[k, axis] = found.x[axis]
        return cls(*map(read_only, (normals, offsets, corners[0], corners[1])))

    def violation(self, p: FloatArray) -> float:
        """Distance of a point (3,) beyond the side that it is farthest beyond [m]."""
        return max(0.0, float((self.normals @ p - self.offsets).max(initial=-math.inf)))


def _within(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Half spaces (m, rank), (m,) of the hull of points (n, rank) [m], in their own coordinates."""
    from scipy.spatial import ConvexHull

    if points.shape[1] == 1:
        return np.array([[1.0], [-1.0]]), np.array([points.max(), -points.min()])
    equations = ConvexHull(points).equations
    return equations[:, :-1], -equations[:, -1]


def _nothing() -> tuple[FloatArray, FloatArray]:
    return np.zeros((0, 0)), np.zeros(0)


def _is_open(normals: FloatArray) -> bool:
    """Whether some direction leads away from all normals (m, 3), so that half spaces bound nothing."""
    from scipy.optimize import linprog

    for axis in range(3):
        for sign in (1.0, -1.0):
            cost = np.zeros(3)
            cost[axis] = -sign
            found = linprog(cost, A_ub=normals, b_ub=np.zeros(len(normals)), bounds=[(-1.0, 1.0)] * 3)
            if found.fun < -1e-9:
                return True
    return False
