"""The rotation group SO(3)."""

from __future__ import annotations

from kido import _core as _native
from kido.math._operand import apply, rotation_vector
from kido.math._rotation import rotations
from kido.typing import ArrayLike, FloatArray, RotationLike

__all__ = [
    "so3_exp",
    "so3_left_jacobian",
    "so3_left_jacobian_inverse",
    "so3_log",
    "so3_right_jacobian",
    "so3_right_jacobian_inverse",
]


def so3_exp(r: ArrayLike) -> FloatArray:
    """Exponential map of SO(3): rotation about the direction of `r` by the angle |r| (Rodrigues).

    Args:
        r: rotation vector (..., 3), axis times angle, components up to 1e150 [rad].

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or components beyond 1e150.
    """
    return apply(_native.so3_exp, (3, 3), rotation_vector("r", r))


def so3_log(rotation: RotationLike) -> FloatArray:
    """Logarithm of SO(3): rotation vector r with exp(r) = R, of length pi at most.

    Of the two vectors of a half turn, the one whose largest component is positive.
    By way of the quaternion (Shepperd 1978).

    Args:
        rotation: matrix (..., 3, 3) [-], or a SciPy `Rotation`.

    Returns:
        (..., 3) [rad].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rotation (see `as_rotation_matrix`).
    """
    return apply(_native.so3_log, (3,), rotations("rotation", rotation))


def so3_left_jacobian(r: ArrayLike) -> FloatArray:
    """J_l with exp(r + dr) = exp(J_l dr) exp(r) to first order.

    It maps dr/dt to angular velocity in the outer frame. Chirikjian, "Stochastic Models, Information Theory,
    and Lie Groups", vol. 2 (2012), section 10.6.

    Args:
        r: rotation vector (..., 3), components up to 1e150 [rad].

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or components beyond 1e150.
    """
    return apply(_native.so3_left_jacobian, (3, 3), rotation_vector("r", r))


def so3_right_jacobian(r: ArrayLike) -> FloatArray:
    """J_r with exp(r + dr) = exp(r) exp(J_r dr) to first order; the transpose of J_l.

    It maps dr/dt to angular velocity in the rotated frame. Sola, Deray and Atchuthan, "A micro Lie theory for
    state estimation in robotics" (2018), section B.

    Args:
        r: rotation vector (..., 3), components up to 1e150 [rad].

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or components beyond 1e150.
    """
    return apply(_native.so3_right_jacobian, (3, 3), rotation_vector("r", r))


def so3_left_jacobian_inverse(r: ArrayLike) -> FloatArray:
    """Inverse of `so3_left_jacobian`; it grows without bound as |r| nears 2 pi, 4 pi, ...

    Chirikjian (2012), section 10.6.

    Args:
        r: rotation vector (..., 3), components up to 1e150 [rad].

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or components beyond 1e150.
    """
    return apply(_native.so3_left_jacobian_inverse, (3, 3), rotation_vector("r", r))


def so3_right_jacobian_inverse(r: ArrayLike) -> FloatArray:
    """Inverse of `so3_right_jacobian`; it grows without bound as |r| nears 2 pi, 4 pi, ...

    Sola, Deray and Atchuthan (2018), section B.

    Args:
        r: rotation vector (..., 3), components up to 1e150 [rad].

    Returns:
        (..., 3, 3) [-].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or components beyond 1e150.
    """
    return apply(_native.so3_right_jacobian_inverse, (3, 3), rotation_vector("r", r))
