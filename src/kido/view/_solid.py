"""Surfaces of solids with a closed form: boxes and what turning a line about z gives."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kido.typing import ArrayLike, FloatArray
from kido.view._surface import Surface

__all__ = [
    "aligned",
    "ball",
    "box",
    "capsule",
    "cone",
    "cylinder",
    "plain",
    "ring_triangles",
    "rod",
    "square",
]

_TURN = 48
"""Number of steps around the axis."""
_ARC = 12
"""Number of steps from the equator to a pole."""
_GREY = (0.8, 0.8, 0.8, 1.0)


def box(size: ArrayLike) -> Surface:
    """Box with edges `size` (3,) [m] around the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [part for a, b, c, d in quads for part in ([a, b, c], [a, c, d])]
    return plain(corners * np.asarray(size), triangles)


def square(edge: float) -> Surface:
    """Square of length `edge` [m] around the origin, normal to z."""
    corners = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]])
    return plain(corners * edge, [[0, 1, 2], [0, 2, 3]])


def ball(radii: ArrayLike) -> Surface:
    """Sphere of radius `radii` [m], or ellipsoid with semi-axes `radii` (3,) [m]."""
    angles = np.linspace(-math.pi / 2.0, math.pi / 2.0, 2 * _ARC + 1)
    unit = _turned(np.cos(angles), np.sin(angles))
    return unit.scaled(np.broadcast_to(np.asarray(radii, dtype=np.float64), (3,)))


def cylinder(radius: float, length: float) -> Surface:
    """Cylinder along z around the origin; `radius`, `length` [m]."""
    half = length / 2.0
    return _turned(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]))


def capsule(radius: float, length: float) -> Surface:
    """Cylinder along z with half spheres at its ends; `radius`, and `length` without them [m]."""
    angles = np.linspace(0.0, math.pi / 2.0, _ARC + 1)
    wide, high = radius * np.cos(angles), radius * np.sin(angles) + length / 2.0
    return _turned(np.concatenate([wide[::-1], wide]), np.concatenate([-high[::-1], high]))


def cone(radius: float, length: float) -> Surface:
    """Cone along z, the tip at length / 2; `radius` of the base, `length` [m]."""
    half = length / 2.0
    return _turned(np.array([0.0, radius, 0.0]), np.array([-half, -half, half]))


def rod(start: FloatArray, end: FloatArray, radius: float) -> Surface:
    """Rod with round ends from point to point, each (3,) [m]; `radius` [m]."""
    axis = end - start
    return capsule(radius, float(np.linalg.norm(axis))).moved(aligned(axis, (start + end) / 2.0))


def aligned(axis: FloatArray, origin: FloatArray) -> FloatArray:
    """Pose (4, 4) [m] of a frame at `origin` (3,) whose z points along `axis` (3,), anywhere if that is 0."""
    length = float(np.linalg.norm(axis))
    z = axis / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    helper = np.eye(3)[np.argmin(np.abs(z))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    transform = np.eye(4)
    transform[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    transform[:3, 3] = origin
    return transform


def _turned(radii: FloatArray, heights: FloatArray) -> Surface:
    """Surface that a line from below upwards, in the half plane of radius and height, sweeps about z."""
    angles = np.arange(_TURN) * (2.0 * math.pi / _TURN)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    points = np.empty((len(radii), _TURN, 3))
    points[..., :2] = radii[:, None, None] * around
    points[..., 2] = heights[:, None]
    triangles = ring_triangles(len(radii), _TURN)
    flat = points.reshape(-1, 3)
    first, second, third = (flat[triangles[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(second - first, third - first), axis=-1)
    return plain(flat, triangles[areas > 1e-12 * max(1e-300, float(areas.max()))])


def ring_triangles(rings: int, points: int) -> NDArray[np.int64]:
    """Triangles (m, 3) between each of `rings` rings of `points` points and the next."""
    ring, step = np.meshgrid(np.arange(rings - 1), np.arange(points), indexing="ij")
    after = (step + 1) % points
    a, b = ring * points + step, ring * points + after
    c, d = b + points, a + points
    return np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]).reshape(-1, 3)


def plain(points: FloatArray, triangles: ArrayLike) -> Surface:
    """Grey triangles (m, 3) between `points` (k, 3) [m]."""
    rgba = np.broadcast_to(np.array(_GREY), (len(points), 4))
    return Surface(points, np.asarray(triangles, dtype=np.int64), rgba)
