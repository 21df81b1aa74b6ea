"""The place of the target, turned in any way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.ik._error_methods._arguments import LINEAR_WEIGHT, checked_clamp, spread, three_weights
from kido.ik._error_methods._point_in_box import PointInBox
from kido.ik._error_methods._pose_region import PoseRegion
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["PositionError"]


@value
class PositionError(Value, PointInBox):
    """The node's point at the target's origin, turned in any way.

    The error is three zeros, then the displacement of the node's point from the target's origin, in the axes
    of the module's `reference_frame`.

    Attributes:
        linear_weights: what each component counts (3,) [-]; one that counts 0 is free.
        length_clamp: largest length of the weighted error that gradient methods see [-].
    """

    linear_weights: Array = checked(three_weights, default=(LINEAR_WEIGHT,) * 3, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    @property
    def weights(self) -> FloatArray:
        """What each component counts (6,); angles nothing [-]."""
        return spread(0.0, self.linear_weights)

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest displacements (2, 3) without error [m]: zero, infinite where they are free."""
        free = np.where(self.linear_weights > 0.0, 0.0, np.inf)
        return np.stack([-free, free])

    def region(self, ik: InverseKinematics) -> PoseRegion:
        """What the native search has to know."""
        return PoseRegion(None, None, self.weights, self.axes(ik))
