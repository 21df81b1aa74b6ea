"""Surfaces of solids with a closed form: boxes and what turning a line about z gives."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kido.typing import ArrayLike, FloatArray
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._shading import shaded

__all__ = [
    "aligned",
    "arrow",
    "ball",
    "box",
    "capsule",
    "cone",
    "cylinder",
    "ring_triangles",
    "rod",
    "square",
]

_TURN = 48
"""Number of steps around the axis."""
_ARC = 12
"""Number of steps from the equator to a pole."""
_HEAD, _HEAD_LENGTH = 2.4, 8.0
"""Radius and length of the head of an arrow, by the radius of its shaft."""
_LONGEST_HEAD = 0.6
"""Of an arrow's length."""
_POLE = 1e-12
"""Radii and areas below this part of the largest are none."""
_SMOOTH = math.cos(math.radians(32.0))
"""Cosine of the angle above which the edge between two faces is sharp."""
_KEPT = 256


@lru_cache(maxsize=_KEPT)
def box(x: float, y: float, z: float) -> TriangleSurface:
    """Box around the origin with edges of these lengths [m]."""
    signs = (-0.5, 0.5)
    corners = np.array([[i * x, j * y, k * z] for i in signs for j in signs for k in signs])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [part for a, b, c, d in quads for part in ([a, b, c], [a, c, d])]
    return shaded(TriangleSurface(corners, triangles))


@lru_cache(maxsize=_KEPT)
def square(edge: float) -> TriangleSurface:
    """Square of length `edge` [m] around the origin, normal to z."""
    corners = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]])
    return shaded(TriangleSurface(corners * edge, [[0, 1, 2], [0, 2, 3]]))


@lru_cache(maxsize=_KEPT)
def ball(x: float, y: float | None = None, z: float | None = None) -> TriangleSurface:
    """Sphere of radius `x` [m], or ellipsoid with these semi-axes."""
    angles = np.linspace(-math.pi / 2.0, math.pi / 2.0, 2 * _ARC + 1)
    radii = np.cos(angles)
    radii[[0, -1]] = 0.0
    return _turned(radii, np.sin(angles), np.array([x, x if y is None else y, x if z is None else z]))


@lru_cache(maxsize=_KEPT)
def cylinder(radius: float, length: float) -> TriangleSurface:
    """Cylinder along z around the origin; `radius`, `length` [m]."""
    half = length / 2.0
    return _turned(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]))


@lru_cache(maxsize=_KEPT)
def capsule(radius: float, length: float) -> TriangleSurface:
    """Cylinder along z with half spheres at its ends; `radius`, and `length` without them [m]."""
    angles = np.linspace(0.0, math.pi / 2.0, _ARC + 1)
    wide, high = radius * np.cos(angles), radius * np.sin(angles) + length / 2.0
    wide[-1] = 0.0
    return _turned(np.concatenate([wide[::-1], wide]), np.concatenate([-high[::-1], high]))


@lru_cache(maxsize=_KEPT)
def cone(radius: float, length: float) -> TriangleSurface:
    """Cone along z, the tip at length / 2; `radius` of the base, `length` [m]."""
    half = length / 2.0
    return _turned(np.array([0.0, radius, 0.0]), np.array([-half, -half, half]))


def arrow(radius: float, length: float) -> TriangleSurface:
    """Arrow from the origin along z; `radius` of its shaft, `length` [m]. Short ones are thinner."""
    whole, least = _arrow(radius), _HEAD_LENGTH * radius / _LONGEST_HEAD
    points = whole.points.copy()
    if length < least:
        points *= length / least
    else:
        points[points[:, 2] > 0.0, 2] += length - least
    return TriangleSurface(points, whole.triangles, whole.normals)


@lru_cache(maxsize=_KEPT)
def _arrow(radius: float) -> TriangleSurface:
    """The shortest arrow with a head of full size."""
    head, wide = _HEAD_LENGTH * radius, _HEAD * radius
    length = head / _LONGEST_HEAD
    radii = np.array([0.0, radius, radius, wide, 0.0])
    return _turned(radii, np.array([0.0, 0.0, length - head, length - head, length]))


def rod(start: FloatArray, end: FloatArray, radius: float) -> TriangleSurface:
    """Rod with round ends from point to point, each (3,) [m]; `radius` [m]."""
    axis = end - start
    return capsule(radius, float(np.linalg.norm(axis))).moved(aligned(axis, (start + end) / 2.0))


def aligned(axis: ArrayLike, origin: ArrayLike) -> FloatArray:
    """Pose (4, 4) [m] of a frame at `origin` (3,) whose z points along `axis` (3,), anywhere if that is 0."""
    direction = np.asarray(axis, dtype=np.float64)
    length = float(np.linalg.norm(direction))
    z = direction / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    helper = np.eye(3)[np.argmin(np.abs(z))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    transform = np.eye(4)
    transform[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    transform[:3, 3] = origin
    return transform


def ring_triangles(rings: int, points: int) -> NDArray[np.int64]:
    """Triangles (m, 3) between each of `rings` rings of `points` points and the next."""
    ring, step = np.meshgrid(np.arange(rings - 1), np.arange(points), indexing="ij")
    after = (step + 1) % points
    a, b = ring * points + step, ring * points + after
    c, d = b + points, a + points
    return np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]).reshape(-1, 3)


def _turned(radii: FloatArray, heights: FloatArray, scale: ArrayLike = 1.0) -> TriangleSurface:
    """Surface that a line from below upwards, in the half plane of radius and height, sweeps about z."""
    profile = _Profile(radii, heights)
    angles = np.arange(_TURN) * (2.0 * math.pi / _TURN)
    around = np.stack([np.cos(angles), np.sin(angles), np.ones(_TURN)], axis=-1)
    factors = np.broadcast_to(np.asarray(scale, dtype=np.float64), (3,))
    points = (profile.places[:, None, [0, 0, 1]] * around * factors).reshape(-1, 3)
    normals = (profile.normals[:, None, [0, 0, 1]] * around / factors).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    triangles = np.concatenate([ring_triangles(2, _TURN) + first * _TURN for first in profile.starts])
    return TriangleSurface(points, _with_area(points, triangles), normals)


class _Profile:
    """A line in the half plane of radius and height, and its normals; where it bends sharply it has a point
    for each side.

    Attributes:
        places, normals: of all points (n, 2).
        starts: those from which a step leads to the next point.
    """

    def __init__(self, radii: FloatArray, heights: FloatArray) -> None:
        line = np.column_stack([radii, heights])
        steps = np.diff(line, axis=0)
        across = steps[:, ::-1] * (1.0, -1.0)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        places, normals, self.starts = [line[0]], [_at_axis(across[0], radii[0])], [0]
        for i, (before, after) in enumerate(pairwise(across), start=1):
            smooth = bool(before @ after > _SMOOTH)
            places += [line[i]] * (1 if smooth else 2)
            normals += [before + after] if smooth else [before, after]
            self.starts.append(len(places) - 1)
        self.places = np.array([*places, line[-1]])
        self.normals = np.array([*normals, _at_axis(across[-1], radii[-1])])


def _at_axis(normal: FloatArray, radius: float) -> FloatArray:
    """The normal (2,) at an end of a profile: along the axis where the surface is smooth there."""
    mirrored = normal * (-1.0, 1.0)
    return normal + mirrored if radius == 0.0 and normal @ mirrored > _SMOOTH else normal


def _with_area(points: FloatArray, triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(triangles[areas > _POLE * areas.max()])
