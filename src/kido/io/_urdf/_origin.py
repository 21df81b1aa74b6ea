"""The <origin> element: a pose as xyz and roll, pitch, yaw."""

from __future__ import annotations

import math

import numpy as np

from kido.io._xml import Element, XmlFile
from kido.typing import FloatArray

__all__ = ["read_origin"]

_ZERO = (0.0, 0.0, 0.0)


def read_origin(file: XmlFile, owner: Element) -> FloatArray:
    """Pose (4, 4) of the owner's <origin> [m], R = Rz(yaw) Ry(pitch) Rx(roll); identity if it has none."""
    pose = np.eye(4)
    origin = owner.find("origin")
    if origin is not None:
        pose[:3, 3] = file.numbers(origin, "xyz", 3, _ZERO)
        rpy = file.numbers(origin, "rpy", 3, _ZERO)
        if rpy != _ZERO:
            pose[:3, :3] = _rotation(*rpy)
    return pose


def _rotation(roll: float, pitch: float, yaw: float) -> FloatArray:
    sr, cr = math.sin(roll), math.cos(roll)
    sp, cp = math.sin(pitch), math.cos(pitch)
    sy, cy = math.sin(yaw), math.cos(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
