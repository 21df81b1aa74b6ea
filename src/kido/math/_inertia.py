"""Spatial inertia: the 6x6 matrix that maps the motion of a rigid body to its momentum."""

from __future__ import annotations

import numpy as np

from kido import _core as _native
from kido.math._operand import Operand, apply, vector
from kido.math._rotation import transforms
from kido.typing import ArrayLike, FloatArray, TransformLike

__all__ = ["spatial_inertia", "transform_inertia"]

_TOLERANCE = 1e-9


def spatial_inertia(mass: ArrayLike, com: ArrayLike, moment: ArrayLike) -> FloatArray:
    """Spatial inertia in a frame: [[I, hat(h)], [hat(h)^T, mass]] about its origin, h = mass com.

    Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 2.13. The inertia of several bodies welded
    together is the sum of theirs in one frame.

    Args:
        mass: (...), not negative [kg].
        com: center of mass (..., 3) [m].
        moment: rotational inertia (..., 3, 3) about the center of mass, in axes of the frame [kg m^2].

    Returns:
        (..., 6, 6) [kg m^2, kg m, kg].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for another shape, numbers that are not finite, a negative mass, a moment that is not
            symmetric within 1e-9 of its largest entry, or leading shapes that do not broadcast.
    """
    masses = vector("mass", mass, (), "kg")
    if (masses.array < 0.0).any():
        raise ValueError(f"mass: expected no negative number [kg], got {masses.array.min()}")
    moments = vector("moment", moment, (3, 3), "kg m^2")
    _refuse_asymmetric(moments)
    return apply(_native.spatial_inertia, (6, 6), masses, vector("com", com, (3,), "m"), moments)


def transform_inertia(T_a_b: TransformLike, inertia_b: ArrayLike) -> FloatArray:
    """Spatial inertia of a rigid body given in frame b, in frame a.

    Args:
        T_a_b: pose of frame b in frame a, (..., 4, 4) [-, m], or a SciPy `RigidTransform`.
        inertia_b: (..., 6, 6), as `spatial_inertia` makes it [kg m^2, kg m, kg].

    Returns:
        (..., 6, 6) [kg m^2, kg m, kg].

    Raises:
        TypeError: for what are not real numbers.
        ValueError: for what is no rigid transform, another shape, numbers that are not finite, a matrix that
            is not the inertia of a rigid body, or leading shapes that do not broadcast.
    """
    inertias = vector("inertia_b", inertia_b, (6, 6), "kg m^2, kg m, kg")
    _refuse_asymmetric(inertias)
    _refuse_articulated(inertias)
    return apply(_native.transform_inertia, (6, 6), transforms("T_a_b", T_a_b), inertias)


def _refuse_asymmetric(operand: Operand) -> None:
    array = operand.array
    off = _largest(array - array.swapaxes(-1, -2))
    if (off > _TOLERANCE * _largest(array)).any():
        differ = f"got entries that differ by {off.max():.3g}"
        raise ValueError(f"{operand.name}: expected a symmetric matrix, {differ}")


def _refuse_articulated(operand: Operand) -> None:
    """Refuse 6x6 matrices with other blocks than [[I, hat(h)], [hat(h)^T, mass]]."""
    first, linear = operand.array[..., :3, 3:], operand.array[..., 3:, 3:]
    mass = linear[..., :1, :1] * np.eye(3)
    off = np.maximum(_largest(first + first.swapaxes(-1, -2)), _largest(linear - mass))
    if (off > _TOLERANCE * _largest(operand.array)).any():
        raise ValueError(
            f"{operand.name}: expected the inertia of a rigid body, [[I, hat(h)], [hat(h)^T, mass]], "
            f"got blocks that differ by {off.max():.3g}"
        )


def _largest(matrices: FloatArray) -> FloatArray:
    return np.asarray(np.abs(matrices).max(axis=(-2, -1), initial=0.0))
