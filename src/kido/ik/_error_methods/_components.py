"""Components of errors: their weights and clamps, and the displacement of a node from its target."""

from __future__ import annotations

import math

import numpy as np

from kido.frame import Frame
from kido.ik._query import IKQuery
from kido.math import hat
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = [
    "ANGULAR_WEIGHT",
    "LINEAR_WEIGHT",
    "axes_of",
    "check_limits",
    "checked_clamp",
    "checked_weight",
    "checked_weights",
    "jacobian_in_axes",
    "position_error",
    "position_jacobian",
    "rotation_error",
    "rotation_jacobian",
    "six_weights",
    "spread",
    "three_weights",
]

ANGULAR_WEIGHT, LINEAR_WEIGHT = 0.4, 1.0
"""Default weights of a radian and of a meter [-]."""


def three_weights(name: str, value: ArrayLike) -> FloatArray:
    """Weights (3,) [-]. Raises TypeError or ValueError naming them."""
    return checked_weights(name, value, 3)


def six_weights(name: str, value: ArrayLike) -> FloatArray:
    """Weights (6,) [-]. Raises TypeError or ValueError naming them."""
    return checked_weights(name, value, 6)


def checked_weights(name: str, value: ArrayLike, count: int) -> FloatArray:
    """Weights (count,) [-], a count of -1 being any. Raises TypeError or ValueError naming them."""
    weights = frozen_array(name, value, (count,))
    if (weights < 0.0).any():
        raise ValueError(f"{name}: expected numbers of 0 or above, got {weights.tolist()}")
    return weights


def checked_weight(name: str, value: float) -> float:
    """One weight above 0 [-]. Raises TypeError or ValueError naming it."""
    weight = float(frozen_array(name, value, ()))
    if not weight > 0.0:
        raise ValueError(f"{name}: expected a number above 0, got {value!r}")
    return weight


def checked_clamp(name: str, value: float) -> float:
    """A largest length above 0 [-], which may be infinite. Raises TypeError or ValueError naming it."""
    clamp = float(frozen_array(name, value, (), finite=False))
    if not clamp > 0.0:
        raise ValueError(f"{name}: expected a number above 0, got {value!r}")
    return clamp


def check_limits(low: float, high: float) -> None:
    """Raises ValueError for two limits [m] that leave nothing between them."""
    if low > high or low == math.inf or high == -math.inf:
        raise ValueError(f"lower, upper: expected a lowest of at most the highest [m], got {low} and {high}")


def spread(angular: ArrayLike, linear: ArrayLike) -> FloatArray:
    """Numbers of three angles and three lengths, each (3,) or one for all, as one array (6,)."""
    both = np.empty(6)
    both[:3], both[3:] = angular, linear
    return both


def axes_of(frame: Frame) -> FloatArray:
    """The axes (3, 3) of a frame in the world, as columns [-]."""
    return frame.transform()[:3, :3]


def position_error(ik: IKQuery, axes: Frame, point: FloatArray) -> FloatArray:
    """Displacement (3,) of a point (3,) in the world from the target's origin, in some axes [m]."""
    return np.asarray(axes_of(axes).T @ (point - ik.target.transform()[:3, 3]))


def position_jacobian(ik: IKQuery, axes: Frame, point: FloatArray, jacobian: FloatArray) -> FloatArray:
    """Derivative (3, k) of `position_error` for a point that moves by a Jacobian (3, k) in world axes."""
    vector = point - ik.target.transform()[:3, 3]
    if ik.moves(ik.target):
        jacobian = jacobian - ik.frame_jacobian(ik.target)[3:]
    return jacobian_in_axes(ik, axes, vector, jacobian)


def rotation_error(ik: IKQuery, axes: Frame) -> FloatArray:
    """Rotation (3, 3) from the target's axes to the node's, in some axes [-]."""
    A = axes_of(axes)
    return np.asarray(A.T @ ik.transform()[:3, :3] @ ik.target.transform()[:3, :3].T @ A)


def rotation_jacobian(ik: IKQuery, axes: Frame) -> FloatArray:
    """Angular velocity (3, k) of `rotation_error`, in the same axes: that of the node, less that of the
    target as the rotation carries it."""
    if not (ik.moves(axes) or ik.moves(ik.target)):
        return np.asarray(axes_of(axes).T @ ik.jacobian()[:3])
    A, spin = axes_of(axes).T, ik.frame_jacobian(axes)[:3]
    following = A @ (ik.frame_jacobian(ik.target)[:3] - spin)
    return np.asarray(A @ (ik.jacobian()[:3] - spin) - rotation_error(ik, axes) @ following)


def jacobian_in_axes(ik: IKQuery, axes: Frame, vector: FloatArray, jacobian: FloatArray) -> FloatArray:
    """Derivative (3, k) of the coordinates that a vector (3,) of the world has in some axes, where it has the
    derivative `jacobian` (3, k) in the world."""
    if ik.moves(axes):
        jacobian = jacobian + hat(vector) @ ik.frame_jacobian(axes)[:3]
    return np.asarray(axes_of(axes).T @ jacobian)
