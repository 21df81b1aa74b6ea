"""The floor below a robot, with its shadow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray, read_only
from kido.view._bounds import extent
from kido.view._surface import Surface

__all__ = ["Ground", "make_ground"]

_HALF = 1.7
"""Half the edge of the floor, by the size of what stands on it."""
_PIXELS = 1024
_SUN = np.array([-0.28, -0.42, -1.0])
"""Direction in which shadows fall."""
_BLURS = ((0.008, 0.22), (0.035, 0.20))
"""Standard deviation, by the size of what stands there, and strength of each part of the shadow."""
_TINT = 0.055
"""Difference between the floor's color and the background."""
_LINE = 0.05
"""Difference between the color of the lines and the floor."""

Shadow = Callable[[Sequence[Surface], FloatArray, float, int], FloatArray]
"""Function that gives the coverage of each pixel by flat surfaces: see `draw_shadow`."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A square floor around `centre` (2,) at `height`, with edges 2 `half` [m], and its colors (k, k, 3)."""

    centre: FloatArray
    height: float
    half: float
    image: NDArray[np.uint8]

    def shifted(self, displacement: FloatArray) -> Ground:
        """The same floor, moved by `displacement` (3,) [m]."""
        height = self.height + float(displacement[2])
        return replace(self, centre=self.centre + displacement[:2], height=height)

    def corners(self) -> FloatArray:
        """The corners (4, 3) [m], counterclockwise from the smallest x and y."""
        steps = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        places = self.centre + self.half * steps
        return np.column_stack([places, np.full(4, self.height)])


def make_ground(
    surfaces: Sequence[Surface], points: FloatArray, height: float, background: FloatArray, shadow: Shadow
) -> Ground:
    """The floor of a picture.

    Args:
        surfaces: what throws a shadow.
        points: (k, 3) what the picture shows [m].
        height: of the floor [m].
        background: color (3,) into which the floor fades.
        shadow: draws flat surfaces.
    """
    size = extent(points)
    centre = 0.5 * (points[:, :2].min(axis=0) + points[:, :2].max(axis=0))
    half = _HALF * size
    flat = [_flattened(part, height) for part in surfaces]
    covered = shadow(flat, centre, half, _PIXELS)
    pixel = 2.0 * half / _PIXELS
    dark = _blurred(covered, [(width * size / pixel, strength) for width, strength in _BLURS]) * _fade()
    color = background + _contrast(background) * (_TINT + _LINE * _lines(centre, half, size))[..., None]
    color = background + (color - background) * _fade()[..., None]
    shaded = color * (1.0 - dark)[..., None]
    image = np.rint(255.0 * np.clip(shaded, 0.0, 1.0)).astype(np.uint8)
    return Ground(centre, height, half, image)


def _flattened(surface: Surface, height: float) -> Surface:
    """The shadow of a surface on the plane at `height` [m]."""
    above = np.maximum(surface.points[:, 2] - height, 0.0)
    points = surface.points - np.outer(above, _SUN / _SUN[2])
    points[:, 2] = 0.0
    return replace(surface, points=points)


def _blurred(image: FloatArray, parts: Sequence[tuple[float, float]]) -> FloatArray:
    """Sum of convolutions with Gaussians of a standard deviation [pixel] and a strength each, by their
    transfer functions."""
    rows = np.fft.fftfreq(image.shape[0])[:, None]
    columns = np.fft.rfftfreq(image.shape[1])
    transfer = np.zeros((len(rows), len(columns)))
    for width, strength in parts:
        decay = 2.0 * (math.pi * width) ** 2
        transfer += strength * np.exp(-decay * rows**2) * np.exp(-decay * columns**2)
    return np.asarray(np.fft.irfft2(np.fft.rfft2(image) * transfer, s=image.shape))


@cache
def _fade() -> FloatArray:
    """From 1 in the middle to 0 at a circle in the square."""
    x = np.linspace(-1.0, 1.0, _PIXELS)
    distance = np.hypot(x, x[:, None])
    inner = np.clip((1.0 - distance) / 0.75, 0.0, 1.0)
    return read_only(inner * inner * (3.0 - 2.0 * inner))


def _lines(centre: FloatArray, half: float, size: float) -> FloatArray:
    """1 on the lines of a grid of round spacing, 0 elsewhere."""
    power = 10.0 ** math.floor(math.log10(size / 3.0))
    spacing = max(step * power for step in (1.0, 2.0, 5.0) if step * power <= size / 3.0)
    pixel = 2.0 * half / _PIXELS
    x, y = centre[:, None] + half * np.linspace(-1.0, 1.0, _PIXELS)
    columns, rows = (np.abs((z + spacing / 2.0) % spacing - spacing / 2.0) / pixel for z in (x, y[::-1]))
    return np.asarray(np.clip(1.5 - np.minimum(columns, rows[:, None]), 0.0, 1.0))


def _contrast(background: FloatArray) -> float:
    return -1.0 if background.mean() > 0.5 else 1.0
