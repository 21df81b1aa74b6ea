"""A point on a plane."""

from __future__ import annotations

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

__all__ = ["PointToPlane"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class PointToPlane(Value, PointInBox):
    """The node's point on the x-y plane of the target, or between two heights above it; with any orientation.

    The error is five zeros, then the point's height above the plane, along the target's z axis, beyond the
    limits.

    Attributes:
        lower, upper: lowest and highest height above the plane [m]; may be infinite.
        weight: of a meter [-].
        length_clamp: largest length of the weighted error that gradient methods see [-].
    """

    lower: float
    upper: float
    weight: float
    length_clamp: float

    def __init__(
        self,
        lower: float = 0.0,
        upper: float = 0.0,
        *,
        weight: float = LINEAR_WEIGHT,
        length_clamp: float = 1.0,
    ) -> None:
        """A plane, or a layer between two.

        Args:
            lower: lowest height above the plane [m]; -inf is none.
            upper: highest height above it [m]; inf is none.
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
        """Weight of each component (6,), zero for all but the last [-]."""
        return spread(0.0, (0.0, 0.0, self.weight))

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest displacements (2, 3) without error, along the target's axes [m]."""
        return np.array([[-np.inf, -np.inf, self.lower], [np.inf, np.inf, self.upper]])

    def axes(self, ik: InverseKinematics) -> Frame:
        """The target."""
        return ik.target
