"""Transpose, inverse and pseudoinverse of the Jacobian."""

from __future__ import annotations

import numpy as np

from kido.ik._gradient_methods._gradient_method import LimitedMethod
from kido.ik._gradient_methods._least_squares import RANK_TOLERANCE, shortest_solution
from kido.ik._gradient_methods._step_limits import (
    nonnegative_number,
    positive_number,
)
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import checked, value

__all__ = ["JacobianInverse", "JacobianPseudoinverse", "JacobianTranspose"]


def _checked_gain(name: str, value: float | None) -> float | None:
    return None if value is None else positive_number(name, value)


@value
class JacobianTranspose(LimitedMethod):
    """The transpose of the Jacobian: g = gain J^T e, along the gradient of half the squared error.

    Cheap, and stable at singular positions, but slow: each step lowers every part of the error by a factor
    that nears 1 with the singular value of that part. A gain above 2 over the largest squared singular value
    overshoots more than it lowers.

    Attributes:
        gain: factor of the step [-]; None: 1 over the largest squared singular value of the Jacobian, the
            largest one that overshoots no part of the error.
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Raises TypeError or ValueError, naming the argument, for numbers out of range.

    Source: Wolovich and Elliott, A computational technique for inverse kinematics (1984); Balestrino, De
    Maria and Sciavicco, Robust control of robotic manipulators (1984).
    """

    gain: float | None = checked(_checked_gain, default=None)

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The step (k,) along J^T e for the error (m,) [rad, m]."""
        gain = _largest_gain(jacobian) if self.gain is None else self.gain
        return np.asarray(gain * (jacobian.T @ error))


def _largest_gain(J: FloatArray) -> float:
    """1 over the largest squared singular value of J (m, k); 0 where all are zero."""
    largest = float(np.linalg.norm(J, 2)) if J.size else 0.0
    return 1.0 / largest**2 if largest > 0.0 else 0.0


@value
class JacobianInverse(LimitedMethod):
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

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The step (k,) that makes the error (m,) [rad, m]. Raises ValueError where k is not m."""
        rows, columns = jacobian.shape
        if rows != columns:
            raise ValueError(
                f"{self.name}: expected as many dofs as components of the error, "
                f"got {columns} dofs and {rows} components; JacobianPseudoinverse takes any"
            )
        return shortest_solution(jacobian, error)


@value
class JacobianPseudoinverse(LimitedMethod):
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

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The shortest step (k,) that makes the error (m,) [rad, m]."""
        return shortest_solution(jacobian, error, self.rank_tolerance)
