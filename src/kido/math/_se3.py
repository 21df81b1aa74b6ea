"""The group SE(3) of rigid transforms; twists are angular first."""

from __future__ import annotations

from kido import _core as _native
from kido.math._operand import apply, twist
from kido.math._rotation import transforms
from kido.typing import ArrayLike, FloatArray, TransformLike

__all__ = [
    "inverse_transform",
    "se3_exp",
    "se3_left_jacobian",
    "se3_left_jacobian_inverse",
    "se3_log",
    "se3_right_jacobian",
    "se3_right_jacobian_inverse",
]


def se3_exp(x: ArrayLike) -> FloatArray:
    """Exponential map of SE(3): pose of a frame that has moved with the body twist `x` for unit time.

    Lynch and Park, "Modern Robotics" (2017), section 3.3.3.

    Args:
        x: twist (..., 6), angular then linear, angular components up to 1e150 [rad, m].

    Returns:
        (..., 4, 4) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or angular components beyond 1e150.
    """
    return apply(_native.se3_exp, (4, 4), twist("x", x))


def se3_log(transform: TransformLike) -> FloatArray:
    """Logarithm of SE(3): the twist with exp(x) = T, of angle pi at most (at pi chosen as in `so3_log`).

    Lynch and Park (2017), section 3.3.3.

    Args:
        transform: matrix (..., 4, 4) [-, m], or a SciPy `RigidTransform`.

    Returns:
        (..., 6), angular then linear [rad, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rigid transform (see `as_transform_matrix`).
    """
    return apply(_native.se3_log, (6,), transforms("transform", transform))


def inverse_transform(T_a_b: TransformLike) -> FloatArray:
    """Inverse of a rigid transform: T_b_a = [[R^T, -R^T p], [0, 1]].

    Args:
        T_a_b: matrix (..., 4, 4) [-, m], or a SciPy `RigidTransform`.

    Returns:
        (..., 4, 4) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rigid transform (see `as_transform_matrix`).
    """
    return apply(_native.inverse_transform, (4, 4), transforms("T_a_b", T_a_b))


def se3_left_jacobian(x: ArrayLike) -> FloatArray:
    """J_l with exp(x + dx) = exp(J_l dx) exp(x) to first order; blocks [[J, 0], [Q, J]].

    Barfoot, "State Estimation for Robotics" (2017), section 7.1.5, with the angular part first.

    Args:
        x: twist (..., 6), angular then linear, angular components up to 1e150 [rad, m].

    Returns:
        (..., 6, 6) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or angular components beyond 1e150.
    """
    return apply(_native.se3_left_jacobian, (6, 6), twist("x", x))


def se3_right_jacobian(x: ArrayLike) -> FloatArray:
    """J_r with exp(x + dx) = exp(x) exp(J_r dx) to first order: dx/dt to body twist.

    Barfoot (2017), section 7.1.5, with the angular part first.

    Args:
        x: twist (..., 6), angular then linear, angular components up to 1e150 [rad, m].

    Returns:
        (..., 6, 6) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or angular components beyond 1e150.
    """
    return apply(_native.se3_right_jacobian, (6, 6), twist("x", x))


def se3_left_jacobian_inverse(x: ArrayLike) -> FloatArray:
    """Inverse of `se3_left_jacobian`; it grows without bound as the angle nears 2 pi, 4 pi, ...

    Barfoot (2017), section 7.1.5, with the angular part first.

    Args:
        x: twist (..., 6), angular then linear, angular components up to 1e150 [rad, m].

    Returns:
        (..., 6, 6) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or angular components beyond 1e150.
    """
    return apply(_native.se3_left_jacobian_inverse, (6, 6), twist("x", x))


def se3_right_jacobian_inverse(x: ArrayLike) -> FloatArray:
    """Inverse of `se3_right_jacobian`; it grows without bound as the angle nears 2 pi, 4 pi, ...

    Barfoot (2017), section 7.1.5, with the angular part first.

    Args:
        x: twist (..., 6), angular then linear, angular components up to 1e150 [rad, m].

    Returns:
        (..., 6, 6) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or angular components beyond 1e150.
    """
    return apply(_native.se3_right_jacobian_inverse, (6, 6), twist("x", x))
