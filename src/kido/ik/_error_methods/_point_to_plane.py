"""A point on a plane."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.ik._error_methods._arguments import (
    LINEAR_WEIGHT,
    check_limits,
    checked_clamp,
    checked_weight,
    spread,
)
from kido.ik._error_methods._point_in_box import PointInBox
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Value, checked, number, value

__all__ = ["PointToPlane"]


@value
class PointToPlane(Value, PointInBox):
    """The node's point on the x-y plane of the target, or between two heights above it; with any orientation.

    The error is five zeros, then the point's height above the plane, along the target's z axis, beyond the
    limits.

    Attributes:
        lower, upper: lowest and highest height above the plane [m]; may be infinite.
        weight: of a meter [-], above 0.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.

    Raises TypeError or ValueError naming the argument.
    """

    lower: float = number(unit="m", finite=False, default=0.0)
    upper: float = number(unit="m", finite=False, default=0.0)
    weight: float = checked(checked_weight, default=LINEAR_WEIGHT, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    def _check(self) -> None:
        check_limits(self.lower, self.upper)

    @property
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for all but the last [-]."""
        return spread(0.0, (0.0, 0.0, self.weight))

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest displacements (2, 3) without error, along the target's axes [m]."""
        return np.array([[-np.inf, -np.inf, self.lower], [np.inf, np.inf, self.upper]])

    def axes(self, ik: IKQuery) -> Frame:
        """The target."""
        return ik.target
