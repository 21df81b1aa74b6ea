"""Shapes compiled for collision beside the same of coal, and their support functions in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement

import coal
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from kido import _core
from kido.collision import ConvexHull, convex_hull

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape: `reach(n)`, largest n . x over it for directions (..., 3) in its axes; `outside(p)`, a
    distance of points (..., 3) from it or less, negative inside."""

    name: str
    shape: _core.CollisionShape
    peer: coal.CollisionGeometry
    reach: Callable[[Floats], Floats]
    outside: Callable[[Floats], Floats]
    is_curved: bool = False


def ball_points(count: int, radius: float, seed: int = 5) -> Floats:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return radius * points / np.linalg.norm(points, axis=1, keepdims=True)


def compiled_hull(hull: ConvexHull) -> _core.CollisionShape:
    corners = [corner for face in hull.faces for corner in face]
    first = np.cumsum([0, *map(len, hull.faces)]).tolist()
    edges = hull.edges.ravel().tolist()
    return _core.CollisionShape.hull(hull.vertices, hull.planes, first, corners, edges, hull.inner_radius)


def _peer_hull(hull: ConvexHull) -> coal.Convex:
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in hull.vertices:
        points.append(vertex)
    for face in hull.faces:
        for k in range(1, len(face) - 1):
            triangles.append(coal.Triangle(face[0], face[k], face[k + 1]))
    return coal.Convex(points, triangles)


def _across(v: Floats) -> Floats:
    return np.hypot(v[..., 0], v[..., 1])


def sphere(radius: float) -> Solid:
    return Solid(
        "sphere",
        _core.CollisionShape("sphere", [radius]),
        coal.Sphere(radius),
        lambda n: radius * np.linalg.norm(n, axis=-1),
        lambda p: np.linalg.norm(p, axis=-1) - radius,
    )


def capsule(radius: float, half: float) -> Solid:
    return Solid(
        "capsule",
        _core.CollisionShape("capsule", [radius, half]),
        coal.Capsule(radius, 2 * half),
        lambda n: half * np.abs(n[..., 2]) + radius * np.linalg.norm(n, axis=-1),
        lambda p: np.hypot(_across(p), np.maximum(np.abs(p[..., 2]) - half, 0.0)) - radius,
    )


def box(*half: float) -> Solid:
    return Solid(
        "box",
        _core.CollisionShape("box", half),
        coal.Box(*(2 * h for h in half)),
        lambda n: np.abs(n) @ np.array(half),
        lambda p: (np.abs(p) - half).max(axis=-1),
    )


def cylinder(radius: float, half: float) -> Solid:
    return Solid(
        "cylinder",
        _core.CollisionShape("cylinder", [radius, half]),
        coal.Cylinder(radius, 2 * half),
        lambda n: radius * _across(n) + half * np.abs(n[..., 2]),
        lambda p: np.maximum(_across(p) - radius, np.abs(p[..., 2]) - half),
        is_curved=True,
    )


def cone(radius: float, half: float) -> Solid:
    slant = np.hypot(radius, 2 * half)
    return Solid(
        "cone",
        _core.CollisionShape("cone", [radius, half]),
        coal.Cone(radius, 2 * half),
        lambda n: np.maximum(half * n[..., 2], radius * _across(n) - half * n[..., 2]),
        lambda p: np.maximum(
            -half - p[..., 2], ((_across(p) - radius) * 2 * half + (p[..., 2] + half) * radius) / slant
        ),
        is_curved=True,
    )


def ellipsoid(*half: float) -> Solid:
    return Solid(
        "ellipsoid",
        _core.CollisionShape("ellipsoid", half),
        coal.Ellipsoid(*half),
        lambda n: np.linalg.norm(n * half, axis=-1),
        lambda p: (np.linalg.norm(p / half, axis=-1) - 1.0) * min(half),
        is_curved=True,
    )


def hull(name: str, points: Floats) -> Solid:
    made = convex_hull(points)
    return Solid(
        name,
        compiled_hull(made),
        _peer_hull(made),
        lambda n: (n @ made.vertices.T).max(axis=-1),
        lambda p: (p @ made.planes[:, :3].T - made.planes[:, 3]).max(axis=-1),
    )


def plane() -> Solid:
    return Solid(
        "plane",
        _core.CollisionShape("plane", []),
        coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
        lambda n: np.where(n[..., 2] > 1.0 - 1e-13, 0.0, np.inf),
        lambda p: p[..., 2],
    )


def prism_points(sides: int, radius: float, half: float) -> Floats:
    angles = 2 * np.pi * np.arange(sides) / sides
    rim = np.column_stack([radius * np.cos(angles), radius * np.sin(angles)])
    return np.concatenate([np.column_stack([rim, np.full(sides, z)]) for z in (-half, half)])


SOLIDS = [
    sphere(0.3),
    capsule(0.2, 0.4),
    box(0.3, 0.5, 0.2),
    cylinder(0.25, 0.3),
    cone(0.3, 0.35),
    ellipsoid(0.3, 0.2, 0.45),
    hull("stone", ball_points(24, 0.3)),
    hull("prism", prism_points(6, 0.3, 0.2)),
    hull("boulder", ball_points(200, 0.35, 6)),
    plane(),
]
PAIRS = [pair for pair in combinations_with_replacement(SOLIDS, 2) if pair[0].name != "plane"]
PAIR_NAMES = [f"{a.name} and {b.name}" for a, b in PAIRS]


def poses(count: int, reach: float, seed: int) -> Floats:
    """Random poses (count, 4, 4); every fourth turned by right angles."""
    rng = np.random.default_rng(seed)
    turns = Rotation.random(count, rng=rng)
    quarters = Rotation.from_euler("xyz", rng.integers(0, 4, (count, 3)) * 90, degrees=True)
    T = np.tile(np.eye(4), (count, 1, 1))
    T[:, :3, :3] = turns.as_matrix()
    T[::4, :3, :3] = np.round(quarters.as_matrix()[::4])
    T[:, :3, 3] = rng.uniform(-reach, reach, (count, 3))
    return T


def seen(T: Floats, vector: Floats) -> Floats:
    """World vectors (..., 3) in the axes of poses (..., 4, 4)."""
    return np.einsum("...ji,...j->...i", T[..., :3, :3], vector)


def separation(a: Solid, T_a: Floats, b: Solid, T_b: Floats, normal: Floats) -> Floats:
    """How far b lies behind a, seen along normals (..., 3) from b to a."""
    centers = ((T_a[..., :3, 3] - T_b[..., :3, 3]) * normal).sum(axis=-1)
    return np.asarray(centers - a.reach(-seen(T_a, normal)) - b.reach(seen(T_b, normal)))


def outside(solid: Solid, T: Floats, points: Floats) -> Floats:
    """Distances of world points (..., 3) from a solid in a pose, or less."""
    return solid.outside(seen(T, points - T[..., :3, 3]))
