"""Annotations of a picture: axes of frames, and trajectories."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kido.typing import FloatArray
from kido.view._color import AXIS_COLORS
from kido.view._solid import aligned, ball, cone, cylinder
from kido.view._surface import Surface
from kido.view._tube import tube

__all__ = ["frame_axes", "trajectory_line"]

_SHAFT, _HEAD, _HEAD_LENGTH = 0.035, 0.085, 0.28
"""Radius of the shaft, radius and length of the head of an arrow of length 1."""


def frame_axes(transform: FloatArray, length: float) -> Iterator[Surface]:
    """Arrows of `length` [m], red, green and blue, along the axes of a frame at `transform` (4, 4) [m]."""
    shaft, head = 1.0 - _HEAD_LENGTH, _HEAD_LENGTH
    for axis, color in zip(np.eye(3), AXIS_COLORS, strict=True):
        parts = (
            cylinder(_SHAFT * length, shaft * length).moved(aligned(axis, axis * (0.5 * shaft * length))),
            cone(_HEAD * length, head * length).moved(aligned(axis, axis * ((shaft + 0.5 * head) * length))),
        )
        for part in parts:
            yield part.moved(transform).painted(color)


def trajectory_line(points: FloatArray, radius: float, color: FloatArray) -> Iterator[Surface]:
    """A tube of `radius` [m] through `points` (k, 3) [m], and a ball where it ends."""
    yield tube(points, radius).painted(color)
    end = np.eye(4)
    end[:3, 3] = points[-1]
    yield ball(2.2 * radius).moved(end).painted(color)
