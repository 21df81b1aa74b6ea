"""A point between bounds along three axes: the base of errors of position."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from kido.ik._error_methods._arguments import spread
from kido.ik._error_methods._displacement import axes_of, position_error, position_jacobian
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import PoseRegion
from kido.ik._query import IKQuery
from kido.typing import FloatArray

__all__ = ["PointInBox"]


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
        derivative = position_jacobian(ik, self.axes(ik), ik.transform()[:3, 3], ik.jacobian()[3:])
        measured = (d < lower) | (d > upper) | (np.isfinite(lower) & np.isfinite(upper))
        return np.concatenate([np.zeros_like(derivative), np.where(measured[:, None], derivative, 0.0)])

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

    def _displacement(self, ik: IKQuery) -> FloatArray:
        return position_error(ik, self.axes(ik), ik.transform()[:3, 3])
