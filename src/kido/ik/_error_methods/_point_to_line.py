"""A point on a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kido.frame import Frame
from kido.ik._error_methods._arguments import (
    LINEAR_WEIGHT,
    checked_clamp,
    checked_limits,
    checked_weight,
    spread,
)
from kido.ik._error_methods._point_in_box import PointInBox
from kido.typing import FloatArray, Value

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["PointToLine"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class PointToLine(Value, PointInBox):
    """The node's point on the z axis of the target, or on a piece of it; with any orientation.

    The error is three zeros, the point's displacement from the line along the target's x and y axes, and that
    along the line beyond the limits.

    Attributes:
        lower, upper: where on the line the piece begins and ends [m]; may be infinite.
        weight: of a meter [-].
        length_clamp: largest length of the weighted error that gradient methods see [-].
    """

    lower: float
    upper: float
    weight: float
    length_clamp: float

    def __init__(
        self,
        lower: float = -math.inf,
        upper: float = math.inf,
        *,
        weight: float = LINEAR_WEIGHT,
        length_clamp: float = 1.0,
    ) -> None:
        """A line, or a piece of it.

        Args:
            lower: where on the line the piece begins [m]; -inf: nowhere.
            upper: where it ends [m]; inf: nowhere.
            weight: of a meter [-], above 0.
            length_clamp: largest length of the weighted error [-], above 0; may be infinite.

        Raises TypeError or ValueError naming the argument.
        """
        low, high = checked_limits(lower, upper)
        self._assign(
            lower=low,
            upper=high,
            weight=checked_weight("weight", weight),
            length_clamp=checked_clamp(length_clamp),
        )

    @property
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for angles [-]."""
        return spread(0.0, self.weight)

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest displacements (2, 3) without error, along the target's axes [m]."""
        return np.array([[0.0, 0.0, self.lower], [0.0, 0.0, self.upper]])

    def axes(self, ik: InverseKinematics) -> Frame:
        """The target."""
        return ik.target
