"""Convex hulls that are computed once for all programs of a user."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.collision._convex_hull import ConvexHull, convex_hull
from kido.shape import mesh_cache
from kido.typing import FloatArray

__all__ = ["kept_hull"]

_FEW = 500
"""Points whose hull is computed as quickly as it is read."""


def kept_hull(points: FloatArray) -> ConvexHull:
    """The convex hull of points (n, 3) [m], out of the user's cache where it was computed before.

    Raises TypeError, ValueError as `convex_hull`.
    """
    cache = mesh_cache() if len(points) > _FEW else None
    if cache is None:
        return convex_hull(points)
    key = cache.key("hull", np.asarray(points))
    kept = cache.load(key)
    if kept is not None:
        try:
            return _hull(kept)
        except (KeyError, ValueError, IndexError):
            pass  # an entry of another kind: computed anew
    hull = convex_hull(points)
    cache.store(key, _arrays(hull))
    return hull


def _arrays(hull: ConvexHull) -> dict[str, NDArray[Any]]:
    return {
        "vertices": hull.vertices,
        "planes": hull.planes,
        "corners": np.array([corner for face in hull.faces for corner in face], dtype=np.int64),
        "sizes": np.array([len(face) for face in hull.faces], dtype=np.int64),
        "edges": np.asarray(hull.edges, dtype=np.int64),
        "inner_radius": np.array(hull.inner_radius),
    }


def _hull(kept: dict[str, NDArray[Any]]) -> ConvexHull:
    ends = np.cumsum(kept["sizes"])
    corners = kept["corners"].tolist()
    starts = (ends - kept["sizes"]).tolist()
    faces = tuple(tuple(corners[a:b]) for a, b in zip(starts, ends.tolist(), strict=True))
    edges = kept["edges"].astype(np.intp)
    return ConvexHull(kept["vertices"], kept["planes"], faces, edges, float(kept["inner_radius"]))
