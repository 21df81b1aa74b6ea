"""Pixels as means of finer ones, over a background."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray

__all__ = ["composed"]

Pixels = NDArray[np.uint8]

_GAMMA = 2.2
_STEPS = 65535
"""Light of white, in whole steps."""
_LIGHT = np.rint(np.linspace(0.0, 1.0, 256) ** _GAMMA * _STEPS).astype(np.uint16)
"""Light of each number of a pixel."""
_NUMBER = np.rint(255.0 * np.linspace(0.0, 1.0, _STEPS + 1) ** (1.0 / _GAMMA)).astype(np.uint8)
"""Number of a pixel for each amount of light."""
_SHINE = 0.35
"""Opacity of notes behind other surfaces, from 0 to 1."""


def composed(background: Pixels, drawn: Pixels, notes: Pixels | None, fine: int) -> Pixels:
    """A picture (h, w, 3): each pixel the mean light of `fine` x `fine` that are drawn over it.

    Args:
        background: (h, w, 3).
        drawn: (fine h, fine w, 4), colors times opacity, and opacity.
        notes: the same of notes alone, which shine through what hides them; None: there are none.
        fine: pixels drawn along each side of one of the picture.
    """
    image = background.copy()
    covered = drawn[..., 3] if notes is None else np.maximum(drawn[..., 3], notes[..., 3])
    rows, columns = (_range(np.asarray(covered.any(axis=axis)), fine) for axis in (1, 0))
    if rows is None or columns is None:
        return image
    behind, finer = image[rows, columns], (_times(rows, fine), _times(columns, fine))
    part = _over(behind, drawn[finer], fine)
    if notes is not None:
        part = _shining(part, notes[finer])
    image[rows, columns] = _averaged(part, fine) if fine > 1 else part
    return image


def _range(covered: NDArray[np.bool_], fine: int) -> slice | None:
    """The pixels of the picture between the first and the last that is covered; None: none is."""
    found = np.flatnonzero(covered)
    return slice(int(found[0]) // fine, int(found[-1]) // fine + 1) if len(found) else None


def _times(pixels: slice, fine: int) -> slice:
    return slice(pixels.start * fine, pixels.stop * fine)


def _over(behind: Pixels, drawn: Pixels, fine: int) -> Pixels:
    """What is drawn over pixels (h, w, 3), each of which is behind `fine` x `fine`."""
    through = 255 - drawn[..., 3]
    result = drawn[..., :3].copy()
    if not through.any():
        return result
    wide = np.repeat(np.repeat(behind, fine, axis=0), fine, axis=1)
    clear = through == 255
    result[clear] = wide[clear]
    partly = (through > 0) & ~clear
    if partly.any():
        light = (wide[partly].astype(np.uint16) * through[partly, None] + 127) // 255
        result[partly] = np.minimum(result[partly] + light, 255).astype(np.uint8)
    return result


def _shining(shown: Pixels, notes: Pixels) -> Pixels:
    """What is shown, and the notes through it where it hides them."""
    there = notes[..., 3] > 0
    part = shown[there].astype(np.float32)
    shown[there] = np.rint(part + _SHINE * (notes[there][:, :3] - part)).astype(np.uint8)
    return shown


def _averaged(pixels: Pixels, fine: int) -> Pixels:
    total: FloatArray | NDArray[np.uint32] = np.zeros(
        (pixels.shape[0] // fine, pixels.shape[1] // fine, 3), dtype=np.uint32
    )
    for i in range(fine):
        for j in range(fine):
            total += _LIGHT[pixels[i::fine, j::fine]]
    return np.asarray(_NUMBER[(total + fine**2 // 2) // fine**2])
