"""The part of a picture in which something is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.typing import FloatArray
from kido.view._camera import ANGLE, Camera
from kido.view._scene import DrawnItem, Label, is_plane

__all__ = ["Crop", "crop_around", "smallest_pixel"]

_MARGIN = 3
"""Pixels around what is drawn."""
_NEAR = 1e-6
"""Of the distance to the target; what is nearer to the camera can be anywhere in the picture."""


@dataclass(frozen=True, slots=True)
class Crop:
    """Pixels of a picture of `whole` (width, height), from the left and from the top."""

    whole: tuple[int, int]
    left: int
    top: int
    width: int
    height: int

    @property
    def rows(self) -> slice:
        """Rows of the picture."""
        return slice(self.top, self.top + self.height)

    @property
    def columns(self) -> slice:
        """Columns of the picture."""
        return slice(self.left, self.left + self.width)

    @property
    def angle(self) -> float:
        """Angle from its lower to its upper edge, were it in the middle of the picture [deg]."""
        return 2.0 * math.degrees(
            math.atan(math.tan(math.radians(ANGLE / 2.0)) * self.height / self.whole[1])
        )

    @property
    def offset(self) -> tuple[float, float]:
        """From the middle of the picture to its own, to the right and up, by half its width and height."""
        right = 2.0 * self.left + self.width - self.whole[0]
        down = 2.0 * self.top + self.height - self.whole[1]
        return right / self.width, -down / self.height


def crop_around(
    items: Sequence[DrawnItem],
    points: FloatArray,
    camera: Camera,
    size: tuple[int, int],
) -> Crop:
    """The part of a picture of (width, height) [pixel] in which items are that reach over some points.

    `points` (k, 3) [m]. All of the picture where that cannot be told.
    """
    everything = Crop(size, 0, 0, *size)
    if not items or any(is_plane(item) or isinstance(item.geometry, Label) for item in items):
        return everything
    back = camera.position - camera.target
    distance = float(np.linalg.norm(back))
    back = back / distance
    right = np.cross(camera.up, back)
    right /= np.linalg.norm(right)
    ways = points - camera.position
    depth = -ways @ back
    if (depth < _NEAR * distance).any():
        return everything
    scale = 0.5 * size[1] / math.tan(math.radians(ANGLE / 2.0))
    columns = 0.5 * size[0] + scale * (ways @ right) / depth
    rows = 0.5 * size[1] - scale * (ways @ np.cross(back, right)) / depth
    left, width = _between(columns, size[0])
    top, height = _between(rows, size[1])
    return Crop(size, left, top, width, height)


def smallest_pixel(points: FloatArray, camera: Camera, size: tuple[int, int]) -> float:
    """Width of a pixel of a picture of `size` (width, height) where points (k, 3) are nearest to the
    camera [m]; 0 where some are beside or behind it."""
    ahead = camera.target - camera.position
    depth = float(((points - camera.position) @ ahead).min() / np.linalg.norm(ahead)) if len(points) else 0.0
    return max(0.0, depth) * 2.0 * math.tan(math.radians(ANGLE / 2.0)) / size[1]


def _between(places: FloatArray, length: int) -> tuple[int, int]:
    """The first pixel, and how many there are, at least one."""
    first = min(max(math.floor(float(places.min())) - _MARGIN, 0), length - 1)
    last = max(min(math.ceil(float(places.max())) + _MARGIN, length), first + 1)
    return first, last - first
