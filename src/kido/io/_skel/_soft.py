"""The <soft_shape> element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kido.description import SoftDescription
from kido.io._skel._transformation import read_transformation
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.shape import Box, Cylinder, Ellipsoid, Shape, Sphere

__all__ = ["read_soft"]

_Skin = tuple[Shape, tuple[int, ...]]


def read_soft(file: TrackedXml, body: Element) -> SoftDescription | None:
    """The soft skin of a body; None if it has none."""
    element = file.find(body, "soft_shape")
    if element is None:
        return None
    geometry = file.child(element, "geometry")
    for child in geometry:
        read = _SKINS.get(str(child.tag))
        if read is not None:
            with file.at(child):
                shape, divisions = read(file, file.enter(child))
            break
    else:
        raise file.error(geometry, f"expected one of {', '.join(_SKINS)}, got none")
    given: dict[str, Any] = {"origin": read_transformation(file, element), "line": element.sourceline}
    for tag, name in (("kv", "vertex_stiffness"), ("ke", "edge_stiffness"), ("damp", "damping")):
        if element.find(tag) is not None:
            given[name] = file.number_of(element, tag)
    with file.at(element):
        return SoftDescription(shape, file.number_of(element, "total_mass"), divisions, **given)


def _sphere(file: TrackedXml, element: Element) -> _Skin:
    return Sphere(file.number_of(element, "radius")), _slices_and_stacks(file, element)


def _box(file: TrackedXml, element: Element) -> _Skin:
    return Box(file.numbers_of(element, "size", 3)), file.wholes_of(element, "frags", 3)


def _ellipsoid(file: TrackedXml, element: Element) -> _Skin:
    radii = np.divide(file.numbers_of(element, "size", 3), 2.0)
    return Ellipsoid(radii), _slices_and_stacks(file, element)


def _cylinder(file: TrackedXml, element: Element) -> _Skin:
    shape = Cylinder(file.number_of(element, "radius"), file.number_of(element, "height"))
    return shape, (*_slices_and_stacks(file, element), file.whole_of(element, "num_rings"))


def _slices_and_stacks(file: TrackedXml, element: Element) -> tuple[int, ...]:
    return file.whole_of(element, "num_slices"), file.whole_of(element, "num_stacks")


_SKINS: dict[str, Callable[[TrackedXml, Element], _Skin]] = {
    "sphere": _sphere,
    "box": _box,
    "ellipsoid": _ellipsoid,
    "cylinder": _cylinder,
}
