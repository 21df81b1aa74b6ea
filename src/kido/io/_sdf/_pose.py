"""The <pose> element: position and rotation, and the frame in which they are given."""

from __future__ import annotations

import math

import numpy as np

from kido.io._rotation import Rows, quaternion_rows, rpy_rows
from kido.io._sdf._file import SdfFile, content
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["inverse", "read_pose"]

_ATTRIBUTES = ("relative_to", "degrees", "rotation_format", "frame")
_NO_TURN: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_NO_ANGLES = (0.0, 0.0, 0.0)
_FORMATS = ("euler_rpy", "quat_xyzw")


def read_pose(file: SdfFile, owner: Element) -> tuple[FloatArray | None, str]:
    """Pose (4, 4) of the owner's <pose> [m], None for the identity, and the frame that it is relative to.

    The frame is "" where the file names none. Before version 1.7 its attribute is `frame`.
    """
    pose = owner.find("pose")
    if pose is None:
        return None, ""
    relative_to = pose.get("relative_to") or ""
    if pose.attrib:
        file.ignore_rest(pose, (), _ATTRIBUTES if file.version < (1, 7) else _ATTRIBUTES[:3])
        if file.version < (1, 7):
            relative_to = relative_to or pose.get("frame") or ""
    if not content(pose):
        return None, relative_to
    return _matrix(file, pose), relative_to


def inverse(T: FloatArray) -> FloatArray:
    """Inverse of a rigid transform (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = T[:3, :3].T
    result[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return result


def _matrix(file: SdfFile, pose: Element) -> FloatArray | None:
    rotation_format = pose.get("rotation_format") or "euler_rpy"
    if rotation_format not in _FORMATS:
        known = " or ".join(_FORMATS)
        raise file.error(pose, f"rotation_format: expected {known}, got {rotation_format!r}")
    degrees = file.flag_attribute(pose, "degrees")
    if rotation_format == "quat_xyzw":
        if degrees:
            raise file.error(pose, "degrees: expected angles, got a quaternion")
        x, y, z, qx, qy, qz, qw = file.values(pose, 7)
        with file.at(pose):
            rows = quaternion_rows(qw, qx, qy, qz)
    else:
        x, y, z, *angles = file.values(pose, 6)
        rpy = tuple(map(math.radians, angles)) if degrees else tuple(angles)
        if rpy == _NO_ANGLES:
            if x == y == z == 0.0:
                return None
            rows = _NO_TURN
        else:
            rows = rpy_rows(*rpy)
    first, second, third = rows
    return np.array([[*first, x], [*second, y], [*third, z], [0.0, 0.0, 0.0, 1.0]])
