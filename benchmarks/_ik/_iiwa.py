"""The LBR iiwa 14 by its published dimensions and limits."""

from __future__ import annotations

import numpy as np

from benchmarks._ik._chain import ChainLink

_HEIGHTS = (0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081)
_AXES = ((0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))
_LIMITS = (170, 120, 170, 120, 170, 120, 175)
_SPEEDS = (85, 85, 100, 75, 130, 135, 135)
_FLANGE = 0.045


def chain() -> list[ChainLink]:
    """The seven joints, and the flange: each a height above the one before [m]."""
    rows = zip(_HEIGHTS, _AXES, np.radians(_LIMITS), np.radians(_SPEEDS), strict=True)
    links = [
        ChainLink(f"joint_a{i}", _raised(height), np.array(axis, dtype=float), -limit, limit, speed)
        for i, (height, axis, limit, speed) in enumerate(rows, start=1)
    ]
    return [*links, ChainLink("flange", _raised(_FLANGE))]


def _raised(height: float) -> np.ndarray:
    pose = np.eye(4)
    pose[2, 3] = height
    return pose
