"""Solids with a closed form: box, sphere, cylinder, capsule, ellipsoid, cone."""

from __future__ import annotations

from kido.shape._shape import Shape, positive_lengths
from kido.values import Array, checked, number, value

__all__ = ["Box", "Capsule", "Cone", "Cylinder", "Ellipsoid", "Sphere"]


@value
class Box(Shape):
    """Box centred at the origin with edges along the axes; `size` (3,) full edge lengths [m]."""

    size: Array = checked(positive_lengths)


@value
class Sphere(Shape):
    """Sphere around the origin; `radius` [m]."""

    radius: float = number(unit="m", positive=True)


@value
class Cylinder(Shape):
    """Cylinder along z, centred at the origin; `radius` [m], `length` [m]."""

    radius: float = number(unit="m", positive=True)
    length: float = number(unit="m", positive=True)


@value
class Capsule(Shape):
    """Capsule along z, centred at the origin; `radius` [m], `length` of the cylindrical part [m]."""

    radius: float = number(unit="m", positive=True)
    length: float = number(unit="m", positive=True)


@value
class Ellipsoid(Shape):
    """Ellipsoid around the origin with its axes along x, y, z; `radii` (3,) semi-axes [m]."""

    radii: Array = checked(positive_lengths)


@value
class Cone(Shape):
    """Cone along z, base at z = -length / 2, tip at length / 2; `radius` of the base [m], `length` [m]."""

    radius: float = number(unit="m", positive=True)
    length: float = number(unit="m", positive=True)
