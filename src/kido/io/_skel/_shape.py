"""The <visualization_shape> and <collision_shape> elements."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kido.description import Material, ShapePlacement
from kido.io._skel._geometry import Geometry, GeometryReader
from kido.io._skel._transformation import read_transformation
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["BodyShape", "ShapeReader"]


@dataclass(frozen=True)
class BodyShape:
    """A shape of a body: its element, its geometry, and its pose (4, 4) in the body [m]."""

    element: Element
    geometry: Geometry
    pose: FloatArray


class ShapeReader:
    """Reads the shapes of one file."""

    def __init__(self, file: TrackedXml, geometries: GeometryReader) -> None:
        self._file = file
        self._geometries = geometries

    def read(self, body: Element, tag: str) -> list[BodyShape]:
        """The shapes of a body that have this tag."""
        shapes = []
        for element in self._file.find_all(body, tag):
            geometry, pose = self._geometries.read(element), read_transformation(self._file, element)
            if geometry is not None:
                shapes.append(BodyShape(element, geometry, pose))
        return shapes

    def visuals(self, shapes: list[BodyShape]) -> list[ShapePlacement]:
        """Shapes as they are seen."""
        return [
            ShapePlacement(self._name(shape), part, shape.pose @ pose, self._material(shape.element))
            for shape in shapes
            for part, pose in shape.geometry.parts
        ]

    def collisions(self, shapes: list[BodyShape]) -> list[ShapePlacement]:
        """Shapes as they touch; those that are not collidable touch nothing."""
        placements = []
        for shape in shapes:
            collidable = self._file.flag_of(shape.element, "collidable", True)
            for part, pose in shape.geometry.parts:
                placed = ShapePlacement(self._name(shape), part, shape.pose @ pose)
                placements.append(placed if collidable else replace(placed, category=0, collides_with=0))
        return placements

    def _name(self, shape: BodyShape) -> str | None:
        return self._file.attribute(shape.element, "name") or None

    def _material(self, shape: Element) -> Material | None:
        color = self._file.find(shape, "color")
        if color is None:
            return None
        text = self._file.content(color)
        count = 4 if len(text.split()) == 4 else 3
        numbers = self._file.parsed(color, "", text, count)
        clipped = np.clip(numbers, 0.0, 1.0)
        if (clipped != numbers).any():
            self._file.note(color, "material", f"expected numbers in [0, 1], got {numbers}; clipped")
        return Material(None, (*clipped, 1.0)[:4])
