"""Shapes compiled for the native detector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kido import _core
from kido.collision._convex_hull import ConvexHull
from kido.collision._kept_hull import kept_hull
from kido.collision._mesh_points import mesh_points
from kido.collision._triangle_mesh import mesh_triangles
from kido.errors import UnsupportedShapeError
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Mesh, Plane, Shape, Sphere
from kido.typing import FloatArray

__all__ = ["NativeShape", "native_shape"]


_IDENTITY = np.eye(4)
_IDENTITY.setflags(write=False)


@dataclass(frozen=True, eq=False)
class NativeShape:
    """A compiled shape, and where it lies: `T_shape_compiled` (4, 4), its frame in the description's [m]."""

    compiled: _core.CollisionShape
    T_shape_compiled: FloatArray

    def placed(self, T: FloatArray) -> FloatArray:
        """Poses (..., 4, 4) of the compiled shape, where the described one is at T (..., 4, 4) [m]."""
        return T if self.T_shape_compiled is _IDENTITY else T @ self.T_shape_compiled


def native_shape(shape: Shape) -> NativeShape:
    """A shape as the native detector takes it; a mesh as its convex hull, or its triangles (`Mesh.convex`).

    Raises:
        UnsupportedShapeError: a class of shapes that the native detector does not know.
        ValueError: a mesh whose file cannot be read, whose points span no volume, or whose triangles bound
            nothing (see `triangle_mesh`).
    """
    if isinstance(shape, Plane):
        return NativeShape(_core.CollisionShape("plane", []), _plane_frame(shape))
    return NativeShape(_compiled(shape), _IDENTITY)


def _compiled(shape: Shape) -> _core.CollisionShape:
    match shape:
        case Sphere():
            return _core.CollisionShape("sphere", [shape.radius])
        case Capsule():
            return _core.CollisionShape("capsule", [shape.radius, shape.length / 2])
        case Cylinder():
            return _core.CollisionShape("cylinder", [shape.radius, shape.length / 2])
        case Cone():
            return _core.CollisionShape("cone", [shape.radius, shape.length / 2])
        case Box():
            return _core.CollisionShape("box", shape.size / 2)
        case Ellipsoid():
            return _core.CollisionShape("ellipsoid", shape.radii)
        case HeightField():
            return _compiled_field(shape)
        case Mesh():
            path = shape.path
            return _compiled_mesh(shape, path.stat().st_mtime_ns if path is not None and path.exists() else 0)
    raise UnsupportedShapeError(type(shape).__name__, "a shape", "the native detector")


@lru_cache(maxsize=1024)
def _compiled_mesh(mesh: Mesh, stamp: int) -> _core.CollisionShape:
    """A mesh file as it was at some time."""
    if mesh.convex:
        return _compiled_hull(kept_hull(mesh_points(mesh)))
    surface = mesh_triangles(mesh)
    return _core.CollisionShape.mesh(surface.vertices, surface.triangles.ravel().tolist())


@lru_cache(maxsize=64)
def _compiled_field(field: HeightField) -> _core.CollisionShape:
    x, y = field.spacing.tolist()
    return _core.CollisionShape.height_field(field.heights, x, y)


def _compiled_hull(hull: ConvexHull) -> _core.CollisionShape:
    corners = [corner for face in hull.faces for corner in face]
    first = np.cumsum([0, *map(len, hull.faces)]).tolist()
    return _core.CollisionShape.hull(
        hull.vertices, hull.planes, first, corners, hull.edges.ravel().tolist(), hull.inner_radius
    )


def _plane_frame(plane: Plane) -> FloatArray:
    """A frame whose x-y plane is the plane, z outwards (4, 4)."""
    z = plane.normal
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (x @ z)
    x = x / np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    T[:3, 3] = z * plane.offset
    return T
