"""Binary STL files."""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray

__all__ = ["binary_stl_corners"]

_HEADER = 84
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def binary_stl_corners(data: bytes) -> FloatArray | None:
    """Corners (n, 3, 3) of the triangles of a binary STL file; None for what is a text.

    A file that begins as a text is binary if it has the length that its number of triangles asks for.

    Raises ValueError for a file that is shorter than it says.
    """
    told = int.from_bytes(data[80:84], "little") if len(data) >= _HEADER else 0
    needed = _HEADER + told * _TRIANGLE.itemsize
    if data[:80].lstrip().lower().startswith(b"solid") and len(data) != needed:
        return None
    if len(data) < max(needed, _HEADER):
        raise ValueError(f"cut off: {told} triangles need {needed} bytes, there are {len(data)}")
    triangles = np.frombuffer(data, _TRIANGLE, told, _HEADER)
    with np.errstate(invalid="ignore"):  # some that are no numbers say so when they are read
        return np.asarray(triangles["corners"], dtype=np.float64)
