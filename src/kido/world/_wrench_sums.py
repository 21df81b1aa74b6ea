"""Wrenches on bodies, from forces at points and from other bodies, for many at once."""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray

__all__ = ["crosses", "moved_wrenches", "point_wrenches"]


def crosses(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross products (..., 3) of vectors (..., 3); a tenth of the overhead of `numpy.cross`."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def point_wrenches(T: FloatArray, points: FloatArray, forces: FloatArray) -> FloatArray:
    """Wrenches (k, 6) about the origins of frames at poses (k, 4, 4), in their axes, of forces (k, 3) at
    points (k, 3), in world axes [N m, N]."""
    arms = points - T[:, :3, 3]
    both = np.stack([crosses(arms, forces), forces], axis=1)  # (k, 2, 3)
    return (both @ T[:, :3, :3]).reshape(-1, 6)


def moved_wrenches(T: FloatArray, wrenches: FloatArray) -> FloatArray:
    """Wrenches (..., 6) on frames at poses (..., 4, 4) in others, about the others' origins in their axes."""
    R, forces = T[..., :3, :3], wrenches[..., 3:, None]
    turned = (R @ forces)[..., 0]
    torques = (R @ wrenches[..., :3, None])[..., 0] + crosses(T[..., :3, 3], turned)
    return np.concatenate([torques, turned], axis=-1)
