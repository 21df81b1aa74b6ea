"""Damped least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._least_squares import damped_solution
from kido.ik._gradient_methods._limits import component_limits, nonnegative_number
from kido.typing import ArrayLike, FloatArray, Value

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["DampedLeastSquares"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class DampedLeastSquares(Value, GradientMethod):
    """Damped least squares: g = J^T (J J^T + damping^2 1)^-1 e, stable at singular positions.

    Without damping it is the pseudoinverse.

    Attributes:
        damping: how much large steps count against what is left of the error [-].
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Source: Wampler, Manipulator inverse kinematic solutions based on vector formulations and damped
    least-squares methods (1986); Nakamura and Hanafusa (1986).
    """

    damping: float
    component_clamp: float
    component_weights: FloatArray

    def __init__(
        self, damping: float = 0.05, *, component_clamp: float = 0.2, component_weights: ArrayLike = ()
    ) -> None:
        """Raises TypeError or ValueError, naming the argument, for numbers out of range."""
        self._assign(
            damping=nonnegative_number("damping", damping),
            **component_limits(component_clamp, component_weights),
        )

    def compute_gradient(self, ik: InverseKinematics, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The damped least squares step (k,) for the error (m,) [rad, m]."""
        return damped_solution(jacobian, error, self.damping)
