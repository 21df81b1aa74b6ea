"""Binary STL files."""

from __future__ import annotations

import codecs

from kido import _core
from kido.typing import FloatArray

__all__ = ["binary_stl_points"]

_HEADER = 84
_TRIANGLE = 50
_NAME = 4096
"""Bytes in which the name of a solid in a text ends."""
_UNSCALED = (1.0, 1.0, 1.0)


def binary_stl_points(
    data: bytes, scale: tuple[float, float, float] = _UNSCALED
) -> tuple[FloatArray, int] | None:
    """Corners (3 n, 3) of the n triangles of a binary STL file, times `scale` for each axis, and how many of
    them are not finite before that; None for what is a text.

    A file that begins as a text is binary if it has the length that its number of triangles asks for, or goes
    on as no text does.

    Raises ValueError for a file that is shorter than it says.
    """
    told = int.from_bytes(data[80:84], "little") if len(data) >= _HEADER else 0
    needed = _HEADER + told * _TRIANGLE
    if len(data) != needed and _is_text(data):
        return None
    if len(data) < max(needed, _HEADER):
        raise ValueError(f"cut off: {told} triangles need {needed} bytes, there are {len(data)}")
    return _core.binary_stl_points(data, told, scale)


def _is_text(data: bytes) -> bool:
    begin = data[:_NAME].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    return begin.startswith(b"solid") and (b"facet" in begin or b"endsolid" in begin)
