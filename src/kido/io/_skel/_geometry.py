"""The <geometry> element of a shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kido.description import planar_axes
from kido.io._resources import ResourceFinder
from kido.io._skel._transformation import translation
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from kido.typing import FloatArray

__all__ = ["Geometry", "GeometryReader", "Parts", "box_between"]

Parts: TypeAlias = tuple[tuple[Shape, FloatArray], ...]
"""Shapes, each with its pose (4, 4) [m]."""

_NO_MOTION = np.eye(4)


@dataclass(frozen=True)
class Geometry:
    """One shape of the file.

    Attributes:
        parts: the shapes that stand for it, each with its pose (4, 4) in the frame of the whole [m].
        solids: what has its volume, likewise; None: the parts have.
    """

    parts: Parts
    solids: Parts | None = None


class GeometryReader:
    """Reads the geometries of one file."""

    def __init__(self, file: TrackedXml, resources: ResourceFinder) -> None:
        self._file = file
        self._resources = resources
        self._readers: dict[str, Callable[[Element], Geometry]] = {
            "sphere": lambda e: _exactly(Sphere(file.number_of(e, "radius"))),
            "box": lambda e: _exactly(Box(file.numbers_of(e, "size", 3))),
            "ellipsoid": lambda e: _exactly(Ellipsoid(np.divide(file.numbers_of(e, "size", 3), 2.0))),
            "cylinder": lambda e: _exactly(Cylinder(*self._round(e))),
            "capsule": lambda e: _exactly(Capsule(*self._round(e))),
            "cone": lambda e: _exactly(Cone(*self._round(e))),
            "plane": lambda e: _exactly(self._plane(e)),
            "mesh": lambda e: _exactly(self._mesh(e)),
            "multi_sphere": self._multi_sphere,
        }

    def read(self, owner: Element) -> Geometry | None:
        """The first geometry that is known; None, and a diagnostic, if there is none."""
        geometry = self._file.child(owner, "geometry")
        for child in geometry:
            read = self._readers.get(str(child.tag))
            if read is not None:
                with self._file.at(child):
                    return read(self._file.enter(child))
        known = ", ".join(self._readers)
        self._file.note(geometry, "geometry", f"left out: expected one of {known}")
        return None

    def _round(self, element: Element) -> tuple[float, float]:
        return self._file.number_of(element, "radius"), self._file.number_of(element, "height")

    def _plane(self, element: Element) -> Plane:
        normal = self._file.numbers_of(element, "normal", 3)
        if element.find("offset") is None and element.find("point") is not None:
            point = self._file.numbers_of(element, "point", 3)
            plane = Plane(normal)
            return Plane(normal, float(plane.normal @ point))
        return Plane(normal, self._file.number_of(element, "offset", 0.0))

    def _mesh(self, element: Element) -> Mesh:
        uri = self._file.content(self._file.child(element, "file_name"))
        path = self._resources.find(uri)
        if path is None:
            self._file.note(element, "mesh", f"file not found: {uri}")
        return Mesh(path, uri, self._file.numbers_of(element, "scale", 3, (1.0, 1.0, 1.0)))

    def _multi_sphere(self, element: Element) -> Geometry:
        """The hull of spheres: a sphere, a capsule, or else its spheres without what is between them."""
        spheres = [
            (self._file.number_of(e, "radius"), np.array(self._file.numbers_of(e, "position", 3)))
            for e in self._file.find_all(element, "sphere")
        ]
        if not spheres:
            raise self._file.error(element, "expected <sphere> elements, got none")
        parts: Parts = tuple((Sphere(radius), translation(tuple(center))) for radius, center in spheres)
        if len(spheres) == 1:
            return Geometry(parts)
        if len(spheres) == 2 and spheres[0][0] == spheres[1][0]:
            return Geometry(_capsule(spheres[0][0], spheres[0][1], spheres[1][1]))
        text = f"substituted by its {len(spheres)} spheres, without the hull around them"
        self._file.note(element, "substituted", text)
        low = np.min([center - radius for radius, center in spheres], axis=0)
        high = np.max([center + radius for radius, center in spheres], axis=0)
        return Geometry(parts, box_between(low, high))


def box_between(low: FloatArray, high: FloatArray) -> Parts:
    """The box between two corners (3,) [m]."""
    return ((Box(high - low), translation(tuple(low + (high - low) / 2.0))),)


def _exactly(shape: Shape) -> Geometry:
    return Geometry(((shape, _NO_MOTION),))


def _capsule(radius: float, start: FloatArray, end: FloatArray) -> Parts:
    """The hull of two equal spheres."""
    line = end - start
    length = float(np.linalg.norm(line))
    pose = translation(tuple((start + end) / 2.0))
    if length == 0.0:
        return ((Sphere(radius), pose),)
    capsule = Capsule(radius, length)
    pose[:3, :2], pose[:3, 2] = planar_axes(line).T, line / length
    return ((capsule, pose),)
