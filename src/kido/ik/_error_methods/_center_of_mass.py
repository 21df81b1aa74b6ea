"""The center of mass at the target."""

from __future__ import annotations

import numpy as np

from kido.ik._error_methods._components import (
    LINEAR_WEIGHT,
    checked_clamp,
    position_error,
    position_jacobian,
    spread,
    three_weights,
)
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import MassRegion
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["CenterOfMass"]


@value
class CenterOfMass(Value, ErrorMethod):
    """The center of mass of the node's skeleton at the target's origin.

    The error is three zeros, then the displacement of the center from the target's origin, in the axes of the
    module's `reference_frame`. To balance, let the height be free: `CenterOfMass(linear_weights=(1, 1, 0))`.
    Where the node is does not matter; `dofs` are to be those that should balance, not only its chain.

    Attributes:
        linear_weights: weight of each component (3,) [-], 0 or above; one with weight 0 is free.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.

    Raises TypeError or ValueError naming the argument.

    Source of the Jacobian: Sugihara, Nakamura and Inoue, Realtime humanoid motion generation through ZMP
    manipulation based on inverted pendulum control (2002).
    """

    linear_weights: Array = checked(three_weights, default=(LINEAR_WEIGHT,) * 3, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    @property
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for angles [-]."""
        return spread(0.0, self.linear_weights)

    def compute_error(self, ik: IKQuery) -> FloatArray:
        """Three zeros, and the displacement of the center of mass from the target (6,) [rad, m]."""
        displacement = position_error(ik, self.axes(ik), ik.node.skeleton.com())
        return spread(0.0, np.where(self.linear_weights > 0.0, displacement, 0.0))

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the error."""
        skeleton = ik.node.skeleton
        moving = skeleton.com_jacobian()[3:, ik.dof_indices]
        derivative = position_jacobian(ik, self.axes(ik), skeleton.com(), moving)
        J = np.where(self.linear_weights[:, None] > 0.0, derivative, 0.0)
        return np.concatenate([np.zeros_like(J), J])

    def region(self, ik: IKQuery) -> MassRegion:
        """The region for the native search."""
        return MassRegion(self.linear_weights, self.axes(ik))

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The present pose (4, 4): any pose of the node will do [m]."""
        return ik.transform()
