"""Primitives that are fitted to a mesh: geoms of another type that name one."""

from __future__ import annotations

import numpy as np

from kido.io._mjcf._mesh import MeshAsset
from kido.io._mjcf._node import Node
from kido.io._mjcf._orientation import moved_by
from kido.shape import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from kido.typing import FloatArray

__all__ = ["fitted", "principal_axes"]


def fitted(node: Node, kind: str, mesh: MeshAsset, by_bounds: bool) -> tuple[Shape | None, FloatArray]:
    """The shape of a type, and its pose in the geom (4, 4).

    It is as large as the box of the mesh's inertia, or as its bounds in the axes of that inertia. None, with
    a diagnostic, where the mesh has none.
    """
    if kind in ("plane", "hfield"):
        raise node.error(f"mesh: a {kind} is not fitted to one", "mesh")
    solid, content = mesh.solid, mesh.triangles
    if solid is None or content is None:
        node.note("geometry", f"left out: nothing that a {kind} could be fitted to")
        return None, np.eye(4)
    axes, half = principal_axes(solid.moment)
    pose = moved_by(*solid.com)
    pose[:3, :3] = axes
    if by_bounds:
        points = (content[0] - solid.com) @ axes
        low, high = points.min(axis=0), points.max(axis=0)
        pose[:3, 3] += axes @ ((low + high) / 2.0)
        half = (high - low) / 2.0
    half = half * node.number("fitscale", 1.0)
    if not (np.isfinite(half).all() and (half > 0.0).all()):
        node.note("geometry", f"left out: the mesh is too flat for a {kind}")
        return None, np.eye(4)
    return _sized(kind, half, by_bounds), pose


def principal_axes(moment: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Axes (3, 3) of an inertia for each kilogram, the largest first, and half edges of its box."""
    values, vectors = np.linalg.eigh(moment)
    values, vectors = values[::-1], vectors[:, ::-1].copy()
    if np.linalg.det(vectors) < 0.0:
        vectors[:, 2] = -vectors[:, 2]
    squares = (values.sum() - 2.0 * values) * 1.5
    return vectors, np.sqrt(np.maximum(squares, 0.0))


def _sized(kind: str, half: FloatArray, by_bounds: bool) -> Shape:
    x, y, z = half.tolist()
    match kind:
        case "sphere":
            return Sphere(max(x, y, z) if by_bounds else (x + y + z) / 3.0)
        case "capsule":
            radius = max(x, y) if by_bounds else (x + y) / 2.0
            length = z - radius if by_bounds else z - radius / 2.0
            return Capsule(radius, 2.0 * length) if length > 0.0 else Sphere(radius)
        case "cylinder":
            return Cylinder(max(x, y) if by_bounds else (x + y) / 2.0, 2.0 * z)
        case "ellipsoid":
            return Ellipsoid(half)
    return Box(2.0 * half)
