"""A point on a line."""

from __future__ import annotations

import math

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

__all__ = ["PointToLine"]


@value
class PointToLine(Value, PointInBox):
    """The node's point on the z axis of the target, or on a piece of it; with any orientation.

    The error is three zeros, the point's displacement from the line along the target's x and y axes, and that
    along the line beyond the limits.

    Attributes:
        lower, upper: where on the line the piece begins and ends [m]; may be infinite.
        weight: of a meter [-], above 0.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.

    Raises TypeError or ValueError naming the argument.
    """

    lower: float = number(unit="m", finite=False, default=-math.inf)
    upper: float = number(unit="m", finite=False, default=math.inf)
    weight: float = checked(checked_weight, default=LINEAR_WEIGHT, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    def _check(self) -> None:
        check_limits(self.lower, self.upper)

    @property
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for angles [-]."""
        return spread(0.0, self.weight)

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest displacements (2, 3) without error, along the target's axes [m]."""
        return np.array([[0.0, 0.0, self.lower], [0.0, 0.0, self.upper]])

    def axes(self, ik: IKQuery) -> Frame:
        """The target."""
        return ik.target
