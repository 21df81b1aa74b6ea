"""The inverse of the Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._least_squares import shortest_solution
from kido.ik._gradient_methods._limits import component_limits
from kido.typing import ArrayLike, FloatArray, Value

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["JacobianInverse"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class JacobianInverse(Value, GradientMethod):
    """The inverse of the Jacobian: g = J^-1 e, for as many dofs as the error has components.

    Precise, and unstable near singular positions, where steps grow up to the clamp. At singular positions,
    where the smallest singular value is 1e-9 of the largest or less, and where components of the error are
    free, there is no inverse: the step is that of the pseudoinverse.

    Attributes:
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Source: Whitney, Resolved motion rate control of manipulators and human prostheses (1969).
    """

    component_clamp: float
    component_weights: FloatArray

    def __init__(self, *, component_clamp: float = 0.2, component_weights: ArrayLike = ()) -> None:
        """Raises TypeError or ValueError, naming the argument, for numbers out of range."""
        self._assign(**component_limits(component_clamp, component_weights))

    def compute_gradient(self, ik: InverseKinematics, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The step (k,) that makes the error (m,) [rad, m]. Raises ValueError where k is not m."""
        rows, columns = jacobian.shape
        if rows != columns:
            raise ValueError(
                f"{self.name}: expected as many dofs as components of the error, "
                f"got {columns} dofs and {rows} components; JacobianPseudoinverse takes any"
            )
        return shortest_solution(jacobian, error)
