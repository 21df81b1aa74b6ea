"""Materials: defined for the whole robot or inside a link, and referred to by name."""

from __future__ import annotations

from kido.description import Material
from kido.io._resources import ResourceFinder
from kido.io._xml import Element, XmlFile

__all__ = ["Materials"]


class Materials:
    """The materials of one file. A definition serves every reference to its name, before or after it.

    Where several define a name, those of the whole robot come first, then the order of the file.
    """

    def __init__(self, file: XmlFile, resources: ResourceFinder, robot: Element) -> None:
        self._file = file
        self._resources = resources
        self._by_name: dict[str, Material] = {}
        inside_links = robot.iterfind("link/visual/material")
        for element in (*robot.iterfind("material"), *inside_links):
            name = element.get("name")
            if name and name not in self._by_name and _is_definition(element):
                self._by_name[name] = self._define(element, name)

    def of(self, owner: Element) -> Material | None:
        """The material of a visual; None if it has none."""
        element = owner.find("material")
        if element is None:
            return None
        name = element.get("name")
        if _is_definition(element):
            return self._define(element, name)
        if name and name not in self._by_name:
            self._file.note(element, "material", f"no material named {name!r} is defined")
        return self._by_name.get(name, Material(name)) if name else None

    def _define(self, element: Element, name: str | None) -> Material:
        color = element.find("color")
        texture = element.find("texture")
        image = None if texture is None else self._texture(texture)
        if color is None:
            return Material(name, texture=image)
        rgba = self._file.numbers(color, "rgba", 4)
        clipped = tuple(min(max(part, 0.0), 1.0) for part in rgba)
        if clipped != rgba:
            self._file.note(color, "material", f"rgba: expected numbers in [0, 1], got {rgba}; clipped")
        return Material(name, clipped, image)

    def _texture(self, element: Element) -> str | None:
        uri = element.get("filename")
        if not uri:
            return None
        path = self._resources.find(uri)
        return uri if path is None else str(path)


def _is_definition(element: Element) -> bool:
    texture = element.find("texture")
    return element.find("color") is not None or (texture is not None and bool(texture.get("filename")))
