"""The <hfield> element: a grid of heights, inline or in a file."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from kido.errors import ModelFileError
from kido.io._mjcf._node import Node
from kido.io._mjcf._png import read_gray
from kido.io._model_bytes import read_model_bytes
from kido.shape import HeightField
from kido.typing import FloatArray

__all__ = ["read_height_field"]

_MOST_HEIGHTS = 2**24


def read_height_field(asset: Node, path: Path | None) -> HeightField | None:
    """The field of an asset, None with a diagnostic where its file is missing or cannot be read.

    Heights are between 0 and the third of the sizes. What the fourth says of its foot has no effect: the
    ground below is solid all the way. Raises ModelFileError.
    """
    x, y, height, _ = asset.floats("size", 4, 4)
    if min(x, y, height) <= 0.0:
        raise asset.error(f"size: expected positive numbers, got {asset.text('size')[:200]}", "size")
    grid = _grid_of_file(asset, path) if asset.has("file") else _inline_grid(asset)
    if grid is None:
        return None
    if min(grid.shape) < 2:
        raise asset.error(f"expected at least two rows and columns, got {grid.shape[0]} and {grid.shape[1]}")
    low, high = float(grid.min()), float(grid.max())
    unit = (grid - low) / (high - low) if high > low else np.zeros(grid.shape)
    rows, columns = grid.shape
    return HeightField(unit * height, (2.0 * x / (columns - 1), 2.0 * y / (rows - 1)))


def _inline_grid(asset: Node) -> FloatArray:
    rows, columns = asset.whole("nrow", 0), asset.whole("ncol", 0)
    if not 0 <= rows <= _MOST_HEIGHTS or not 0 <= columns <= _MOST_HEIGHTS or rows * columns > _MOST_HEIGHTS:
        raise asset.error(f"expected at most {_MOST_HEIGHTS} heights, got {rows} times {columns}", "nrow")
    if not asset.has("elevation"):
        return np.zeros((rows, columns))
    heights = asset.floats("elevation", rows * columns, rows * columns)
    return np.array(heights).reshape(rows, columns)[::-1]  # the first row is the one of the greatest y


def _grid_of_file(asset: Node, path: Path | None) -> FloatArray | None:
    name = asset.text("file")
    if path is None:
        asset.note("mesh", f"file not found: {name}", "file")
        return None
    try:
        data = read_model_bytes(path, 4 * _MOST_HEIGHTS + 8)
        grid = read_gray(data)[::-1] if data.startswith(b"\x89PNG") else _binary(data)
    except (ModelFileError, ValueError, OSError) as error:
        asset.note("mesh", f"{name}: {error}", "file")
        return None
    return grid


def _binary(data: bytes) -> FloatArray:
    """MuJoCo's own format: rows, columns, heights. Raises ValueError."""
    if len(data) < 8:
        raise ValueError("expected a PNG image or a grid of heights, got neither")
    rows, columns = struct.unpack_from("<ii", data)
    if rows < 1 or columns < 1 or len(data) != 8 + 4 * rows * columns:
        raise ValueError(f"expected {rows} times {columns} heights, got {(len(data) - 8) / 4:g}")
    grid = np.frombuffer(data, "<f4", offset=8).reshape(rows, columns).astype(np.float64)
    if not np.isfinite(grid).all():
        raise ValueError("expected finite heights")
    return grid
