"""Damped least squares: damped as a whole, and each singular vector by itself."""

from __future__ import annotations

import math

import numpy as np

from kido.ik._gradient_methods._gradient_method import LimitedMethod
from kido.ik._gradient_methods._least_squares import damped_solution, singular_values
from kido.ik._gradient_methods._step_limits import (
    nonnegative_number,
    positive_number,
)
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import checked, value

__all__ = ["DampedLeastSquares", "SelectivelyDampedLeastSquares"]


@value
class DampedLeastSquares(LimitedMethod):
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

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The damped least squares step (k,) for the error (m,) [rad, m]."""
        return damped_solution(jacobian, error, self.damping)


@value
class SelectivelyDampedLeastSquares(LimitedMethod):
    """Selectively damped least squares: the pseudoinverse, each of its singular vectors damped by itself.

    A direction in which the node hardly moves although dofs do gets little of the largest change: that times
    the ratio of how far the node gets to the sum of how far each dof alone would carry it. So steps stay
    small near singular positions, without oscillation, and are those of the pseudoinverse where they are
    small anyway. The error is clamped by the error method's `length_clamp`; all of it is one effector's.

    Attributes:
        largest_change: of a dof in one step, gamma_max [rad, m].
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Raises TypeError or ValueError, naming the argument, for numbers out of range.

    Source: Buss and Kim, Selectively damped least squares for inverse kinematics (2005).
    """

    largest_change: float = checked(positive_number, default=0.25 * math.pi)

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The selectively damped step (k,) for the error (m,) [rad, m]."""
        U, s, V = singular_values(jacobian)
        kept = s > np.finfo(np.float64).eps * s.max(initial=0.0)
        U, s, V = U[:, kept], s[kept], V[:, kept]
        carried = (np.abs(V).T @ np.linalg.norm(jacobian, axis=0)) / s
        parts = V * ((U.T @ error) / s)
        parts = parts * _shrinking(np.abs(parts).max(axis=0, initial=0.0), self.largest_change / carried)
        step = parts.sum(axis=1)
        return np.asarray(step * _shrinking(np.abs(step).max(initial=0.0), self.largest_change))


def _shrinking(largest: FloatArray, allowed: FloatArray | float) -> FloatArray:
    """Factors (...) that bring largest components down to allowed ones."""
    return np.asarray(allowed / np.maximum(largest, allowed))
