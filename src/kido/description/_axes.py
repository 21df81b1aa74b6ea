"""Axes of joints."""

from __future__ import annotations

import numpy as np

from kido.description._joint_type import JointType
from kido.errors import DescriptionError
from kido.typing import ArrayLike, FloatArray, frozen_array, frozen_direction

__all__ = ["joint_axes", "planar_axes"]

_ORTHOGONALITY = 1e-6
_ROUNDING = 1e-15


def planar_axes(normal: ArrayLike) -> FloatArray:
    """Two orthonormal axes (2, 3) whose cross product is `normal` (3,), normalised; x and y for the normal z.

    Raises ValueError for a zero or non-finite normal.
    """
    n = frozen_direction("normal", normal)
    helper = np.eye(3)[(int(np.abs(n).argmax()) + 1) % 3]
    first = frozen_direction("normal", helper - (helper @ n) * n)
    return frozen_array("axes", [first, np.cross(n, first)], (2, 3))


def joint_axes(joint_type: JointType, axes: ArrayLike) -> FloatArray:
    """Read-only unit axes (k, 3) of a joint of this type; planar ones are made exactly orthonormal.

    Raises DescriptionError for another number of axes, a zero axis, or planar axes that are not orthogonal.
    """
    count = joint_type.num_axes
    given = frozen_array("axes", axes, None)
    if given.size == 0:
        given = given.reshape(0, 3)
    if given.shape == (3,):
        given = given[None]
    if given.shape != (count, 3):
        raise DescriptionError(
            f"axes: expected shape ({count}, 3) of a {joint_type} joint, got {given.shape}"
        )
    units = [frozen_direction("axes", axis) for axis in given]
    if count == 1:
        return units[0][None]
    if joint_type.spec.orthogonal_axes:
        units = _orthonormal(*units)
    return frozen_array("axes", np.array(units).reshape(count, 3), (count, 3))


def _orthonormal(first: FloatArray, second: FloatArray) -> list[FloatArray]:
    overlap = float(first @ second)
    if abs(overlap) > _ORTHOGONALITY:
        raise DescriptionError(f"axes: expected orthogonal axes, got {first.tolist()} and {second.tolist()}")
    if abs(overlap) > _ROUNDING:
        second = frozen_direction("axes", second - overlap * first)
    return [first, second]
