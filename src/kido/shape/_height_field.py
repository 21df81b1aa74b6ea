"""Ground given by heights over a grid."""

from __future__ import annotations

from kido.shape._shape import Shape
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, checked, value

__all__ = ["HeightField"]


def _grid_of_heights(name: str, value: ArrayLike) -> FloatArray:
    heights = frozen_array(name, value, (-1, -1), "m")
    if min(heights.shape) < 2:
        raise ValueError(f"{name}: expected at least two rows and columns, got shape {heights.shape}")
    return heights


def _positive_spacing(name: str, value: ArrayLike) -> FloatArray:
    spacing = frozen_array(name, value, (2,), "m")
    if not (spacing > 0.0).all():
        raise ValueError(f"{name}: expected positive numbers [m], got {spacing.tolist()}")
    return spacing


@value
class HeightField(Shape):
    """Solid below a grid of heights: terrain.

    `heights` (rows, columns) [m]: rows along y, columns along x, centered at the origin; `spacing` (2,) of
    the grid along x and y [m]. `heights[i, j]` stands at x = (j - (columns - 1) / 2) spacing[0] and
    y = (i - (rows - 1) / 2) spacing[1]. Each cell is two triangles, parted by the diagonal from its least x
    and y to its greatest.
    """

    heights: Array = checked(_grid_of_heights)
    spacing: Array = checked(_positive_spacing, default=(1.0, 1.0))
