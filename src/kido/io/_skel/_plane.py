"""The <plane> element of planar and two-dimensional translational joints."""

from __future__ import annotations

import numpy as np

from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.typing import FloatArray, frozen_direction

__all__ = ["plane_endings", "read_plane"]

_AXES = {
    "xy": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    "yz": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "zx": ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
}
_ORTHOGONALITY = 1e-6


def read_plane(file: TrackedXml, joint: Element) -> FloatArray:
    """The two orthonormal axes (2, 3) in which a joint moves; x and y if it has no plane."""
    plane = file.find(joint, "plane")
    if plane is None:
        return np.array(_AXES["xy"])
    kind = file.text(plane, "type")
    if kind in _AXES:
        return np.array(_AXES[kind])
    if kind != "arbitrary":
        raise file.error(plane, f"type: expected one of {', '.join(_AXES)}, arbitrary, got {kind!r}")
    first, second = (_direction(file, plane, tag) for tag in ("translation_axis1", "translation_axis2"))
    overlap = float(first @ second)
    if abs(overlap) > _ORTHOGONALITY:
        file.note(
            plane, "substituted", "the second axis is not orthogonal to the first; taken as its part that is"
        )
        with file.at(plane):
            second = frozen_direction("translation_axis2", second - overlap * first)
    return np.array([first, second])


def plane_endings(file: TrackedXml, joint: Element) -> tuple[str, str]:
    """Endings of the names of the two translations of a joint, as DART has them."""
    plane = file.find(joint, "plane")
    kind = "xy" if plane is None else str(file.attribute(plane, "type"))
    return (f"_{kind[0]}", f"_{kind[1]}") if kind in _AXES else ("_1", "_2")


def _direction(file: TrackedXml, plane: Element, tag: str) -> FloatArray:
    axis = file.child(plane, tag)
    numbers = file.numbers_of(axis, "xyz", 3)
    with file.at(axis):
        return frozen_direction("xyz", numbers)
