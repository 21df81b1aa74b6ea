"""Pixels as means of finer ones, over a background."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["composed"]

Pixels = NDArray[np.uint8]

_SHINE = 0.35
"""Opacity of notes behind other surfaces, from 0 to 1."""
_OPAQUE = 255
_OPACITY = np.array([0, 0, 0, 255], dtype=np.uint8).view(np.uint32)[0]
"""The bits of a pixel as one number that are its opacity."""


def composed(
    background: Pixels, drawn: Pixels, notes: Pixels | None, labels: Pixels | None, fine: int
) -> Pixels:
    """A picture (h, w, 3): each pixel the mean light of `fine` x `fine` that are drawn over it.

    The light of a number is its square, near enough to what a screen gives.

    Args:
        background: (h, w, 3).
        drawn: (fine h, fine w, 4), colors times opacity, and opacity.
        notes: the same of notes alone, which shine through what hides them; None: there are none.
        labels: the same of what stands before everything; None: there are none.
        fine: pixels drawn along each side of one of the picture.
    """
    image = background.copy()
    pixels = image.reshape(-1, 3)
    drawn_there = [layer for layer in (drawn, notes, labels) if layer is not None]
    where = _covered(drawn_there, fine)
    if not len(where):
        return image
    behind = pixels[where]
    cells = _cells(drawn, where, fine)
    _fill_partly_covered(cells, behind)
    if notes is not None:
        _shine_through(cells, _cells(notes, where, fine))
    if labels is not None:
        _put_before(cells, _cells(labels, where, fine), behind)
    pixels[where] = _mean_light(cells, behind)
    return image


def _words(layer: Pixels) -> NDArray[np.uint32]:
    """Pixels (h, w, 4) as a number each (h, w)."""
    return layer.view(np.uint32)[..., 0]


def _covered(layers: Sequence[Pixels], fine: int) -> NDArray[np.intp]:
    """Pixels of the picture (n,), by rows, in which something is drawn in layers (fine h, fine w, 4)."""
    height, width = (length // fine for length in layers[0].shape[:2])
    found = np.zeros((height, width), dtype=np.uint32)
    for layer in layers:
        words = _words(layer)
        for i in range(fine):
            for j in range(fine):
                found |= words[i::fine, j::fine]
    return np.flatnonzero(found & _OPACITY)


def _cells(layer: Pixels, where: NDArray[np.intp], fine: int) -> Pixels:
    """The finer pixels (fine^2, n, 4) of pixels (n,) of the picture, of a layer (fine h, fine w, 4)."""
    words = _words(layer)
    width = words.shape[1]
    rows, columns = np.divmod(where, width // fine)
    first, numbers = fine * (width * rows + columns), words.ravel()
    found = np.stack([numbers.take(first + (width * i + j)) for i in range(fine) for j in range(fine)])
    return found.view(np.uint8).reshape(fine**2, len(where), 4)


def _fill_partly_covered(cells: Pixels, behind: Pixels) -> None:
    """Let what is behind (n, 3) show through finer pixels (k, n, 4) that are neither clear nor opaque."""
    alpha = cells[..., 3]
    finer, chosen = np.nonzero((alpha > 0) & (alpha < _OPAQUE))
    if not len(chosen):
        return
    shown = cells[finer, chosen].astype(np.uint16)
    mixed = shown[:, :3] + (behind[chosen] * (_OPAQUE - shown[:, 3:]) + 127) // _OPAQUE
    cells[finer, chosen, :3] = np.minimum(mixed, _OPAQUE)
    cells[finer, chosen, 3] = _OPAQUE


def _shine_through(cells: Pixels, notes: Pixels) -> None:
    """Mix notes (k, n, 4) into what is shown."""
    there = (notes[..., 3] > 0) & (cells[..., 3] > 0)
    shown = cells[there][:, :3].astype(np.float32)
    mixed = np.rint(shown + _SHINE * (notes[there][:, :3] - shown))
    cells[there, :3] = mixed.astype(np.uint8)


def _put_before(cells: Pixels, labels: Pixels, behind: Pixels) -> None:
    """Put labels (k, n, 4) before what is shown, or before what is behind (n, 3)."""
    finer, chosen = np.nonzero(labels[..., 3] > 0)
    label, shown = labels[finer, chosen].astype(np.uint16), cells[finer, chosen]
    clear = shown[:, 3] == 0
    shown[clear, :3] = behind[chosen[clear]]
    mixed = label[:, :3] + (shown[:, :3] * (_OPAQUE - label[:, 3:]) + 127) // _OPAQUE
    cells[finer, chosen, :3] = np.minimum(mixed, _OPAQUE)
    cells[finer, chosen, 3] = _OPAQUE


def _mean_light(cells: Pixels, behind: Pixels) -> Pixels:
    """Pixels (n, 3) of finer ones (k, n, 4), each of which is clear or opaque."""
    light = np.zeros(behind.shape, dtype=np.uint32)
    opaque = np.zeros(len(behind), dtype=np.uint32)
    for some in cells:
        colors = some[:, :3].astype(np.uint32)
        colors *= colors
        light += colors
        opaque += some[:, 3] > 0
    edges = np.flatnonzero(opaque < len(cells))
    light[edges] += (len(cells) - opaque[edges, None]) * behind[edges].astype(np.uint32) ** 2
    mean = np.sqrt(light.astype(np.float32) / np.float32(len(cells)))
    return np.asarray(np.rint(mean, out=mean).astype(np.uint8))
