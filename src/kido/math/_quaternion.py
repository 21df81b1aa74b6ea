"""Quaternions x, y, z, w: the vector part first, as in SciPy."""

from __future__ import annotations

from kido import _core as _native
from kido.math._operand import apply, vector
from kido.math._rotation import rotations
from kido.typing import ArrayLike, FloatArray, RotationLike

__all__ = ["matrix_to_quaternion", "quaternion_to_matrix"]


def quaternion_to_matrix(quaternion: ArrayLike) -> FloatArray:
    """Rotation of a quaternion, which is normalized first.

    Args:
        quaternion: (..., 4) in the order x, y, z, w, of any length but 0 [-].

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or a quaternion of length 0.
    """
    operand = vector("quaternion", quaternion, (4,), "-")
    if not operand.array.any(axis=-1).all():
        raise ValueError("quaternion: expected a length other than 0, got [0, 0, 0, 0]")
    return apply(_native.quaternion_to_matrix, (3, 3), operand)


def matrix_to_quaternion(rotation: RotationLike) -> FloatArray:
    """Unit quaternion of a rotation, the one with w >= 0 (Shepperd 1978).

    Args:
        rotation: matrix (..., 3, 3) [-], or a SciPy `Rotation`.

    Returns:
        (..., 4) in the order x, y, z, w [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rotation (see `as_rotation_matrix`).
    """
    return apply(_native.matrix_to_quaternion, (4,), rotations("rotation", rotation))
