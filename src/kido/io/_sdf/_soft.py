"""The <soft_shape> element, an extension of DART."""

from __future__ import annotations

import numpy as np

from kido.description import SoftDescription
from kido.io._sdf._file import SdfFile
from kido.io._xml import Element
from kido.shape import Box, Cylinder, Ellipsoid, Shape, Sphere
from kido.typing import FloatArray

__all__ = ["SOFT_TAG", "read_soft"]

SOFT_TAG = "soft_shape"
_TAGS = ("pose", "geometry", "total_mass", "kv", "ke", "damp")
_LIKE_BOX = ("size", "frags")
_ROUND = ("num_slices", "num_stacks")
_MOST = 1e6


def read_soft(file: SdfFile, element: Element, origin: FloatArray | None) -> SoftDescription:
    """A soft skin whose shape is at a pose (4, 4) in its link; None: at the link's origin."""
    file.ignore_rest(element, _TAGS)
    geometry = element.find("geometry")
    if geometry is None or len(geometry) == 0:
        raise file.error(element, "expected a <geometry> with a shape, got none")
    with file.at(geometry[0]):
        shape, divisions = _shape(file, geometry[0])
    with file.at(element):
        return SoftDescription(
            shape,
            file.child_number(element, "total_mass"),
            divisions,
            origin,
            file.child_number(element, "kv", 1.0),
            file.child_number(element, "ke", 1.0),
            file.child_number(element, "damp", 0.01),
            line=element.sourceline,
        )


def _shape(file: SdfFile, element: Element) -> tuple[Shape, tuple[int, ...]]:
    if element.tag == "box":
        file.ignore_rest(element, _LIKE_BOX)
        counts = file.child_numbers(element, "frags", 3, (3.0, 3.0, 3.0))
        return Box(file.child_numbers(element, "size", 3)), _whole(file, element, "frags", counts)
    if element.tag == "sphere":
        file.ignore_rest(element, ("radius", *_ROUND))
        return Sphere(file.child_number(element, "radius")), _counts(file, element, _ROUND)
    if element.tag == "ellipsoid":
        file.ignore_rest(element, ("size", *_ROUND))
        return Ellipsoid(np.divide(file.child_numbers(element, "size", 3), 2.0)), _counts(
            file, element, _ROUND
        )
    if element.tag == "cylinder":
        names = (*_ROUND, "num_rings")
        file.ignore_rest(element, ("radius", "height", *names))
        shape = Cylinder(file.child_number(element, "radius"), file.child_number(element, "height"))
        return shape, _counts(file, element, names)
    raise file.error(element, "expected a box, sphere, ellipsoid or cylinder")


def _counts(file: SdfFile, element: Element, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(_whole(file, element, name, (file.child_number(element, name),))[0] for name in names)


def _whole(file: SdfFile, element: Element, name: str, numbers: tuple[float, ...]) -> tuple[int, ...]:
    if any(x % 1.0 or not 1.0 <= x <= _MOST for x in numbers):
        raise file.error(element, f"{name}: expected whole numbers from 1 to {_MOST:g}, got {numbers}")
    return tuple(int(x) for x in numbers)
