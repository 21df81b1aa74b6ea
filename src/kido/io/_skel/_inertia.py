"""The <inertia> element: mass, offset, moment of inertia."""

from __future__ import annotations

import numpy as np

from kido.collision import mesh_points
from kido.description import Inertia, shape_inertia
from kido.io._skel._shape import BodyShape
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.shape import Mesh, Plane
from kido.typing import FloatArray

__all__ = ["read_inertia"]

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_UNTOLD = np.eye(3)
"""Moment of inertia of a body that says nothing about it [kg m^2]."""
_ROUNDING = 1e-12


def read_inertia(file: TrackedXml, body: Element, shapes: list[BodyShape]) -> Inertia:
    """Inertia of a body, which has these shapes; what is not told is what DART takes instead.

    That is 1 kg and a moment of 1 kg m^2 about each axis for a body without <inertia>, and the moment of its
    first shape, as if it stood in the body's axes at the center of mass, for one without <moment_of_inertia>.
    """
    element = file.find(body, "inertia")
    if element is None:
        file.note(body, "substituted", "inertia: missing, taken as 1 kg and 1 kg m^2 about each axis")
        return Inertia(1.0, moment=_UNTOLD)
    mass = file.child(element, "mass")
    kilograms = file.number_of(element, "mass")
    if kilograms < 0.0:
        raise file.error(mass, f"expected no negative mass [kg], got {kilograms:g}")
    offset = file.numbers_of(element, "offset", 3, (0.0, 0.0, 0.0))
    moments = file.find(element, "moment_of_inertia")
    if moments is None:
        moment = _moment_of_shapes(file, element, kilograms, shapes)
    else:
        xx, xy, xz, yy, yz, zz = (file.number_of(moments, name) for name in _MOMENTS)
        moment = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    with file.at(element):
        inertia = Inertia(kilograms, offset, moment)
    problem = inertia.problem()
    if problem is not None:
        file.note(element, "inertia", problem)
    return inertia


def _moment_of_shapes(file: TrackedXml, inertia: Element, mass: float, shapes: list[BodyShape]) -> FloatArray:
    if not shapes:
        text = "moment_of_inertia: missing, and there are no shapes; taken as 1 kg m^2 about each axis"
        file.note(inertia, "substituted", text)
        return _UNTOLD
    first = shapes[0]
    try:
        moment = mass * _unit_moment(first)
    except ValueError as error:
        text = f"moment_of_inertia: missing, taken as 1 kg m^2 about each axis; {error}"
        file.note(inertia, "substituted", text)
        return _UNTOLD
    R = first.pose[:3, :3]
    if np.abs(R @ moment @ R.T - moment).max() > _ROUNDING * np.abs(moment).max():
        text = "moment_of_inertia: missing, taken from the first shape as if it were not turned in the body"
        file.note(inertia, "substituted", text)
    return moment


def _unit_moment(shape: BodyShape) -> FloatArray:
    """Moment (3, 3) about its own center of a shape that has 1 kg [m^2]; of meshes and of spheres in a hull,
    that of the box around them. Raises ValueError for a mesh that cannot be read."""
    geometry = shape.geometry
    part = geometry.parts[0][0]
    if isinstance(part, Plane):
        return np.zeros((3, 3))
    if isinstance(part, Mesh):
        points = mesh_points(part)
        if not len(points):
            raise ValueError(f"mesh {part.uri!r}: no points")
        return _box_moment(np.ptp(points, axis=0))
    return shape_inertia(part, 1.0).moment if geometry.extents is None else _box_moment(geometry.extents)


def _box_moment(size: FloatArray) -> FloatArray:
    return np.diag(np.sum(size**2) - size**2) / 12.0
