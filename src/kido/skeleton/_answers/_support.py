"""The polygon on which a skeleton stands."""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray

__all__ = ["centroid", "convex_hull", "plane_axes"]


def plane_axes(gravity: FloatArray) -> FloatArray:
    """Axes (2, 3) of the plane across gravity (3,), unit vectors of the world; across z where there is
    none."""
    up = -gravity / (np.linalg.norm(gravity) or 1.0)
    if not up.any():
        up = np.array([0.0, 0.0, 1.0])
    helper = np.eye(3)[int(np.argmin(np.abs(up)))] if abs(up[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
    first = helper - (helper @ up) * up
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(up, first)])


def convex_hull(points: FloatArray) -> FloatArray:
    """Corners (k, 2) of the convex hull of points (n, 2) [m], counterclockwise, none on a line between
    others.

    Andrew's monotone chain: "Another efficient algorithm for convex hulls in two dimensions" (1979).
    """
    ordered = sorted(set(map(tuple, points.tolist())))
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)
    lower = _chain(ordered)
    upper = _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1]).reshape(-1, 2)


def centroid(corners: FloatArray) -> FloatArray:
    """Centroid (2,) of a convex polygon (k, 2) [m]. Raises ValueError where it has no corners."""
    if len(corners) == 0:
        raise ValueError("support_centroid: no end effector has an active support")
    if len(corners) < 3:
        return np.asarray(corners.mean(axis=0))
    own = corners - corners[0]  # seen from a corner, for far from the origin differences of products are lost
    following = np.roll(own, -1, axis=0)
    areas = own[:, 0] * following[:, 1] - following[:, 0] * own[:, 1]
    return np.asarray(corners[0] + (own + following).T @ areas / (3.0 * areas.sum()))


def _chain(points: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    hull: list[tuple[float, ...]] = []
    for point in points:
        while len(hull) > 1 and _cross(hull[-2], hull[-1], point) <= 0.0:
            hull.pop()
        hull.append(point)
    return hull


def _cross(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
