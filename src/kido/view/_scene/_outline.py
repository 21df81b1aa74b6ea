"""Few points of a geometry that tell how far it reaches."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

import numpy as np

from kido.typing import FloatArray, read_only
from kido.view._scene._geometry import Arrows, Geometry, Label, Lines, Points, Polyline, TriangleSurface
from kido.view._scene._item import DrawnItem

__all__ = ["extent", "is_plane", "outline", "reached_points", "seen_points"]

_NOTHING = 0.5
"""Half the edge of the box [m] that is shown where there is nothing."""
_SMALLEST = 1e-9
_MANY = 300
"""Of more points, those are taken that are outermost in some direction."""
_DIRECTIONS = 600
_AT_ONCE, _MOST_PASSES = 4_000, 8
_KEPT = 1024


def reached_points(items: Iterable[DrawnItem], poses: FloatArray) -> FloatArray:
    """Points (k, 3) [m] over which everything reaches that is drawn of items at poses (n, 4, 4), but for
    planes, which are cut off somewhere."""
    placed = zip(items, poses, strict=True)
    found = [_moved(item, pose) for item, pose in placed if not is_plane(item)]
    return np.concatenate([np.empty((0, 3)), *found])


def is_plane(item: DrawnItem) -> bool:
    """Whether an item is a surface that has no end."""
    return not item.is_bounded and isinstance(item.geometry, TriangleSurface)


def seen_points(items: Iterable[DrawnItem], poses: FloatArray, more: Iterable[FloatArray] = ()) -> FloatArray:
    """Points (k, 3) [m] by which a picture shows all bounded items at poses (n, 4, 4) whole, and `more`.

    Where there are none, or all are in one place, the corners of a box around the origin or that place.
    """
    placed = zip(items, poses, strict=True)
    found = [_moved(item, pose) for item, pose in placed if item.is_bounded]
    found += more
    points = np.concatenate([np.empty((0, 3)), *found])
    points = points if len(points) else np.zeros((1, 3))
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    if extent(points) > _SMALLEST * max(1.0, float(np.abs(center).max())):
        return points
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return np.asarray(center + _NOTHING * corners)


def _moved(item: DrawnItem, pose: FloatArray) -> FloatArray:
    return np.asarray(_OUTLINES.of(item.geometry) @ pose[:3, :3].T + pose[:3, 3])


def extent(points: FloatArray) -> float:
    """Length of the diagonal of the box around points (k, 3) [m]."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def outline(geometry: Geometry) -> FloatArray:
    """Points (k, 3) of a geometry in its own frame [m] that are outermost in one of many directions."""
    match geometry:
        case TriangleSurface():
            points = geometry.points
        case Polyline() | Points():
            points = _padded(geometry.points, geometry.radius)
        case Lines():
            points = _padded(geometry.segments.reshape(-1, 3), geometry.radius)
        case Arrows():
            ends = np.concatenate([geometry.starts, geometry.starts + geometry.vectors])
            points = _padded(ends, geometry.radius)
        case Label():
            points = np.empty((0, 3))
    if len(points) <= _MANY:
        return points
    directions = _directions()
    for _ in range(_MOST_PASSES):
        pieces = np.array_split(points, -(-len(points) // _AT_ONCE))
        points = np.concatenate([piece[np.unique((directions @ piece.T).argmax(axis=1))] for piece in pieces])
        if len(pieces) == 1:
            break
    return points


def _padded(points: FloatArray, radius: float) -> FloatArray:
    """The corners (8 k, 3) of cubes around points [m]."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return np.asarray((points[:, None] + radius * corners).reshape(-1, 3))


def _directions() -> FloatArray:
    """Unit vectors (k, 3) spread evenly, by the golden angle."""
    index = np.arange(_DIRECTIONS) + 0.5
    z = 1.0 - 2.0 * index / _DIRECTIONS
    angle = index * np.pi * (3.0 - np.sqrt(5.0))
    radius = np.sqrt(1.0 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1)


class _Outlines:
    """Outlines of surfaces by identity, which are kept alive for it; others are made anew."""

    def __init__(self) -> None:
        self._found: OrderedDict[int, tuple[Geometry, FloatArray]] = OrderedDict()

    def of(self, geometry: Geometry) -> FloatArray:
        """The outline (k, 3) of a geometry [m]."""
        if not isinstance(geometry, TriangleSurface):
            return outline(geometry)
        known = self._found.get(id(geometry))
        if known is not None:
            self._found.move_to_end(id(geometry))
            return known[1]
        made = read_only(outline(geometry))
        self._found[id(geometry)] = geometry, made
        if len(self._found) > _KEPT:
            self._found.popitem(last=False)
        return made


_OUTLINES = _Outlines()
