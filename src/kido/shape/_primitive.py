"""Solids with a closed form: box, sphere, cylinder, capsule, ellipsoid, cone."""

from __future__ import annotations

from dataclasses import dataclass

from kido.shape._shape import Shape, positive_length
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["Box", "Capsule", "Cone", "Cylinder", "Ellipsoid", "Sphere"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Box(Shape):
    """Box centred at the origin with edges along the axes; `size` (3,) full edge lengths [m]."""

    size: FloatArray

    def __init__(self, size: ArrayLike) -> None:
        self._assign(size=_positive_lengths("size", size))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Sphere(Shape):
    """Sphere around the origin; `radius` [m]."""

    radius: float

    def __init__(self, radius: float) -> None:
        self._assign(radius=positive_length("radius", radius))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Cylinder(Shape):
    """Cylinder along z, centred at the origin; `radius` [m], `length` [m]."""

    radius: float
    length: float

    def __init__(self, radius: float, length: float) -> None:
        self._assign(radius=positive_length("radius", radius), length=positive_length("length", length))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Capsule(Shape):
    """Capsule along z, centred at the origin; `radius` [m], `length` of the cylindrical part [m]."""

    radius: float
    length: float

    def __init__(self, radius: float, length: float) -> None:
        self._assign(radius=positive_length("radius", radius), length=positive_length("length", length))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Ellipsoid(Shape):
    """Ellipsoid around the origin with its axes along x, y, z; `radii` (3,) semi-axes [m]."""

    radii: FloatArray

    def __init__(self, radii: ArrayLike) -> None:
        self._assign(radii=_positive_lengths("radii", radii))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Cone(Shape):
    """Cone along z, base at z = -length / 2, tip at length / 2; `radius` of the base [m], `length` [m]."""

    radius: float
    length: float

    def __init__(self, radius: float, length: float) -> None:
        self._assign(radius=positive_length("radius", radius), length=positive_length("length", length))


def _positive_lengths(name: str, value: ArrayLike) -> FloatArray:
    lengths = frozen_array(name, value, (3,), "m")
    if not (lengths > 0.0).all():
        raise ValueError(f"{name}: expected positive numbers [m], got {lengths.tolist()}")
    return lengths
