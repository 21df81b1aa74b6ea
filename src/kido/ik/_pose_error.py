"""How far one pose is from another."""

from __future__ import annotations

import numpy as np

from kido.math import so3_log
from kido.typing import FloatArray

__all__ = ["pose_difference"]


def pose_difference(target: FloatArray, pose: FloatArray) -> FloatArray:
    """What leads from a pose (4, 4) to a target (4, 4): rotation vector [rad], displacement [m] (6,), outer
    axes."""
    turn = so3_log(target[:3, :3] @ pose[:3, :3].T)
    return np.concatenate([turn, target[:3, 3] - pose[:3, 3]])
