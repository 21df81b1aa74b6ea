"""Pixels as means of finer ones, over a background."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["composed"]

Pixels = NDArray[np.uint8]

_SHINE = 0.35
"""Opacity of notes behind other surfaces, from 0 to 1."""
_OPAQUE = 255


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
    covered = drawn[..., 3]
    for more in (notes, labels):
        covered = covered if more is None else np.maximum(covered, more[..., 3])
    rows, columns = (_range(np.asarray(covered.any(axis=axis)), fine) for axis in (1, 0))
    if rows is None or columns is None:
        return image
    finer = _times(rows, fine), _times(columns, fine)
    part = drawn[finer].copy()
    behind = image[rows, columns]
    _fill_partly_covered(part, behind, fine)
    if notes is not None:
        _shine_through(part, notes[finer])
    if labels is not None:
        _put_before(part, labels[finer], behind, fine)
    image[rows, columns] = _mean_light(part, behind, fine)
    return image


def _range(covered: NDArray[np.bool_], fine: int) -> slice | None:
    """The pixels of the picture between the first and the last that is covered; None: none is."""
    found = np.flatnonzero(covered)
    return slice(int(found[0]) // fine, int(found[-1]) // fine + 1) if len(found) else None


def _times(pixels: slice, fine: int) -> slice:
    return slice(pixels.start * fine, pixels.stop * fine)


def _fill_partly_covered(part: Pixels, behind: Pixels, fine: int) -> None:
    """Let what is behind (h, w, 3) show through pixels (fine h, fine w, 4) that are neither clear nor
    opaque."""
    rows, columns = np.nonzero((part[..., 3] > 0) & (part[..., 3] < _OPAQUE))
    if not len(rows):
        return
    chosen = part[rows, columns].astype(np.uint16)
    through = _OPAQUE - chosen[:, 3:]
    mixed = chosen[:, :3] + (behind[rows // fine, columns // fine] * through + 127) // _OPAQUE
    part[rows, columns, :3] = np.minimum(mixed, _OPAQUE)
    part[rows, columns, 3] = _OPAQUE


def _shine_through(part: Pixels, notes: Pixels) -> None:
    """Mix notes (fine h, fine w, 4) into what is shown."""
    there = (notes[..., 3] > 0) & (part[..., 3] > 0)
    shown = part[there][:, :3].astype(np.float32)
    mixed = np.rint(shown + _SHINE * (notes[there][:, :3] - shown))
    part[there, :3] = mixed.astype(np.uint8)


def _put_before(part: Pixels, labels: Pixels, behind: Pixels, fine: int) -> None:
    """Put labels (fine h, fine w, 4) before what is shown, or before what is behind (h, w, 3)."""
    rows, columns = np.nonzero(labels[..., 3] > 0)
    label, shown = labels[rows, columns].astype(np.uint16), part[rows, columns]
    clear = shown[:, 3] == 0
    shown[clear, :3] = behind[rows[clear] // fine, columns[clear] // fine]
    mixed = label[:, :3] + (shown[:, :3] * (_OPAQUE - label[:, 3:]) + 127) // _OPAQUE
    part[rows, columns, :3] = np.minimum(mixed, _OPAQUE)
    part[rows, columns, 3] = _OPAQUE


def _mean_light(part: Pixels, behind: Pixels, fine: int) -> Pixels:
    """Pixels (h, w, 3) of finer ones (fine h, fine w, 4), each of which is clear or opaque."""
    height, width, _ = behind.shape
    light = np.zeros((height, width, 3), dtype=np.uint32)
    opaque = np.zeros((height, width), dtype=np.uint16)
    for i in range(fine):
        for j in range(fine):
            some = part[i::fine, j::fine].astype(np.uint16)
            light += some[..., :3] * some[..., :3]
            opaque += some[..., 3] > 0
    clear = (fine**2 - opaque)[..., None].astype(np.uint32)
    light += clear * behind.astype(np.uint32) ** 2
    mean = np.sqrt(light.astype(np.float32) / np.float32(fine**2))
    return np.asarray(np.rint(mean).astype(np.uint8))
