"""Errors of a point: its distance from a point, a line, a plane, or a box."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from kido.frame import Frame
from kido.ik._error_methods._components import (
    LINEAR_WEIGHT,
    axes_of,
    check_limits,
    checked_clamp,
    checked_weight,
    position_error,
    position_jacobian,
    spread,
    three_weights,
)
from kido.ik._error_methods._error_bounds import ErrorBounds
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import PoseRegion
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Array, Value, checked, number, value

__all__ = ["PointInBox", "PointToLine", "PointToPlane", "PositionError"]


class PointInBox(ErrorMethod):
    """The node's point between bounds of its displacement from the target, along the method's `axes`; turned
    in any orientation."""

    @property
    @abstractmethod
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for angles [-]."""

    @property
    @abstractmethod
    def bounds(self) -> FloatArray:
        """Lowest and highest displacements (2, 3) without error [m]; may be infinite."""

    def compute_error(self, ik: IKQuery) -> FloatArray:
        """Three zeros, and the displacement beyond the bounds (6,) [rad, m]."""
        d = self._displacement(ik)
        return spread(0.0, d - np.clip(d, *self.bounds))

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the displacement; rows of components that have less than two bounds, and are
        within them, are zero."""
        d, (lower, upper) = self._displacement(ik), self.bounds
        derivative = self._displacement_jacobian(ik)
        measured = (d < lower) | (d > upper) | (np.isfinite(lower) & np.isfinite(upper))
        return np.concatenate([np.zeros_like(derivative), np.where(measured[:, None], derivative, 0.0)])

    def compute_bounds(self, ik: IKQuery) -> ErrorBounds | None:
        """Bounds of the displacement, angles are free; None where they leave nothing between them."""
        d, (lower, upper) = self._displacement(ik), self.bounds
        if (lower == upper)[self.weights[3:] > 0.0].all():
            return None
        derivative = self._displacement_jacobian(ik)
        J = np.concatenate([np.zeros_like(derivative), derivative])
        return ErrorBounds(J, spread(-np.inf, lower - d), spread(np.inf, upper - d))

    def compute_constraint_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the error: none of what is between different bounds."""
        d, (lower, upper) = self._displacement(ik), self.bounds
        between = spread(0.0, (lower < upper) & (lower <= d) & (d <= upper)) > 0.0
        return np.where(between[:, None], 0.0, self.compute_jacobian(ik))

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The nearest point between the bounds, with the node's present axes (4, 4) [m]."""
        T = ik.transform()
        T[:3, 3] -= axes_of(self.axes(ik)) @ self.compute_error(ik)[3:]
        return T

    def region(self, ik: IKQuery) -> PoseRegion:
        """The region for the native search."""
        lower, upper = self.bounds
        return PoseRegion(spread(-np.inf, lower), spread(np.inf, upper), self.weights, self.axes(ik))

    def _displacement_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (3, k) of the displacement."""
        return position_jacobian(ik, self.axes(ik), ik.transform()[:3, 3], ik.jacobian()[3:])

    def _displacement(self, ik: IKQuery) -> FloatArray:
        return position_error(ik, self.axes(ik), ik.transform()[:3, 3])


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

    def region(self, ik: IKQuery) -> PoseRegion:
        """The region for the native search, which turns with the target."""
        return PointInBox.region(self, ik)


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

    def region(self, ik: IKQuery) -> PoseRegion:
        """The region for the native search, which turns with the target."""
        return PointInBox.region(self, ik)
