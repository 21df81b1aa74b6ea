"""The <origin> element: a pose as xyz and roll, pitch, yaw."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from kido.io._xml import Element, XmlFile
from kido.typing import FloatArray

__all__ = ["read_origin"]

Row: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = tuple[Row, Row, Row]

_ZERO = (0.0, 0.0, 0.0)
_NO_TURN: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def read_origin(file: XmlFile, owner: Element) -> FloatArray:
    """Pose (4, 4) of the owner's <origin> [m], R = Rz(yaw) Ry(pitch) Rx(roll); identity if it has none."""
    origin = owner.find("origin")
    if origin is None:
        return np.eye(4)
    x, y, z = file.numbers(origin, "xyz", 3, _ZERO)
    rpy = file.numbers(origin, "rpy", 3, _ZERO)
    first, second, third = _NO_TURN if rpy == _ZERO else _rotation(*rpy)
    return np.array([[*first, x], [*second, y], [*third, z], [0.0, 0.0, 0.0, 1.0]])


def _rotation(roll: float, pitch: float, yaw: float) -> Rows:
    sr, cr = math.sin(roll), math.cos(roll)
    sp, cp = math.sin(pitch), math.cos(pitch)
    sy, cy = math.sin(yaw), math.cos(yaw)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
