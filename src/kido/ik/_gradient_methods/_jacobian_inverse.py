"""The inverse of the Jacobian."""

from __future__ import annotations

from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._least_squares import shortest_solution
from kido.ik._gradient_methods._limits import any_weights, checked_clamp
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["JacobianInverse"]


@value
class JacobianInverse(Value, GradientMethod):
    """The inverse of the Jacobian: g = J^-1 e, for as many dofs as the error has components.

    Precise, and unstable near singular positions, where steps grow up to the clamp. At singular positions,
    where the smallest singular value is 1e-9 of the largest or less, and where components of the error are
    free, there is no inverse: the step is that of the pseudoinverse.

    Attributes:
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Raises TypeError or ValueError, naming the argument, for numbers out of range.

    Source: Whitney, Resolved motion rate control of manipulators and human prostheses (1969).
    """

    component_clamp: float = checked(checked_clamp, default=0.2, kw_only=True)
    component_weights: Array = checked(any_weights, default=(), kw_only=True)

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The step (k,) that makes the error (m,) [rad, m]. Raises ValueError where k is not m."""
        rows, columns = jacobian.shape
        if rows != columns:
            raise ValueError(
                f"{self.name}: expected as many dofs as components of the error, "
                f"got {columns} dofs and {rows} components; JacobianPseudoinverse takes any"
            )
        return shortest_solution(jacobian, error)
