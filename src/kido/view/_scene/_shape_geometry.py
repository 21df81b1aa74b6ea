"""Geometry of shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from kido.collision import field_triangles
from kido.description import Inertia
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Mesh, Plane, Shape, Sphere
from kido.typing import FloatArray
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._inertia_box import inertia_box
from kido.view._scene._mesh_geometry import mesh_geometry
from kido.view._scene._shading import shaded
from kido.view._scene._solid import aligned, ball, box, capsule, cone, cylinder, square

__all__ = ["shape_geometry", "substitute_geometry"]

_PLANE_EDGE = 20.0
"""Length of the part of a plane that is drawn [m]."""
_KEPT_FIELDS = 64
_SMALL = 0.1
"""Edge of the box that stands for a mesh on a body without mass [m]."""


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


def substitute_geometry(inertia: Inertia) -> tuple[TriangleSurface, FloatArray]:
    """What stands for a mesh that cannot be read, and its pose (4, 4) on its body [m]: the box of the body's
    inertia."""
    found = inertia_box(inertia)
    return (box(_SMALL, _SMALL, _SMALL), np.eye(4)) if found is None else found


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
