"""The picture that the README opens with: scenes of the tour, side by side."""

from __future__ import annotations

import numpy as np
from PIL import Image

from examples.pictures._style import Pixels
from kido.tour import draw_scene, scene_of

__all__ = ["tour"]

_SCENES = (
    ("walking_linkage", "humanoid", "hand_grasping", "wrecking_ball"),
    ("planetary_gears", "double_pendulums", "ragdolls", "dominoes"),
)
_FINE = 2
"""Pixels drawn along each side of a pixel, for tiles are small."""


def tour(width: int) -> Pixels:
    """Scenes in rows, each tile four by three, in a picture of a width [pixel]."""
    columns = len(_SCENES[0])
    tile = width // columns, width // columns * 3 // 4
    rows = [np.concatenate([_tile(name, tile) for name in row], axis=1) for row in _SCENES]
    return np.asarray(np.concatenate(rows, axis=0))


def _tile(name: str, size: tuple[int, int]) -> Pixels:
    drawn = draw_scene(scene_of(name), size=(_FINE * size[0], _FINE * size[1]))
    return np.asarray(Image.fromarray(drawn).resize(size, Image.Resampling.LANCZOS))
