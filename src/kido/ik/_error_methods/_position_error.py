"""Error of position: displacement from the target's origin."""

from __future__ import annotations

import numpy as np

from kido.ik._error_methods._arguments import LINEAR_WEIGHT, checked_clamp, spread, three_weights
from kido.ik._error_methods._point_in_box import PointInBox
from kido.ik._error_methods._region import PoseRegion
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["PositionError"]


@value
class PositionError(Value, PointInBox):
    """The node's point at the target's origin, with any orientation.

    The error is three zeros, then the displacement of the node's point from the target's origin, in the axes
    of the module's `reference_frame`.

    Attributes:
        linear_weights: weight of each component (3,) [-], 0 or above; one with weight 0 is free.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.

    Raises TypeError or ValueError naming the argument.
    """

    linear_weights: Array = checked(three_weights, default=(LINEAR_WEIGHT,) * 3, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    @property
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for angles [-]."""
        return spread(0.0, self.linear_weights)

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest displacements (2, 3) without error [m]: zero, infinite where they are free."""
        free = np.where(self.linear_weights > 0.0, 0.0, np.inf)
        return np.stack([-free, free])

    def region(self, ik: IKQuery) -> PoseRegion:
        """The region for the native search."""
        return PoseRegion(None, None, self.weights, self.axes(ik))
