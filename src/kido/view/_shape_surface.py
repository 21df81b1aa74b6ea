"""Surfaces of the shapes of a skeleton."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from kido.collision import field_triangles
from kido.errors import ModelWarning
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Mesh, Plane, Shape, Sphere
from kido.skeleton import ShapeNode, Skeleton
from kido.view._color import GREY
from kido.view._mesh_file import MeshFileError, read_mesh
from kido.view._solid import aligned, ball, box, capsule, cone, cylinder, plain, square
from kido.view._surface import Surface

__all__ = ["shape_surface", "shape_surfaces"]

_PLANE_EDGE = 20.0
"""Length of the part of a plane that is drawn [m]."""


def shape_surfaces(skeleton: Skeleton, *, collision: bool) -> list[Surface]:
    """The visual or the collision shapes of a skeleton, in world coordinates.

    Warns with ModelWarning of meshes that cannot be drawn, and leaves them out.
    """
    found = []
    for node in skeleton.nodes(ShapeNode):
        if node.collision if collision else node.visual:
            surface = _node_surface(node)
            if surface is not None:
                found.append(surface.moved(node.transform()))
    return found


def shape_surface(shape: Shape) -> Surface:
    """The surface of a shape in its own frame [m].

    Raises:
        MeshFileError: a mesh that cannot be read.
        TypeError: a shape that cannot be drawn.
    """
    for kind, make in _MAKERS.items():
        if isinstance(shape, kind):
            return make(shape)
    raise TypeError(f"shape: expected one of kido.shape, got {type(shape).__name__}")


def _node_surface(node: ShapeNode) -> Surface | None:
    try:
        surface = shape_surface(node.shape)
    except MeshFileError as error:
        message = f"{node.skeleton.name!r}: mesh of {node.name!r} is not drawn: {error}"
        warnings.warn(message, ModelWarning, stacklevel=2)
        return None
    if node.material is not None:
        return surface.painted(node.material.rgba)
    uncolored = (surface.rgba[:, 3] == 0.0)[:, None] | (not isinstance(node.shape, Mesh))
    return Surface(
        surface.points, surface.triangles, np.where(uncolored, GREY, surface.rgba), surface.bounded
    )


def _mesh(shape: Mesh) -> Surface:
    if shape.vertices is not None and shape.triangles is not None:
        return plain(shape.vertices, shape.triangles.astype(np.intp)).scaled(shape.scale)
    if shape.path is None:
        raise MeshFileError(f"{shape.uri}: file not found")
    return read_mesh(shape.path).scaled(shape.scale)


def _height_field(shape: HeightField) -> Surface:
    ground = field_triangles(shape)
    return plain(ground.vertices, ground.triangles)


def _plane(shape: Plane) -> Surface:
    part = square(_PLANE_EDGE).moved(aligned(shape.normal, shape.normal * shape.offset))
    return Surface(part.points, part.triangles, part.rgba, bounded=False)


_MAKERS: dict[type[Shape], Callable[[Any], Surface]] = {
    Box: lambda shape: box(shape.size),
    Sphere: lambda shape: ball(shape.radius),
    Ellipsoid: lambda shape: ball(shape.radii),
    Cylinder: lambda shape: cylinder(shape.radius, shape.length),
    Capsule: lambda shape: capsule(shape.radius, shape.length),
    Cone: lambda shape: cone(shape.radius, shape.length),
    Plane: _plane,
    HeightField: _height_field,
    Mesh: _mesh,
}
