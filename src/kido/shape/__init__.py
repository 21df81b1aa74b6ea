"""Geometry of bodies, for pictures and collision."""

from __future__ import annotations

from kido.shape._height_field import HeightField
from kido.shape._mesh import Mesh
from kido.shape._plane import Plane
from kido.shape._primitive import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from kido.shape._shape import Shape
from kido.shape._surface import Surface

__all__ = [
    "Box",
    "Capsule",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "HeightField",
    "Mesh",
    "Plane",
    "Shape",
    "Sphere",
    "Surface",
]
