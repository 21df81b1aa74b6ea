"""Difference of two poses."""

from __future__ import annotations

import numpy as np

from kido.math import so3_log
from kido.typing import FloatArray

__all__ = ["pose_difference"]


def pose_difference(target: FloatArray, pose: FloatArray) -> FloatArray:
    """Rotation vector [rad] and displacement [m] (6,) from a pose (4, 4) to a target (4, 4), in outer
    axes."""
    rotation = so3_log(target[:3, :3] @ pose[:3, :3].T)
    return np.concatenate([rotation, target[:3, 3] - pose[:3, 3]])
