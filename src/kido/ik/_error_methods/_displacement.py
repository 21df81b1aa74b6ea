"""Position and rotation error of a node relative to its target, in the axes of a frame, and their
Jacobians."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.ik._query import IKQuery
from kido.typing import FloatArray

__all__ = [
    "axes_of",
    "jacobian_in_axes",
    "position_error",
    "position_jacobian",
    "rotation_error",
    "rotation_jacobian",
]


def axes_of(frame: Frame) -> FloatArray:
    """The axes (3, 3) of a frame in the world, as columns [-]."""
    return frame.transform()[:3, :3]


def position_error(ik: IKQuery, axes: Frame, point: FloatArray) -> FloatArray:
    """Displacement (3,) of a point (3,) in the world from the target's origin, in some axes [m]."""
    return np.asarray(axes_of(axes).T @ (point - ik.target.transform()[:3, 3]))


def position_jacobian(ik: IKQuery, axes: Frame, point: FloatArray, jacobian: FloatArray) -> FloatArray:
    """Derivative (3, k) of `position_error` for a point that moves by a Jacobian (3, k) in world axes."""
    vector = point - ik.target.transform()[:3, 3]
    return jacobian_in_axes(ik, axes, vector, jacobian - ik.frame_jacobian(ik.target)[3:])


def rotation_error(ik: IKQuery, axes: Frame) -> FloatArray:
    """Rotation (3, 3) from the target's axes to the node's, in some axes [-]."""
    A = axes_of(axes)
    return np.asarray(A.T @ ik.transform()[:3, :3] @ ik.target.transform()[:3, :3].T @ A)


def rotation_jacobian(ik: IKQuery, axes: Frame) -> FloatArray:
    """Angular velocity (3, k) of `rotation_error`, in the same axes: that of the node, less that of the
    target as the rotation carries it."""
    A, spin = axes_of(axes).T, ik.frame_jacobian(axes)[:3]
    following = A @ (ik.frame_jacobian(ik.target)[:3] - spin)
    return np.asarray(A @ (ik.jacobian()[:3] - spin) - rotation_error(ik, axes) @ following)


def jacobian_in_axes(ik: IKQuery, axes: Frame, vector: FloatArray, jacobian: FloatArray) -> FloatArray:
    """Derivative (3, k) of the coordinates that a vector (3,) of the world has in some axes, where it has the
    derivative `jacobian` (3, k) in the world."""
    spin = ik.frame_jacobian(axes)[:3]
    return np.asarray(axes_of(axes).T @ (jacobian + np.cross(vector, spin, axisb=0, axisc=0)))
