"""The <inertial> element: mass, center of mass and moments, given or computed from collisions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.description import Inertia, ShapePlacement, combined_inertia, shape_inertia, shape_volume
from kido.errors import KidoError
from kido.io._sdf._file import SdfFile
from kido.io._sdf._pose import read_pose
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["read_inertia"]

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_UNIT = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0}
_WATER = 1000.0  # [kg/m^3]
_MASS_KEPT = (1, 12)
_DENSITIES = ("density", "material_density")


def read_inertia(
    file: SdfFile, link: Element, collisions: Iterable[tuple[Element, ShapePlacement]], static: bool
) -> Inertia | None:
    """Inertia of a link; raises ModelFileError.

    Without <inertial> it is what SDFormat says: 1 kg, and moments of 1 kg m^2; None for a link that stands.
    """
    inertial = link.find("inertial")
    if inertial is None:
        if static:
            return None
        file.note(link, "default", "has no <inertial>: 1 kg with moments of 1 kg m^2")
        return _default()
    if file.flag_attribute(inertial, "auto"):
        file.ignore_rest(inertial, ("mass", "density"), ("auto",))
        inertia = _computed(file, inertial, tuple(collisions))
    else:
        file.ignore_rest(inertial, ("pose", "mass", "inertia"), ("auto",))
        inertia = _given(file, inertial)
    problem = inertia.problem()
    if problem is not None:
        file.note(inertial, "inertia", problem)
    return inertia


def _default() -> Inertia:
    return Inertia(1.0, moment=np.eye(3))


def _mass(file: SdfFile, inertial: Element, default: float) -> float:
    mass = file.child_number(inertial, "mass", default)
    if mass < 0.0:
        raise file.error(file.child(inertial, "mass"), f"expected no negative mass [kg], got {mass:g}")
    return mass


def _given(file: SdfFile, inertial: Element) -> Inertia:
    for tag in ("mass", "inertia"):
        if inertial.find(tag) is None:
            told = "1 kg" if tag == "mass" else "1 kg m^2 about each axis"
            file.note(inertial, "default", f"has no <{tag}>: {told}")
    mass = _mass(file, inertial, 1.0)
    T, relative_to = read_pose(file, inertial)
    if relative_to:
        file.note(file.child(inertial, "pose"), "ignored", f"relative_to: ignored: {relative_to}")
    moment = _moment(file, inertial.find("inertia"))
    com = (0.0, 0.0, 0.0) if T is None else T[:3, 3]
    with file.at(inertial):
        return Inertia(mass, com, moment if T is None else _turned(moment, T[:3, :3]))


def _moment(file: SdfFile, inertia: Element | None) -> FloatArray:
    if inertia is None:
        return np.eye(3)
    file.ignore_rest(inertia, _MOMENTS)
    xx, xy, xz, yy, yz, zz = (file.child_number(inertia, tag, _UNIT.get(tag, 0.0)) for tag in _MOMENTS)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _turned(moment: FloatArray, rotation: FloatArray) -> FloatArray:
    if (rotation == np.eye(3)).all():
        return moment
    with np.errstate(over="ignore", invalid="ignore"):
        turned: FloatArray = rotation @ moment @ rotation.T
        return turned / 2.0 + turned.T / 2.0


def _computed(
    file: SdfFile, inertial: Element, collisions: tuple[tuple[Element, ShapePlacement], ...]
) -> Inertia:
    """Inertia of the collisions as solids of their densities or the link's; since 1.12 scaled to its mass."""
    density = _density(file, inertial, _WATER)
    parts = []
    for element, placed in collisions:
        own = _density(file, element, density)
        try:
            mass = own * shape_volume(placed.shape)
            parts.append(shape_inertia(placed.shape, mass, placed.origin))
        except (KidoError, OSError, TypeError, ValueError) as error:
            file.note(element, "ignored", f"auto: adds nothing to the inertia: {_reason(placed, error)}")
    if not parts:
        file.note(inertial, "default", "auto: no collision has a volume: 1 kg with moments of 1 kg m^2")
        return _default()
    with file.at(inertial):
        total = combined_inertia(parts)
    mass_element = inertial.find("mass")
    if mass_element is None:
        return total
    if file.version < _MASS_KEPT:
        file.ignore(mass_element, "auto computes the mass of collisions before version 1.12")
        return total
    mass = _mass(file, inertial, total.mass)
    with file.at(inertial):
        return Inertia(mass, total.com, total.moment * (mass / total.mass))


def _reason(placed: ShapePlacement, error: Exception) -> str:
    """The reason why a shape has no known volume."""
    if isinstance(error, TypeError):
        return f"a {type(placed.shape).__name__.lower()} has no volume"
    return str(error)


def _density(file: SdfFile, owner: Element, default: float) -> float:
    element = next((child for child in owner if child.tag in _DENSITIES), None)
    if element is None:
        return default
    (density,) = file.values(element, 1)
    if density <= 0.0:
        raise file.error(element, f"expected a positive density [kg/m^3], got {density:g}")
    return density
