"""Solids and shells of uniform density: volume or area, and inertia for each kilogram.

The moments are those of every handbook of mechanics. The shell of an ellipsoid is not of uniform thickness:
it lies between the ellipsoid and one whose semi-axes are longer by one small length, and its area is Knud
Thomsen's approximation (https://www.numericana.com/answer/ellipsoid.htm#thomsen).
"""

from __future__ import annotations

import math

import numpy as np

from kido.description import shape_inertia, shape_volume
from kido.shape import Box, Capsule, Cylinder, Ellipsoid, MeshSolid, Shape, Sphere

__all__ = ["solid_of"]

_THOMSEN = 1.6075


def solid_of(shape: Shape, shell: bool) -> MeshSolid | None:
    """Solid that a shape bounds, or its surface as a `shell`; None where that is too large or small to
    tell."""
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            return _shell(shape) if shell else _solid(shape)
        except (ValueError, OverflowError):
            return None


def _solid(shape: Shape) -> MeshSolid:
    moment = shape_inertia(shape, 1.0).moment
    return MeshSolid(shape_volume(shape), np.zeros(3), np.array(moment))


def _shell(shape: Shape) -> MeshSolid:
    moments: tuple[float, ...]
    match shape:
        case Sphere():
            area, moments = 4.0 * math.pi * shape.radius**2, (2.0 / 3.0 * shape.radius**2,) * 3
        case Box():
            area, moments = _box(*(shape.size / 2.0).tolist())
        case Cylinder():
            area, moments = _cylinder(shape.radius, shape.length / 2.0)
        case Capsule():
            area, moments = _capsule(shape.radius, shape.length / 2.0)
        case Ellipsoid():
            area, moments = _ellipsoid(*shape.radii.tolist())
        case _:
            raise ValueError("shape: expected one with a surface")
    return MeshSolid(area, np.zeros(3), np.diag(moments))


def _box(a: float, b: float, c: float) -> tuple[float, tuple[float, ...]]:
    """Six faces of a box with these half edges: sums of squares over faces, by area."""
    faces = np.array([8.0 * b * c, 8.0 * c * a, 8.0 * a * b])
    half = np.array([a, b, c])
    squares = [
        float(sum(faces[k] * (half[i] ** 2 if k == i else half[i] ** 2 / 3.0) for k in range(3)))
        for i in range(3)
    ]
    area = float(faces.sum())
    x, y, z = (square / area for square in squares)
    return area, (y + z, z + x, x + y)


def _cylinder(r: float, h: float) -> tuple[float, tuple[float, ...]]:
    """Side and two discs of a cylinder of half length h."""
    side, discs = 4.0 * math.pi * r * h, 2.0 * math.pi * r * r
    area = side + discs
    along = side * r * r + discs * r * r / 2.0
    across = side * (r * r / 2.0 + h * h / 3.0) + discs * (r * r / 4.0 + h * h)
    return area, (across / area, across / area, along / area)


def _capsule(r: float, h: float) -> tuple[float, tuple[float, ...]]:
    """Side of a cylinder of half length h and two half spheres, whose centers are r / 2 from the rims."""
    side, ends = 4.0 * math.pi * r * h, 4.0 * math.pi * r * r
    area = side + ends
    along = side * r * r + ends * 2.0 / 3.0 * r * r
    across = side * (r * r / 2.0 + h * h / 3.0) + ends * (2.0 / 3.0 * r * r + h * h + h * r)
    return area, (across / area, across / area, along / area)


def _ellipsoid(a: float, b: float, c: float) -> tuple[float, tuple[float, ...]]:
    """Derivative of volume and inertia by a length that is added to all semi-axes."""
    powers = ((a * b) ** _THOMSEN + (b * c) ** _THOMSEN + (c * a) ** _THOMSEN) / 3.0
    area = 4.0 * math.pi * powers ** (1.0 / _THOMSEN)
    growth = 1.0 / a + 1.0 / b + 1.0 / c
    x, y, z = ((s * s + 2.0 * s / growth) / 5.0 for s in (a, b, c))
    return area, (y + z, z + x, x + y)
