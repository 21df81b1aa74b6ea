"""The polygon on which a skeleton stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.skeleton._nodes._end_effector import EndEffector
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["convex_hull", "support_points"]


def support_points(skeleton: SkeletonCore) -> FloatArray:
    """Corners (k, 3) of all active supports, in world coordinates [m]."""
    points = [np.zeros((0, 3))]
    for body in skeleton._bodies:
        for node in body._nodes:
            if isinstance(node, EndEffector) and node.support is not None and node.support.active:
                T = node.transform()
                points.append(node.support.geometry @ T[:3, :3].T + T[:3, 3])
    return np.concatenate(points)


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


def _chain(points: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    hull: list[tuple[float, ...]] = []
    for point in points:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0.0:
            hull.pop()
        hull.append(point)
    return hull


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
