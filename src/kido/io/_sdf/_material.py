"""The <material> element of a visual: its diffuse color and its texture."""

from __future__ import annotations

from kido.description import Material
from kido.io._sdf._file import SdfFile, content
from kido.io._sdf._model_finder import ModelFinder
from kido.io._xml import Element

__all__ = ["read_material"]

_TEXTURE = "pbr/metal/albedo_map"


def read_material(file: SdfFile, finder: ModelFinder, visual: Element) -> Material | None:
    """The material of a visual, None if it has none; transparency is in its color.

    Raises ModelFileError.
    """
    element = visual.find("material")
    opacity = _opacity(file, visual)
    if element is None:
        return None if opacity == 1.0 else Material(rgba=(0.8, 0.8, 0.8, opacity))
    file.ignore_rest(element, ("diffuse", "script", "pbr"))
    name = _script(file, element.find("script"))
    texture = _texture(file, finder, element)
    diffuse = element.find("diffuse")
    if diffuse is None:
        known = {"rgba": (0.8, 0.8, 0.8, opacity)} if opacity != 1.0 else {}
        return Material(name, texture=texture, **known) if name or texture or known else None
    rgba = file.values(diffuse, 3 if len(content(diffuse).split()) == 3 else 4)
    clipped = tuple(min(max(part, 0.0), 1.0) for part in rgba)
    if clipped != rgba:
        file.note(diffuse, "material", f"expected numbers in [0, 1], got {rgba}; clipped")
    red, green, blue, *alpha = clipped
    return Material(name, (red, green, blue, (alpha[0] if alpha else 1.0) * opacity), texture)


def _opacity(file: SdfFile, visual: Element) -> float:
    transparency = visual.find("transparency")
    if transparency is None:
        return 1.0
    (share,) = file.values(transparency, 1)
    if not 0.0 <= share <= 1.0:
        file.note(transparency, "material", f"expected a number in [0, 1], got {share:g}; clipped")
    return 1.0 - min(max(share, 0.0), 1.0)


def _script(file: SdfFile, script: Element | None) -> str | None:
    """Name of the material that a script defines; the script itself is not read."""
    if script is None:
        return None
    name = content(script.find("name"))
    file.ignore(script, f"only its name is kept: {name}" if name else "scripts of materials are not read")
    return name or None


def _texture(file: SdfFile, finder: ModelFinder, material: Element) -> str | None:
    pbr = material.find("pbr")
    if pbr is None:
        return None
    file.ignore_rest(pbr, ("metal",))
    metal = pbr.find("metal")
    if metal is not None:
        file.ignore_rest(metal, ("albedo_map",))
    element = material.find(_TEXTURE)
    uri = content(element)
    if element is None or not uri:
        return None
    path = finder.locate_file(file, element, uri)
    return uri if path is None else str(path)
