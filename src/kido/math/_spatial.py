"""Spatial vectors and the matrices that act on them.

A motion (twist, velocity, acceleration) is angular then linear; a force (wrench, momentum) is moment then
force.
Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 2.
"""

from __future__ import annotations

import numpy as np

from kido import _core as _native
from kido.math._operand import apply, vector
from kido.math._rotation import transforms
from kido.typing import ArrayLike, FloatArray, TransformLike

__all__ = [
    "adjoint",
    "coadjoint",
    "force_cross",
    "force_cross_matrix",
    "hat",
    "motion_cross",
    "motion_cross_matrix",
    "transform_force",
    "transform_motion",
    "vee",
]

_MOTION = "rad/s, m/s"
_FORCE = "N m, N"
_SKEW_TOLERANCE = 1e-9


def hat(v: ArrayLike) -> FloatArray:
    """Skew matrix of a vector: hat(v) @ u = v x u.

    Args:
        v: (..., 3), in any unit [*].

    Returns:
        (..., 3, 3), in the unit of `v` [*].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape or numbers that are not finite.
    """
    return apply(_native.hat, (3, 3), vector("v", v, (3,), ""))


def vee(matrix: ArrayLike) -> FloatArray:
    """Vector of a skew matrix, the inverse of `hat`.

    Args:
        matrix: (..., 3, 3) with matrix^T = -matrix within 1e-9 of its largest entry, in any unit [*].

    Returns:
        (..., 3), in the unit of `matrix` [*].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or a matrix that is not skew.
    """
    operand = vector("matrix", matrix, (3, 3), "")
    size = np.abs(operand.array).max(axis=(-2, -1), initial=0.0)
    off = np.abs(operand.array + operand.array.swapaxes(-1, -2)).max(axis=(-2, -1), initial=0.0)
    if (off > _SKEW_TOLERANCE * size).any():
        raise ValueError(f"matrix: expected a skew matrix, got matrix + matrix^T up to {off.max():.3g}")
    return apply(_native.vee, (3,), operand)


def adjoint(T_a_b: TransformLike) -> FloatArray:
    """The matrix that maps motions in frame b to frame a: [[R, 0], [hat(p) R, R]].

    Args:
        T_a_b: pose of frame b in frame a, (..., 4, 4) [-, m], or a SciPy `RigidTransform`.

    Returns:
        (..., 6, 6) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rigid transform (see `as_transform_matrix`).
    """
    return apply(_native.adjoint, (6, 6), transforms("T_a_b", T_a_b))


def coadjoint(T_a_b: TransformLike) -> FloatArray:
    """The matrix that maps forces in frame b to frame a: [[R, hat(p) R], [0, R]].

    Args:
        T_a_b: pose of frame b in frame a, (..., 4, 4) [-, m], or a SciPy `RigidTransform`.

    Returns:
        (..., 6, 6) [-, m].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rigid transform (see `as_transform_matrix`).
    """
    return apply(_native.coadjoint, (6, 6), transforms("T_a_b", T_a_b))


def transform_motion(T_a_b: TransformLike, motion_b: ArrayLike) -> FloatArray:
    """A motion in frame b, in frame a: its angular part, and the linear part of the point at a's origin.

    Args:
        T_a_b: pose of frame b in frame a, (..., 4, 4) [-, m], or a SciPy `RigidTransform`.
        motion_b: (..., 6), angular then linear [rad/s, m/s].

    Returns:
        (..., 6) [rad/s, m/s].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rigid transform, another shape, numbers that are not finite, or leading
            shapes that do not broadcast.
    """
    operands = transforms("T_a_b", T_a_b), vector("motion_b", motion_b, (6,), _MOTION)
    return apply(_native.transform_motion, (6,), *operands)


def transform_force(T_a_b: TransformLike, force_b: ArrayLike) -> FloatArray:
    """A force in frame b, in frame a: its moment about a's origin, and its force.

    Args:
        T_a_b: pose of frame b in frame a, (..., 4, 4) [-, m], or a SciPy `RigidTransform`.
        force_b: (..., 6), moment then force [N m, N].

    Returns:
        (..., 6) [N m, N].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rigid transform, another shape, numbers that are not finite, or leading
            shapes that do not broadcast.
    """
    operands = transforms("T_a_b", T_a_b), vector("force_b", force_b, (6,), _FORCE)
    return apply(_native.transform_force, (6,), *operands)


def motion_cross(v: ArrayLike, w: ArrayLike) -> FloatArray:
    """v x w: the rate of a motion `w` that is fixed in a frame moving with `v`.

    Args:
        v: (..., 6), angular then linear [rad/s, m/s].
        w: (..., 6), angular then linear [rad/s, m/s].

    Returns:
        (..., 6), angular then linear [rad/s^2, m/s^2].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or leading shapes that do not broadcast.
    """
    operands = vector("v", v, (6,), _MOTION), vector("w", w, (6,), _MOTION)
    return apply(_native.motion_cross, (6,), *operands)


def force_cross(v: ArrayLike, f: ArrayLike) -> FloatArray:
    """v x* f: the rate of a force `f` that is fixed in a frame moving with `v`.

    Args:
        v: (..., 6), angular then linear [rad/s, m/s].
        f: (..., 6), moment then force [N m, N].

    Returns:
        (..., 6), moment then force [N m/s, N/s].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, or leading shapes that do not broadcast.
    """
    operands = vector("v", v, (6,), _MOTION), vector("f", f, (6,), _FORCE)
    return apply(_native.force_cross, (6,), *operands)


def motion_cross_matrix(v: ArrayLike) -> FloatArray:
    """The matrix of w -> v x w: [[hat(angular), 0], [hat(linear), hat(angular)]].

    Args:
        v: (..., 6), angular then linear [rad/s, m/s].

    Returns:
        (..., 6, 6) [1/s, m/s].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape or numbers that are not finite.
    """
    return apply(_native.motion_cross_matrix, (6, 6), vector("v", v, (6,), _MOTION))


def force_cross_matrix(v: ArrayLike) -> FloatArray:
    """The matrix of f -> v x* f: [[hat(angular), hat(linear)], [0, hat(angular)]].

    Args:
        v: (..., 6), angular then linear [rad/s, m/s].

    Returns:
        (..., 6, 6) [1/s, m/s].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape or numbers that are not finite.
    """
    return apply(_native.force_cross_matrix, (6, 6), vector("v", v, (6,), _MOTION))
