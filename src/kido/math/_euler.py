"""Euler angles in the 12 orders, intrinsic: each rotation about an axis of the frame rotated so far."""

from __future__ import annotations

from functools import partial
from itertools import product

from kido import _core as _native
from kido.math._operand import apply, vector
from kido.math._rotation import rotations
from kido.typing import ArrayLike, FloatArray, RotationLike

__all__ = ["EULER_ORDERS", "euler_to_matrix", "matrix_to_euler"]

_AXES = {
    "XYZ"[first] + "XYZ"[second] + "XYZ"[last]: (first, second, last)
    for first, second, last in product(range(3), repeat=3)
    if first != second and second != last
}

EULER_ORDERS = tuple(_AXES)
"""The 12 orders, in capitals, as SciPy writes intrinsic ones."""


def euler_to_matrix(angles: ArrayLike, order: str) -> FloatArray:
    """Rotation R = R_1(angles[0]) R_2(angles[1]) R_3(angles[2]) about the three axes of `order`.

    The fixed-axis roll, pitch, yaw of URDF are the angles (yaw, pitch, roll) in the order "ZYX".

    Args:
        angles: (..., 3) [rad].
        order: one of the 12 `EULER_ORDERS`, such as "XYZ" or "ZXZ".

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or another order.
    """
    kernel = partial(_native.euler_to_matrix, *_axes(order))
    return apply(kernel, (3, 3), vector("angles", angles, (3,), "rad"))


def matrix_to_euler(rotation: RotationLike, order: str) -> FloatArray:
    """Euler angles of a rotation.

    The first and third lie in [-pi, pi]; the second in [-pi/2, pi/2], or in [0, pi] where the first axis is
    also the last. In gimbal lock (within 1e-14 of it) the third is 0. Shoemake, "Euler angle conversion",
    Graphics Gems IV (1994), with the third angle taken from what the first leaves.

    Args:
        rotation: matrix (..., 3, 3) [-], or a SciPy `Rotation`.
        order: one of the 12 `EULER_ORDERS`, such as "XYZ" or "ZXZ".

    Returns:
        (..., 3) [rad].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rotation (see `as_rotation_matrix`), or another order.
    """
    kernel = partial(_native.matrix_to_euler, *_axes(order))
    return apply(kernel, (3,), rotations("rotation", rotation))


def _axes(order: str) -> tuple[int, int, int]:
    if not isinstance(order, str) or order not in _AXES:
        known = f"{', '.join(EULER_ORDERS)} (capitals: intrinsic axes)"
        raise ValueError(f"order: expected one of {known}, got {_native.brief(order)}")
    return _AXES[order]
