"""The orientation of the target, anywhere."""

from __future__ import annotations

import numpy as np

from kido.ik._error_methods._arguments import ANGULAR_WEIGHT, checked_clamp, spread, three_weights
from kido.ik._error_methods._displacement import axes_of, rotation_error, rotation_jacobian
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import PoseRegion
from kido.ik._query import IKQuery
from kido.math import so3_exp, so3_left_jacobian_inverse, so3_log
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["OrientationError"]


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
