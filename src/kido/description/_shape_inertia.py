"""Volume and inertia of solids of uniform density.

The moments are those of every handbook of mechanics; a capsule is a cylinder and two half spheres.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from kido.description._inertia import Inertia
from kido.description._transform import frozen_transform
from kido.shape import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Mesh,
    MeshSolid,
    Shape,
    Sphere,
    Triangles,
    load_triangles,
    mesh_solid,
)
from kido.typing import TransformLike
from kido.values import checked_positive

__all__ = ["combined_inertia", "shape_inertia", "shape_volume"]

MeshContent: TypeAlias = Literal["closed", "hull", "shell"]
"""What of a mesh has volume or mass."""

_CONTENTS = {"closed": "exact", "hull": "convex", "shell": "shell"}


@dataclass(frozen=True, slots=True)
class _Solid:
    """Volume [m^3]; center of mass on z [m]; moments about x, y, z through it for 1 kg [m^2]."""

    volume: float
    com: float
    moments: tuple[float, float, float]


def shape_volume(shape: Shape, *, mesh: MeshContent = "closed") -> float:
    """Volume of a solid [m^3].

    `mesh` says what of a mesh counts: the volume that its triangles bound ("closed"), its convex hull
    ("hull"), or its surface, whose area is given [m^2] ("shell").

    Raises TypeError for a plane, a height field, or what is no shape; ValueError as `shape_inertia`.
    """
    if isinstance(shape, Mesh):
        return _mesh_solid(shape, mesh).size
    return _solid(shape).volume


def shape_inertia(
    shape: Shape, mass: float, transform: TransformLike | None = None, *, mesh: MeshContent = "closed"
) -> Inertia:
    """Inertia of a solid of uniform density; its mass is the density times `shape_volume`.

    Args:
        shape: box, sphere, cylinder, capsule, ellipsoid, cone or mesh.
        mass: of the solid, positive [kg].
        transform: pose (4, 4) of the shape in the link [m]; None: the link's own frame.
        mesh: what of a mesh has the mass: what its triangles bound ("closed"), its convex hull ("hull"), or
            its surface ("shell").

    Returns:
        Mass, center of mass and moment in the link's axes.

    Raises:
        TypeError: a plane, a height field, or what is no shape.
        ValueError: a mass that is not positive, what is no transform, a mesh that cannot be read or has
            nothing of what is to count: triangles that are not closed bound no volume.
    """
    if isinstance(shape, Mesh):
        return _mesh_inertia(_mesh_solid(shape, mesh), mass, transform)
    solid = _solid(shape)
    weight = checked_positive("mass", mass, "kg")
    T = frozen_transform("transform", transform)
    R = T[:3, :3]
    moment = weight * (R * solid.moments) @ R.T
    return Inertia(weight, T[:3, 3] + R[:, 2] * solid.com, (moment + moment.T) / 2.0)


def combined_inertia(inertias: Iterable[Inertia]) -> Inertia:
    """Inertia of parts of one rigid body, all given in the same axes.

    By the parallel axis theorem.

    Raises ValueError where no part has mass.
    """
    parts = tuple(inertias)
    mass = math.fsum(part.mass for part in parts)
    if mass <= 0.0:
        raise ValueError(
            f"inertias: expected parts with mass, got {len(parts)} that have {mass:g} kg together"
        )
    com = np.sum([part.mass * part.com for part in parts], axis=0) / mass
    moment = np.zeros((3, 3))
    for part in parts:
        arm = part.com - com
        moment += part.moment + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertia(mass, com, moment)


def _mesh_inertia(solid: MeshSolid, mass: float, transform: TransformLike | None) -> Inertia:
    weight = checked_positive("mass", mass, "kg")
    T = frozen_transform("transform", transform)
    R = T[:3, :3]
    moment = weight * R @ solid.moment @ R.T
    return Inertia(weight, R @ solid.com + T[:3, 3], (moment + moment.T) / 2.0)


def _mesh_solid(mesh: Mesh, content: str) -> MeshSolid:
    """Volume and moments of a mesh, those of its last uses kept; raises ValueError."""
    if content not in _CONTENTS:
        raise ValueError(f"mesh: expected one of {', '.join(_CONTENTS)}, got {content!r}")
    if mesh.path is None:
        return _inline_solid(mesh, content)
    surface = load_triangles(mesh)  # the same one as long as the file stays as it is
    solids = _READ.setdefault(surface, {})
    if content not in solids:
        solids[content] = _computed_solid(mesh, surface.joined, content)
    return solids[content]


@lru_cache(maxsize=256)
def _inline_solid(mesh: Mesh, content: str) -> MeshSolid:
    return _computed_solid(mesh, load_triangles(mesh).joined, content)


def _computed_solid(mesh: Mesh, surface: Triangles, content: str) -> MeshSolid:
    name = mesh.uri or "mesh"
    if content == "closed" and not surface.is_watertight:
        advice = "mesh='hull' takes the convex hull, mesh='shell' the surface"
        raise ValueError(
            f"mesh {name!r}: expected triangles that bound a volume, got {len(surface.triangles)} with "
            f"{surface.open_edges} open sides; {advice}"
        )
    try:
        return mesh_solid(surface.vertices, surface.triangles, _CONTENTS[content])
    except ValueError as error:
        raise ValueError(f"mesh {name!r}: {error}") from None


_READ: WeakKeyDictionary[Triangles, dict[str, MeshSolid]] = WeakKeyDictionary()
"""What triangles of files bound, as long as these are kept."""


def _solid(shape: Shape) -> _Solid:
    if type(shape) not in _SOLIDS:
        known = ", ".join(kind.__name__ for kind in _SOLIDS)
        raise TypeError(f"shape: expected one of {known}, got {type(shape).__name__}")
    return _SOLIDS[type(shape)](shape)


def _box(box: Box) -> _Solid:
    x, y, z = (box.size**2 / 12.0).tolist()
    return _Solid(float(box.size.prod()), 0.0, (y + z, x + z, x + y))


def _ellipsoid(ellipsoid: Ellipsoid) -> _Solid:
    x, y, z = (ellipsoid.radii**2 / 5.0).tolist()
    volume = 4.0 / 3.0 * math.pi * float(ellipsoid.radii.prod())
    return _Solid(volume, 0.0, (y + z, x + z, x + y))


def _sphere(sphere: Sphere) -> _Solid:
    return _ellipsoid(Ellipsoid((sphere.radius,) * 3))


def _cylinder(cylinder: Cylinder) -> _Solid:
    r, h = cylinder.radius, cylinder.length
    across = r * r / 4.0 + h * h / 12.0
    return _Solid(math.pi * r * r * h, 0.0, (across, across, r * r / 2.0))


def _cone(cone: Cone) -> _Solid:
    r, h = cone.radius, cone.length
    across = 3.0 / 20.0 * r * r + 3.0 / 80.0 * h * h
    return _Solid(math.pi * r * r * h / 3.0, -h / 4.0, (across, across, 0.3 * r * r))


def _capsule(capsule: Capsule) -> _Solid:
    r, h = capsule.radius, capsule.length
    tube, ends = math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3
    volume = tube + ends
    along = (tube / 2.0 + ends * 0.4) * r * r
    across = tube * (r * r / 4.0 + h * h / 12.0) + ends * (0.4 * r * r + h * h / 4.0 + 0.375 * h * r)
    return _Solid(volume, 0.0, (across / volume, across / volume, along / volume))


_SOLIDS: dict[type[Shape], Callable[[Any], _Solid]] = {
    Box: _box,
    Sphere: _sphere,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Ellipsoid: _ellipsoid,
    Cone: _cone,
}
