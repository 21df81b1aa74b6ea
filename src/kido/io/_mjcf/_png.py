"""Gray values of PNG images, of which height fields are made (https://www.w3.org/TR/png/)."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray

__all__ = ["read_gray"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
_MOST_PIXELS = 2**24


def read_gray(data: bytes) -> FloatArray:
    """Gray values (rows, columns) of an image with 8 bits a channel; of a colored one those of its red.

    Raises ValueError for anything else.
    """
    if not data.startswith(_SIGNATURE):
        raise ValueError("expected a PNG image")
    header, packed = b"", b""
    parts = []
    position = len(_SIGNATURE)
    while position + 8 <= len(data):
        (length,) = struct.unpack_from(">I", data, position)
        kind = data[position + 4 : position + 8]
        content = data[position + 8 : position + 8 + length]
        if kind == b"IHDR":
            header = content
        elif kind == b"IDAT":
            parts.append(content)
        position += 12 + length
    packed = b"".join(parts)
    if len(header) != 13:
        raise ValueError("expected a PNG image with a header")
    columns, rows, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if depth != 8 or color not in _CHANNELS or interlaced:
        raise ValueError("expected a PNG image of 8 bits a channel, without palette and interlacing")
    if not 0 < rows * columns <= _MOST_PIXELS:
        raise ValueError(f"expected an image of at most {_MOST_PIXELS} pixels, got {columns} x {rows}")
    channels = _CHANNELS[color]
    return _unfiltered(_inflated(packed, rows * (1 + columns * channels)), rows, channels)


def _inflated(packed: bytes, size: int) -> NDArray[np.uint8]:
    try:
        content = zlib.decompressobj().decompress(packed, size)
    except zlib.error as error:
        raise ValueError(f"broken PNG image: {error}") from None
    if len(content) != size:
        raise ValueError(f"broken PNG image: expected {size} bytes, got {len(content)}")
    return np.frombuffer(content, np.uint8)


def _unfiltered(content: NDArray[np.uint8], rows: int, channels: int) -> FloatArray:
    lines = content.reshape(rows, -1)
    above = np.zeros(lines.shape[1] - 1, np.uint8)
    image = np.zeros((rows, above.size), np.uint8)
    for i in range(rows):
        above = _line(int(lines[i, 0]), lines[i, 1:], above, channels)
        image[i] = above
    return image[:, ::channels].astype(np.float64)


def _line(kind: int, line: NDArray[np.uint8], above: NDArray[np.uint8], channels: int) -> NDArray[np.uint8]:
    """A line of pixels from what it differs from: left, above, both."""
    if kind == 0:
        return line
    if kind == 1:
        return line.reshape(-1, channels).cumsum(axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return line + above
    if kind not in (3, 4):
        raise ValueError(f"broken PNG image: unknown filter {kind}")
    result, upper = bytearray(line.tobytes()), above.tobytes()
    for i in range(len(result)):
        left = result[i - channels] if i >= channels else 0
        corner = upper[i - channels] if i >= channels else 0
        near = (left + upper[i]) // 2 if kind == 3 else _nearest(left, upper[i], corner)
        result[i] = (result[i] + near) & 255
    return np.frombuffer(bytes(result), np.uint8)


def _nearest(left: int, up: int, corner: int) -> int:
    """Paeth's predictor."""
    guess = left + up - corner
    far = (abs(guess - left), abs(guess - up), abs(guess - corner))
    return (left, up, corner)[far.index(min(far))]
