"""Geometry of shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kido.collision import field_triangles
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Mesh, Plane, Shape, Sphere
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._mesh_geometry import mesh_geometry
from kido.view._scene._shading import shaded
from kido.view._scene._solid import aligned, ball, box, capsule, cone, cylinder, square

__all__ = ["shape_geometry"]

_PLANE_EDGE = 20.0
"""Length of the part of a plane that is drawn [m]."""
_KEPT_FIELDS = 64


def shape_geometry(shape: Shape) -> TriangleSurface:
    """The surface of a shape in its own frame [m]; the same object for equal shapes.

    Raises:
        MeshGeometryError: a mesh that cannot be read.
        TypeError: a shape that cannot be drawn.
    """
    for kind, make in _MAKERS.items():
        if isinstance(shape, kind):
            return make(shape)
    raise TypeError(f"shape: expected one of kido.shape, got {type(shape).__name__}")


@lru_cache(maxsize=_KEPT_FIELDS)
def _height_field(field: HeightField) -> TriangleSurface:
    ground = field_triangles(field)
    return shaded(TriangleSurface(ground.vertices, ground.triangles))


@lru_cache(maxsize=_KEPT_FIELDS)
def _plane(plane: Plane) -> TriangleSurface:
    return square(_PLANE_EDGE).moved(aligned(plane.normal, plane.normal * plane.offset))


_MAKERS: dict[type[Shape], Callable[[Any], TriangleSurface]] = {
    Box: lambda shape: box(*shape.size.tolist()),
    Sphere: lambda shape: ball(shape.radius),
    Ellipsoid: lambda shape: ball(*shape.radii.tolist()),
    Cylinder: lambda shape: cylinder(shape.radius, shape.length),
    Capsule: lambda shape: capsule(shape.radius, shape.length),
    Cone: lambda shape: cone(shape.radius, shape.length),
    Plane: _plane,
    HeightField: _height_field,
    Mesh: mesh_geometry,
}
