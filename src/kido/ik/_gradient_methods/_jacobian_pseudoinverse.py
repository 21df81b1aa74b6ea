"""The pseudoinverse of the Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._least_squares import RANK_TOLERANCE, shortest_solution
from kido.ik._gradient_methods._limits import component_limits, nonnegative_number
from kido.typing import ArrayLike, FloatArray, Value

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["JacobianPseudoinverse"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class JacobianPseudoinverse(Value, GradientMethod):
    """The pseudoinverse of the Jacobian: g = J^+ e, the shortest step that makes as much of the error as
    can be.

    Fast where the Jacobian has full rank. Near singular positions, steps grow with the inverse of its
    smallest singular value, up to the clamp; at them, the direction that is lost is left out.

    Attributes:
        rank_tolerance: singular values up to this times the largest one count as zero [-].
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Source: Whitney, The mathematics of coordinated control of prosthetic arms and manipulators (1972);
    Klein and Huang, Review of pseudoinverse control for use with kinematically redundant manipulators
    (1983).
    """

    rank_tolerance: float
    component_clamp: float
    component_weights: FloatArray

    def __init__(
        self,
        rank_tolerance: float = RANK_TOLERANCE,
        *,
        component_clamp: float = 0.2,
        component_weights: ArrayLike = (),
    ) -> None:
        """Raises TypeError or ValueError, naming the argument, for numbers out of range."""
        self._assign(
            rank_tolerance=nonnegative_number("rank_tolerance", rank_tolerance),
            **component_limits(component_clamp, component_weights),
        )

    def compute_gradient(self, ik: InverseKinematics, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The shortest step (k,) that makes the error (m,) [rad, m]."""
        return shortest_solution(jacobian, error, self.rank_tolerance)
