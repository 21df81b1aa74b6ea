"""The <transformation> element: a pose as x, y, z and three angles."""

from __future__ import annotations

import numpy as np

from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.math import euler_to_matrix
from kido.typing import FloatArray

__all__ = ["read_transformation", "translation"]

_NONE = (0.0,) * 6


def read_transformation(file: TrackedXml, owner: Element) -> FloatArray:
    """Pose (4, 4) of the owner's <transformation> [m], R = Rx(a) Ry(b) Rz(c); identity if it has none."""
    numbers = file.numbers_of(owner, "transformation", 6, _NONE)
    pose = translation(numbers[:3])
    if any(numbers[3:]):
        pose[:3, :3] = euler_to_matrix(numbers[3:], "XYZ")
    return pose


def translation(offset: tuple[float, ...]) -> FloatArray:
    """Pose (4, 4) of what is moved by `offset` (3,) and not turned [m]."""
    pose = np.eye(4)
    pose[:3, 3] = offset
    return pose
