"""The <body> element: a link, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from kido.description import FrameDescription, LinkDescription
from kido.io._resources import ResourceFinder
from kido.io._skel._geometry import GeometryReader
from kido.io._skel._inertia import InertiaReader
from kido.io._skel._shape import ShapeReader
from kido.io._skel._soft import read_soft
from kido.io._skel._transformation import read_transformation, translation
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["Body", "BodyReader"]


@dataclass(frozen=True)
class Body:
    """A body of a skeleton: its element, its link, its pose (4, 4) in the skeleton at positions zero [m]."""

    element: Element
    link: LinkDescription
    pose: FloatArray

    @property
    def name(self) -> str:
        """Name of the link."""
        return self.link.name


class BodyReader:
    """Reads the bodies of one file."""

    def __init__(self, file: TrackedXml, resources: ResourceFinder) -> None:
        self._file = file
        self._shapes = ShapeReader(file, GeometryReader(file, resources))
        self._inertias = InertiaReader(file)

    def read(self, element: Element) -> Body:
        """The body; raises ModelFileError."""
        file, shapes = self._file, self._shapes
        name = file.text(element, "name")
        seen = shapes.read(element, "visualization_shape")
        touching = shapes.read(element, "collision_shape")
        with file.at(element):
            link = LinkDescription(
                name,
                self._inertias.read(element, [*seen, *touching]),
                shapes.visuals(seen),
                shapes.collisions(touching),
                element.sourceline,
                frames=[self._marker(marker) for marker in file.find_all(element, "marker")],
                gravity=file.flag_of(element, "gravity", True),
                soft=read_soft(file, element),
            )
        return Body(element, link, read_transformation(file, element))

    def _marker(self, element: Element) -> FrameDescription:
        offset = self._file.numbers_of(element, "offset", 3, (0.0, 0.0, 0.0))
        name = self._file.text(element, "name")
        return FrameDescription(name, translation(offset), "marker", element.sourceline)
