"""Binary STL files."""

from __future__ import annotations

from kido import _core
from kido.typing import FloatArray

__all__ = ["binary_stl_points"]

_HEADER = 84
_TRIANGLE = 50
_UNSCALED = (1.0, 1.0, 1.0)


def binary_stl_points(
    data: bytes, scale: tuple[float, float, float] = _UNSCALED
) -> tuple[FloatArray, int] | None:
    """Corners (3 n, 3) of the n triangles of a binary STL file, times `scale` for each axis, and how many of
    them are not finite before that; None for what is a text.

    A file that begins as a text is binary if it has the length that its number of triangles asks for.

    Raises ValueError for a file that is shorter than it says.
    """
    told = int.from_bytes(data[80:84], "little") if len(data) >= _HEADER else 0
    needed = _HEADER + told * _TRIANGLE
    if len(data) != needed and data[:80].lstrip().lower().startswith(b"solid"):
        return None
    if len(data) < max(needed, _HEADER):
        raise ValueError(f"cut off: {told} triangles need {needed} bytes, there are {len(data)}")
    return _core.binary_stl_points(data, told, scale)
