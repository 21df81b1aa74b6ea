"""Poses as position and roll, pitch, yaw."""

from __future__ import annotations

import numpy as np

from kido.io._roll_pitch_yaw import roll_pitch_yaw
from kido.io._rotation import rpy_rows
from kido.io._writers._losses import Losses
from kido.typing import FloatArray

__all__ = ["inverse", "is_identity", "position_angles"]

_IDENTITY = np.eye(4)
_ROUNDING = 1e-12


def is_identity(T: FloatArray) -> bool:
    """Whether a pose (4, 4) is none."""
    return bool((T == _IDENTITY).all())


def inverse(T: FloatArray) -> FloatArray:
    """Inverse of a pose (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = T[:3, :3].T
    result[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return result


def position_angles(
    T: FloatArray, losses: Losses, kind: str, name: str | None
) -> tuple[FloatArray, FloatArray]:
    """Position (3,) [m] and roll, pitch, yaw (3,) [rad] of a pose (4, 4).

    A matrix that is no rotation to rounding is reported: the nearest one is written.
    """
    rotation = T[:3, :3]
    if (rotation == _IDENTITY[:3, :3]).all():
        return T[:3, 3], np.zeros(3)
    angles = roll_pitch_yaw(rotation)
    error = float(np.abs(np.array(rpy_rows(*angles)) - rotation).max())
    if error > _ROUNDING:
        losses.substituted(kind, name, f"the nearest rotation is written, which differs by {error:.1e}")
    return T[:3, 3], np.array(angles)
