"""The <inertia> element: mass, offset, moment of inertia."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kido.collision import mesh_points
from kido.description import Inertia, combined_inertia, shape_inertia, shape_volume
from kido.io._skel._geometry import Parts, box_between
from kido.io._skel._shape import BodyShape
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.shape import Mesh, Plane
from kido.typing import FloatArray

__all__ = ["InertiaReader"]

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_UNTOLD = np.eye(3)
"""Moment of inertia of a body that says nothing about it [kg m^2]."""


class InertiaReader:
    """Reads the inertias of one file. What is not told is what DART 6.20 takes instead.

    That is 1 kg and a moment of 1 kg m^2 about each axis for a body without <inertia>. Without
    <moment_of_inertia>, the mass is spread over all shapes, those that are seen and those that touch, by
    their volume; without shapes, the moment is 1 kg m^2 about each axis.
    """

    def __init__(self, file: TrackedXml) -> None:
        self._file = file
        self._boxes: dict[Path | None, tuple[FloatArray, FloatArray] | str] = {}

    def read(self, body: Element, shapes: list[BodyShape]) -> Inertia:
        """Inertia of a body that has these shapes; raises ModelFileError."""
        file = self._file
        element = file.find(body, "inertia")
        if element is None:
            file.note(body, "substituted", "inertia: missing, taken as 1 kg and 1 kg m^2 about each axis")
            return Inertia(1.0, moment=_UNTOLD)
        mass = file.child(element, "mass")
        kilograms = file.number_of(element, "mass")
        if kilograms < 0.0:
            raise file.error(mass, f"expected no negative mass [kg], got {kilograms:g}")
        offset = np.array(file.numbers_of(element, "offset", 3, (0.0, 0.0, 0.0)))
        moments = file.find(element, "moment_of_inertia")
        if moments is None:
            moment = self._moment_of_shapes(element, kilograms, offset, shapes)
        else:
            xx, xy, xz, yy, yz, zz = (file.number_of(moments, name) for name in _MOMENTS)
            moment = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        with file.at(element):
            inertia = Inertia(kilograms, offset, moment)
        problem = inertia.problem()
        if problem is not None:
            file.note(element, "inertia", problem)
        return inertia

    def _moment_of_shapes(
        self, inertia: Element, mass: float, com: FloatArray, shapes: list[BodyShape]
    ) -> FloatArray:
        if mass == 0.0:
            return np.zeros((3, 3))
        solids = tuple((solid, shape.pose @ pose) for shape in shapes for solid, pose in self._solids(shape))
        if not solids:
            text = "moment_of_inertia: missing, and no shape has a volume; taken as 1 kg m^2 about each axis"
            self._file.note(inertia, "substituted", text)
            return _UNTOLD
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                moment = _spread(mass, com, solids)
        except (ArithmeticError, ValueError) as error:
            text = "moment_of_inertia: missing, and the shapes are too large or too small to give one"
            raise self._file.error(inertia, text) from error
        return moment

    def _solids(self, shape: BodyShape) -> Parts:
        """Solids that have the volume of a shape; of a mesh, the box around it. Planes have none."""
        geometry = shape.geometry
        part = geometry.parts[0][0]
        if isinstance(part, Plane):
            return ()
        if isinstance(part, Mesh):
            return self._box_around(shape.element, part)
        return geometry.parts if geometry.solids is None else geometry.solids

    def _box_around(self, element: Element, mesh: Mesh) -> Parts:
        """The box around a mesh; nothing where the file is missing, cannot be read, or is flat."""
        if mesh.path is None:
            return ()
        if mesh.path not in self._boxes:
            self._boxes[mesh.path] = _corners(mesh.path)
        corners = self._boxes[mesh.path]
        try:
            if isinstance(corners, str):
                raise ValueError(corners)
            return box_between(*np.sort(np.multiply(corners, mesh.scale), axis=0))
        except ValueError as error:
            text = f"has no volume that counts for the moment of inertia: {error}"
            self._file.note(element, "mesh", text)
            return ()


def _corners(path: Path) -> tuple[FloatArray, FloatArray] | str:
    """Two opposite corners (3,) of the box around the points of a file [m], or why there is none."""
    try:
        points = mesh_points(Mesh(path))
    except ValueError as error:
        return str(error)
    return (points.min(axis=0), points.max(axis=0)) if len(points) else f"mesh {path}: no points"


def _spread(mass: float, com: FloatArray, solids: Parts) -> FloatArray:
    """Moment (3, 3) about a center of mass (3,) [m] of solids of one density and their mass [kg]."""
    volumes = np.array([shape_volume(solid) for solid, _ in solids])
    shares = (volumes / volumes.sum()).tolist()
    parts = [
        shape_inertia(solid, mass * share, pose)
        for share, (solid, pose) in zip(shares, solids, strict=True)
        if mass * share != 0.0
    ]
    whole = combined_inertia(parts)
    arm = whole.com - com
    moment: FloatArray = whole.moment + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return moment
