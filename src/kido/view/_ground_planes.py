"""Planes that the floor of a picture stands for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kido.typing import FloatArray
from kido.view._scene import DrawnItem, TriangleSurface

__all__ = ["ground_planes"]

_LEVEL = 1e-6
"""Of the size of a plane; unevenness below it is rounding."""


def ground_planes(
    items: Sequence[DrawnItem], poses: FloatArray, ground: bool | float
) -> tuple[set[str], float | None]:
    """Keys of the level planes in whose place the floor is drawn, and its height [m]; None: there are none.

    Without a `ground` that is none; with one of a height [m], those at that height; else those at the height
    of the highest.
    """
    if ground is False:
        return set(), None
    heights = {}
    for item, pose in zip(items, poses, strict=True):
        height = _height(item, pose)
        if height is not None:
            heights[item.key] = height
    if not heights:
        return set(), None
    level = max(heights.values()) if ground is True else float(ground)
    return {key for key, height in heights.items() if abs(height - level) < _LEVEL}, level


def _height(item: DrawnItem, pose: FloatArray) -> float | None:
    """Of a level plane that looks up; None for everything else."""
    if item.is_bounded or not isinstance(item.geometry, TriangleSurface) or item.geometry.normals is None:
        return None
    up = item.geometry.normals @ pose[2, :3]
    z = item.geometry.points @ pose[2, :3] + pose[2, 3]
    level = np.ptp(z) < _LEVEL * np.ptp(item.geometry.points, axis=0).max()
    return float(z.mean()) if level and up.min() > 0.0 else None
