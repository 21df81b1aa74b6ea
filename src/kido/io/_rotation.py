"""Rotations as model files give them: roll, pitch, yaw, and quaternions."""

from __future__ import annotations

import math
from typing import TypeAlias

__all__ = ["Rows", "quaternion_rows", "rpy_rows"]

Row: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = tuple[Row, Row, Row]
"""Rows of a rotation matrix."""


def rpy_rows(roll: float, pitch: float, yaw: float) -> Rows:
    """R = Rz(yaw) Ry(pitch) Rx(roll); angles [rad]."""
    sr, cr = math.sin(roll), math.cos(roll)
    sp, cp = math.sin(pitch), math.cos(pitch)
    sy, cy = math.sin(yaw), math.cos(yaw)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def quaternion_rows(w: float, x: float, y: float, z: float) -> Rows:
    """The rotation of a quaternion, normalised here; raises ValueError where it is zero or too large."""
    norm = math.hypot(w, x, y, z)
    if norm == 0.0 or not math.isfinite(norm):
        raise ValueError(f"expected a nonzero quaternion, got x {x:g}, y {y:g}, z {z:g}, w {w:g}")
    w, x, y, z = w / norm, x / norm, y / norm, z / norm
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
