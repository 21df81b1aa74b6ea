"""The <link> element: inertial, visuals, collisions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kido.description import Inertia, LinkDescription, ShapePlacement
from kido.io._resources import ResourceFinder
from kido.io._urdf._material import Materials
from kido.io._urdf._origin import read_origin
from kido.io._xml import Element, XmlFile
from kido.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from kido.typing import FloatArray

__all__ = ["LinkReader"]


class LinkReader:
    """Reads the links of one file."""

    def __init__(self, file: XmlFile, resources: ResourceFinder, materials: Materials) -> None:
        self._file = file
        self._resources = resources
        self._materials = materials
        self._meshes: dict[tuple[str, tuple[float, ...]], Mesh] = {}
        self._shapes: dict[str, Callable[[Element], Shape]] = {
            "box": lambda e: Box(file.numbers(e, "size", 3)),
            "sphere": lambda e: Sphere(file.number(e, "radius")),
            "cylinder": lambda e: Cylinder(file.number(e, "radius"), file.number(e, "length")),
            "capsule": lambda e: Capsule(file.number(e, "radius"), file.number(e, "length")),
            "mesh": self._mesh,
        }

    def read(self, element: Element) -> LinkDescription:
        """The link; raises ModelFileError."""
        return LinkDescription(
            self._file.text(element, "name"),
            self._inertia(element),
            self._placements(element, "visual"),
            self._placements(element, "collision"),
            element.sourceline,
        )

    def _inertia(self, link: Element) -> Inertia | None:
        inertial = link.find("inertial")
        if inertial is None:
            return None
        file = self._file
        mass = file.child(inertial, "mass")
        kilograms = file.number(mass, "value")
        if kilograms < 0.0:
            raise file.error(mass, f"value: expected no negative mass [kg], got {kilograms:g}")
        moments = file.child(inertial, "inertia")
        xx, xy, xz, yy, yz, zz = (file.number(moments, name) for name in _MOMENTS)
        moment = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        pose = read_origin(file, inertial)
        with file.at(inertial):
            inertia = Inertia(kilograms, pose[:3, 3], _rotated(moment, pose[:3, :3]))
        problem = inertia.problem()
        if problem is not None:
            file.note(inertial, "inertia", problem)
        return inertia

    def _placements(self, link: Element, tag: str) -> list[ShapePlacement]:
        placements = []
        for element in link.iterfind(tag):
            shape = self._shape(element)
            if shape is not None:
                material = self._materials.of(element) if tag == "visual" else None
                pose = read_origin(self._file, element)
                placements.append(ShapePlacement(element.get("name"), shape, pose, material))
        return placements

    def _shape(self, owner: Element) -> Shape | None:
        geometry = owner.find("geometry")
        for element in () if geometry is None else geometry:
            read = self._shapes.get(str(element.tag))
            if read is not None:
                with self._file.at(element):
                    return read(element)
        known = ", ".join(self._shapes)
        self._file.note(owner, "geometry", f"left out: expected a geometry of {known}, got none")
        return None

    def _mesh(self, element: Element) -> Mesh:
        uri = self._file.text(element, "filename")
        path = self._resources.find(uri)
        if path is None:
            self._file.note(element, "mesh", f"file not found: {uri}")
        scale = self._file.numbers(element, "scale", 3, (1.0, 1.0, 1.0))
        known = self._meshes.get((uri, scale))
        if known is None:
            known = self._meshes[uri, scale] = Mesh(path, uri, scale)
        return known


_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_NO_TURN = np.eye(3)


def _rotated(moment: FloatArray, rotation: FloatArray) -> FloatArray:
    if (rotation == _NO_TURN).all():
        return moment
    with np.errstate(over="ignore", invalid="ignore"):
        turned: FloatArray = rotation @ moment @ rotation.T
        return turned / 2.0 + turned.T / 2.0
