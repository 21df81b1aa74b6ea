"""Objectives that are sums of squares."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from kido.optimize._checked import checked_array
from kido.optimize._differences import difference_jacobian
from kido.optimize._function import Function
from kido.typing import FloatArray

__all__ = ["LeastSquaresFunction"]


class LeastSquaresFunction(Function):
    """Half the sum of the squares of residuals r (m,): ½ r·r.

    A function of your own derives from it and has `residuals`, and `jacobian` if it is known; otherwise that
    is differences of residuals. Every solver takes it; Levenberg-Marquardt and Gauss-Newton need it.
    """

    @property
    def has_jacobian(self) -> bool:
        """Whether the Jacobian is more than differences of residuals."""
        return type(self).jacobian is not LeastSquaresFunction.jacobian

    @abstractmethod
    def residuals(self, x: FloatArray) -> FloatArray:
        """Residuals (m,) at `x` (n,) [-]."""

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (m, n) of the residuals at `x` (n,) [-]; by default differences of second order."""
        return difference_jacobian(self._checked_residuals, x)

    def jacobian_within(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """The Jacobian (m, n) at `x` (n,) [-]; differences ask for residuals inside the bounds (n,) only."""
        J = (
            self.jacobian(x)
            if self.has_jacobian
            else difference_jacobian(self._checked_residuals, x, lower, upper)
        )
        return checked_array(f"{self.name}.jacobian", J, (-1, len(x)))

    def value(self, x: FloatArray) -> float:
        """½ r·r at `x` (n,) [-]."""
        r = self._checked_residuals(x)
        return 0.5 * float(r @ r)

    def gradient(self, x: FloatArray) -> FloatArray:
        """Jᵀ r (n,) at `x` (n,) [-]."""
        everywhere = np.full(len(x), np.inf)
        return self.gradient_within(x, -everywhere, everywhere)

    def gradient_within(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Jᵀ r (n,) at `x` (n,) [-]; differences ask for residuals inside the bounds (n,) only."""
        r, J = self._checked_residuals(x), self.jacobian_within(x, lower, upper)
        return checked_array(f"{self.name}.jacobian", J, (len(r), len(x))).T @ r

    def _checked_residuals(self, x: FloatArray) -> FloatArray:
        return checked_array(f"{self.name}.residuals", self.residuals(x), (-1,))
