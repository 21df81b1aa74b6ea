"""Damped least squares."""

from __future__ import annotations

from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._least_squares import damped_solution
from kido.ik._gradient_methods._limits import any_weights, checked_clamp, nonnegative_number
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["DampedLeastSquares"]


@value
class DampedLeastSquares(Value, GradientMethod):
    """Damped least squares: g = J^T (J J^T + damping^2 1)^-1 e, stable at singular positions.

    Without damping it is the pseudoinverse.

    Attributes:
        damping: how much large steps count against what is left of the error [-].
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Raises TypeError or ValueError, naming the argument, for numbers out of range.

    Source: Wampler, Manipulator inverse kinematic solutions based on vector formulations and damped
    least-squares methods (1986); Nakamura and Hanafusa (1986).
    """

    damping: float = checked(nonnegative_number, default=0.05)
    component_clamp: float = checked(checked_clamp, default=0.2, kw_only=True)
    component_weights: Array = checked(any_weights, default=(), kw_only=True)

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The damped least squares step (k,) for the error (m,) [rad, m]."""
        return damped_solution(jacobian, error, self.damping)
