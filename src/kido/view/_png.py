"""PNG files."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["png_bytes", "write_png"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB = 2
_UP_FILTER = 2
_EFFORT = 6
"""Of the compression; the most, 9, takes four times as long for files that are 3 % smaller."""


def write_png(pixels: NDArray[np.uint8], path: Path) -> None:
    """Write pixels (height, width, 3) to a PNG file."""
    path.write_bytes(png_bytes(pixels))


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """Pixels (height, width, 3) as ISO/IEC 15948 says, each row as its difference to the one above."""
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, 3 * width)
    differences = np.diff(rows, axis=0, prepend=np.zeros((1, 3 * width), dtype=np.uint8))
    filtered = np.column_stack([np.full(height, _UP_FILTER, dtype=np.uint8), differences])
    header = struct.pack(">IIBBBBB", width, height, 8, _RGB, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), _EFFORT)), (b"IEND", b"")
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
