"""The pseudoinverse of the Jacobian."""

from __future__ import annotations

from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._least_squares import RANK_TOLERANCE, shortest_solution
from kido.ik._gradient_methods._limits import any_weights, checked_clamp, nonnegative_number
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["JacobianPseudoinverse"]


@value
class JacobianPseudoinverse(Value, GradientMethod):
    """The pseudoinverse of the Jacobian: g = J^+ e, the shortest step that makes as much of the error as
    can be.

    Fast where the Jacobian has full rank. Near singular positions, steps grow with the inverse of its
    smallest singular value, up to the clamp; at them, the direction that is lost is left out.

    Attributes:
        rank_tolerance: singular values up to this times the largest one count as zero [-].
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Raises TypeError or ValueError, naming the argument, for numbers out of range.

    Source: Whitney, The mathematics of coordinated control of prosthetic arms and manipulators (1972);
    Klein and Huang, Review of pseudoinverse control for use with kinematically redundant manipulators
    (1983).
    """

    rank_tolerance: float = checked(nonnegative_number, default=RANK_TOLERANCE)
    component_clamp: float = checked(checked_clamp, default=0.2, kw_only=True)
    component_weights: Array = checked(any_weights, default=(), kw_only=True)

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The shortest step (k,) that makes the error (m,) [rad, m]."""
        return shortest_solution(jacobian, error, self.rank_tolerance)
