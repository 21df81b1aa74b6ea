"""The <origin> element: a pose as xyz and roll, pitch, yaw."""

from __future__ import annotations

import numpy as np

from kido.io._rotation import Rows, rpy_rows
from kido.io._xml import Element, XmlFile
from kido.typing import FloatArray

__all__ = ["read_origin"]

_ZERO = (0.0, 0.0, 0.0)
_NO_TURN: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def read_origin(file: XmlFile, owner: Element) -> FloatArray:
    """Pose (4, 4) of the owner's <origin> [m], R = Rz(yaw) Ry(pitch) Rx(roll); identity if it has none."""
    origin = owner.find("origin")
    if origin is None:
        return np.eye(4)
    x, y, z = file.numbers(origin, "xyz", 3, _ZERO)
    rpy = file.numbers(origin, "rpy", 3, _ZERO)
    first, second, third = _NO_TURN if rpy == _ZERO else rpy_rows(*rpy)
    return np.array([[*first, x], [*second, y], [*third, z], [0.0, 0.0, 0.0, 1.0]])
