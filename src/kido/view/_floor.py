"""The floor below a robot: a tint with a grid that fades into the background, and shadows on it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.view._camera import ANGLE, Camera
from kido.view._scene import extent, grid_spacing

__all__ = ["Floor", "FloorView"]

_HALF = 1.7
"""Half the edge of the floor, by the size of what stands on it."""
_TINT = 0.055
"""Difference between the floor's color and the background."""
_LINE = 0.05
"""Difference between the color of the lines and the floor."""
_LINE_WIDTH = 0.0055
"""By the size of what stands there."""
_SOLID = 0.25
"""Radius, by that of the whole, in which the floor does not fade."""
_DARK = 1.0 / 512.0
"""Shadow that cannot be seen."""
_CELLS = 64
"""Cells along each edge by which the pixels of the floor are sorted."""


class Floor:
    """A square around `center` (2,) at `height`, with edges 2 `half` [m]; `size` of what stands on it [m]."""

    __slots__ = ("background", "center", "half", "height", "size")

    def __init__(self, points: FloatArray, height: float, background: FloatArray) -> None:
        """For what reaches over points (k, 3), at a height [m], on a color (3,) into which it fades."""
        self.size = extent(points)
        self.center = 0.5 * (points[:, :2].min(axis=0) + points[:, :2].max(axis=0))
        self.half = _HALF * self.size
        self.height = height
        self.background = background

    def is_below(self, camera: Camera) -> bool:
        """Whether a camera looks at it from above; from below it is not seen."""
        return bool(camera.position[2] > self.height)


class FloorView:
    """A floor as a camera sees it in a picture of some pixels.

    Attributes:
        image: colors (height, width, 3) of the picture without shadow.
    """

    __slots__ = ("_dimming", "_seen", "_starts", "_u", "_v", "image")

    def __init__(self, floor: Floor, camera: Camera, size: tuple[int, int]) -> None:
        """`size`: (width, height) [pixel]."""
        x, y, seen = _places(floor, camera, size)
        across, along = (x - floor.center[0]) / floor.half, (y - floor.center[1]) / floor.half
        fading = np.where(seen, _fading(np.hypot(across, along)), np.float32(0.0))
        shade = (_TINT + _LINE * _lines(x, y, floor.size)) * fading
        contrast = -1.0 if floor.background.mean() > 0.5 else 1.0
        color = floor.background.astype(np.float32) + np.float32(contrast) * shade[..., None]
        self.image: NDArray[np.uint8] = np.rint(255.0 * np.clip(color, 0.0, 1.0)).astype(np.uint8)
        there = np.flatnonzero(fading.ravel() > 0.0)
        u, v = (0.5 * (place.ravel()[there] + 1.0) for place in (across, along))
        cells = (v * _CELLS).astype(np.intp) * _CELLS + (u * _CELLS).astype(np.intp)
        order = np.argsort(cells, kind="stable")
        self._starts = np.searchsorted(cells[order], np.arange(_CELLS**2 + 1))
        self._seen = there[order]
        self._u, self._v = u[order].astype(np.float32), v[order].astype(np.float32)
        self._dimming = fading.ravel()[self._seen].astype(np.float32)

    def shaded(self, darkness: FloatArray) -> NDArray[np.uint8]:
        """The picture with a shadow: `darkness` (k, k) is the part of the light that is missing on the whole
        floor, dimensionless, rows from small to large y."""
        image = self.image.copy()
        dark = darkness > _DARK
        rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
        if not len(rows):
            return image
        near = self._pixels_in(rows / len(darkness), columns / len(darkness))
        count = np.float32(len(darkness))
        place = count * self._u[near] - np.float32(0.5), count * self._v[near] - np.float32(0.5)
        light = np.float32(1.0) - _between(darkness, *place) * self._dimming[near]
        pixels, chosen = image.reshape(-1, 3), self._seen[near]
        pixels[chosen] = np.rint(pixels.take(chosen, axis=0) * light[:, None]).astype(np.uint8)
        return image

    def _pixels_in(self, v: FloatArray, u: FloatArray) -> NDArray[np.intp]:
        """Pixels, as they are kept, of the cells around a range of places (n,) across and (m,) along."""
        (first, last), (left, right) = (
            np.clip(np.array([ends.min(), ends.max()]) * _CELLS + (-1.0, 1.0), 0, _CELLS - 1).astype(int)
            for ends in (v, u)
        )
        rows = np.arange(first, last + 1) * _CELLS
        pieces = zip(self._starts[rows + left], self._starts[rows + right + 1], strict=True)
        return np.concatenate([np.arange(start, end) for start, end in pieces])


def _places(
    floor: Floor, camera: Camera, size: tuple[int, int]
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Place of the middle of each pixel (height, width) on the floor: x, y [m], and whether it is on it."""
    width, height = size
    back = camera.position - camera.target
    back = back / np.linalg.norm(back)
    right = np.cross(camera.up, back)
    right /= np.linalg.norm(right)
    up = np.cross(back, right)
    slope = 2.0 * math.tan(math.radians(ANGLE / 2.0)) / height
    columns = (np.arange(width) - (width - 1) / 2.0) * slope
    rows = ((height - 1) / 2.0 - np.arange(height)) * slope
    down = -(rows[:, None] * up[2] + columns * right[2] - back[2])
    above = camera.position[2] - floor.height
    seen = (down > 1e-9) & (above > 0.0)
    depth = above / np.where(seen, down, 1.0)
    x, y = (
        camera.position[axis] + depth * (rows[:, None] * up[axis] + columns * right[axis] - back[axis])
        for axis in (0, 1)
    )
    near = seen & (np.abs(x - floor.center[0]) < floor.half) & (np.abs(y - floor.center[1]) < floor.half)
    return x, y, near


def _fading(radius: FloatArray) -> FloatArray:
    """From 1 in the middle to 0 at a circle of radius 1 (...); dimensionless."""
    inner = np.clip((1.0 - radius) / (1.0 - _SOLID), 0.0, 1.0)
    return np.asarray(inner * inner * (3.0 - 2.0 * inner))


def _lines(x: FloatArray, y: FloatArray, size: float) -> FloatArray:
    """The part of each pixel (h, w) that lines of a grid cover."""
    spacing, width = grid_spacing(size), _LINE_WIDTH * size
    covered = []
    for place in (x, y):
        reach = np.abs(np.gradient(place, axis=0)) + np.abs(np.gradient(place, axis=1)) + 1e-12 * size
        distance = np.abs((place + spacing / 2.0) % spacing - spacing / 2.0)
        upper = np.minimum(distance + reach / 2.0, width / 2.0)
        lower = np.maximum(distance - reach / 2.0, -width / 2.0)
        covered.append(np.clip((upper - lower) / reach, 0.0, 1.0))
    return np.asarray(np.maximum(*covered))


def _between(image: FloatArray, columns: FloatArray, rows: FloatArray) -> FloatArray:
    """Numbers of an image (k, k) between its pixels (n,), linearly."""
    count = len(image)
    i = np.clip(rows.astype(np.int32), 0, count - 2)
    j = np.clip(columns.astype(np.int32), 0, count - 2)
    a = np.clip(rows - i.astype(np.float32), np.float32(0.0), np.float32(1.0))
    b = np.clip(columns - j.astype(np.float32), np.float32(0.0), np.float32(1.0))
    place, numbers = i * count + j, image.ravel()
    upper, lower = numbers.take(place), numbers.take(place + count)
    upper += b * (numbers.take(place + 1) - upper)
    lower += b * (numbers.take(place + count + 1) - lower)
    return np.asarray(upper + a * (lower - upper))
