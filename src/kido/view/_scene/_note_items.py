"""Items of frames, trajectories and the ground's grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from kido.typing import FloatArray
from kido.view._color import AXIS_COLORS, GREY, LINE_COLORS
from kido.view._scene._geometry import Lines, Points, Polyline, TriangleSurface
from kido.view._scene._item import DrawnItem, Layer
from kido.view._scene._solid import aligned, arrow

__all__ = ["axes_item", "grid_item", "grid_spacing", "trajectory_items"]

_AXES, _SHAFT = 0.09, 0.035
"""Length of axes by the scene's size, radius of their shafts by their length."""
_LINE, _END = 0.004, 2.2
"""Radius of trajectories by the scene's size, and of the ball at their end by theirs."""
_GRID_LINE = 0.001
_CELLS = 10
"""Cells of the grid from its middle to its edge."""
_LEAST_LINES = 3.0


@lru_cache(maxsize=64)
def _axes_geometry(length: float) -> TriangleSurface:
    """Arrows of `length` [m], red, green and blue, along the axes of a frame."""
    shaft = arrow(_SHAFT * length, length)
    parts = zip(np.eye(3), AXIS_COLORS, strict=True)
    return TriangleSurface.joined(
        shaft.moved(aligned(axis, np.zeros(3))).painted(color) for axis, color in parts
    )


def axes_item(key: str, size: float) -> DrawnItem:
    """The axes of a frame."""
    geometry = _axes_geometry(_AXES * size)
    return DrawnItem(key, Layer.FRAMES, geometry, has_shadow=False, is_note=True)


def trajectory_items(lines: Sequence[FloatArray], size: float) -> Iterator[DrawnItem]:
    """Lines through points (k, 3) [m], each with a ball at its end."""
    for i, line in enumerate(lines):
        color, radius = LINE_COLORS[i % len(LINE_COLORS)], _LINE * size
        for name, geometry in (
            ("line", Polyline(line, radius)),
            ("end", Points(line[-1:], _END * radius)),
        ):
            yield DrawnItem(
                f"trajectories/{i}/{name}",
                Layer.TRAJECTORIES,
                geometry,
                color,
                has_shadow=False,
                is_note=True,
            )


def grid_item(center: FloatArray, height: float, size: float) -> DrawnItem:
    """Lines of round spacing on the ground around a point (2,) at a height [m]."""
    spacing = grid_spacing(size)
    middle, reach = np.round(center / spacing) * spacing, _CELLS * spacing
    steps = np.arange(-_CELLS, _CELLS + 1) * spacing
    segments = np.empty((2, len(steps), 2, 3))
    segments[..., 2] = height
    for axis in (0, 1):
        segments[axis, :, :, axis] = middle[axis] + steps[:, None]
        segments[axis, :, :, 1 - axis] = middle[1 - axis] + np.array([-reach, reach])
    lines = Lines(segments.reshape(-1, 2, 3), _GRID_LINE * size)
    return DrawnItem("grid", Layer.GRID, lines, GREY, is_bounded=False, has_shadow=False)


def grid_spacing(size: float) -> float:
    """The largest of 1, 2, 5 times a power of ten [m] of which three fit into a size [m]."""
    power = 10.0 ** math.floor(math.log10(size / _LEAST_LINES))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= size / _LEAST_LINES)
