"""Errors of pose and of orientation: rotation vector and displacement from the target."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.ik._error_methods._components import (
    ANGULAR_WEIGHT,
    LINEAR_WEIGHT,
    axes_of,
    checked_clamp,
    position_error,
    position_jacobian,
    rotation_error,
    rotation_jacobian,
    six_weights,
    spread,
    three_weights,
)
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import PoseRegion
from kido.ik._query import IKQuery
from kido.math import so3_exp, so3_left_jacobian_inverse, so3_log
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["OrientationError", "PoseError"]

_WEIGHTS = tuple(spread(ANGULAR_WEIGHT, LINEAR_WEIGHT).tolist())


@value
class PoseError(Value, ErrorMethod):
    """The node's point, with its axes, at the target.

    The error is the rotation vector that leads from the target's axes to the node's, then the displacement
    of the node's point from the target's origin, both in the axes of the module's `reference_frame`. The
    rotation vector is the shortest rotation from one orientation to the other, and regular at every angle
    below a full turn, where the three angles of a `TaskSpaceRegion` are not.

    Attributes:
        weights: weight of each component (6,), angles first [-], 0 or above; one with weight 0 is free.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.

    Raises TypeError or ValueError naming the argument.

    Source: Lynch and Park, Modern Robotics (2017), section 6.2; Bullo and Murray, Proportional derivative
    control on the Euclidean group (1995).
    """

    weights: Array = checked(six_weights, default=_WEIGHTS, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    def compute_error(self, ik: IKQuery) -> FloatArray:
        """Rotation vector and displacement from the target (6,) [rad, m]."""
        return np.where(self.weights > 0.0, _displacement(ik, self.axes(ik)), 0.0)

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the error."""
        axes = self.axes(ik)
        vector = so3_log(rotation_error(ik, axes))
        angular = so3_left_jacobian_inverse(vector) @ rotation_jacobian(ik, axes)
        linear = position_jacobian(ik, axes, ik.transform()[:3, 3], ik.jacobian()[3:])
        return np.where(self.weights[:, None] > 0.0, np.concatenate([angular, linear]), 0.0)

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The target's pose (4, 4) in the world, with the present components where they are free [m]."""
        axes = self.axes(ik)
        kept = _displacement(ik, axes) - self.compute_error(ik)
        A, T = axes_of(axes), ik.target.transform()
        T[:3, :3] = A @ so3_exp(kept[:3]) @ A.T @ T[:3, :3]
        T[:3, 3] += A @ kept[3:]
        return T

    def region(self, ik: IKQuery) -> PoseRegion | None:
        """The target's pose; None where components of one kind count differently."""
        if np.ptp(self.weights[:3]) > 0.0 or np.ptp(self.weights[3:]) > 0.0:
            return None
        return PoseRegion(None, None, self.weights, self.axes(ik))


def _displacement(ik: IKQuery, axes: Frame) -> FloatArray:
    return np.concatenate(
        [so3_log(rotation_error(ik, axes)), position_error(ik, axes, ik.transform()[:3, 3])]
    )


@value
class OrientationError(Value, ErrorMethod):
    """The node's axes along the target's, wherever it is.

    The error is the rotation vector that leads from the target's axes to the node's, in the axes of the
    module's `reference_frame`, then three zeros.

    Attributes:
        angular_weights: weight of each component (3,) [-], 0 or above; one with weight 0 is free.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.

    Raises TypeError or ValueError naming the argument.
    """

    angular_weights: Array = checked(three_weights, default=(ANGULAR_WEIGHT,) * 3, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    @property
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for lengths [-]."""
        return spread(self.angular_weights, 0.0)

    def compute_error(self, ik: IKQuery) -> FloatArray:
        """Rotation vector from the target's axes to the node's, and three zeros (6,) [rad, m]."""
        return spread(
            np.where(self.angular_weights > 0.0, so3_log(rotation_error(ik, self.axes(ik))), 0.0), 0.0
        )

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the error."""
        axes = self.axes(ik)
        derivative = so3_left_jacobian_inverse(so3_log(rotation_error(ik, axes))) @ rotation_jacobian(
            ik, axes
        )
        J = np.where(self.angular_weights[:, None] > 0.0, derivative, 0.0)
        return np.concatenate([J, np.zeros_like(J)])

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The target's axes, with the present components where they are free, at the node's point (4, 4)
        [m]."""
        axes, T = self.axes(ik), ik.transform()
        kept = so3_log(rotation_error(ik, axes)) - self.compute_error(ik)[:3]
        A = axes_of(axes)
        T[:3, :3] = A @ so3_exp(kept) @ A.T @ ik.target.transform()[:3, :3]
        return T

    def region(self, ik: IKQuery) -> PoseRegion | None:
        """The target's orientation; None where components count differently."""
        if np.ptp(self.angular_weights) > 0.0:
            return None
        return PoseRegion(None, None, self.weights, self.axes(ik))
