"""The transpose of the Jacobian."""

from __future__ import annotations

import numpy as np

from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._gradient_methods._limits import any_weights, checked_clamp, positive_number
from kido.ik._query import IKQuery
from kido.typing import FloatArray
from kido.values import Array, Value, checked, value

__all__ = ["JacobianTranspose"]


def _checked_gain(name: str, value: float | None) -> float | None:
    return None if value is None else positive_number(name, value)


@value
class JacobianTranspose(Value, GradientMethod):
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
    component_clamp: float = checked(checked_clamp, default=0.2, kw_only=True)
    component_weights: Array = checked(any_weights, default=(), kw_only=True)

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The step (k,) along J^T e for the error (m,) [rad, m]."""
        gain = _largest_gain(jacobian) if self.gain is None else self.gain
        return np.asarray(gain * (jacobian.T @ error))


def _largest_gain(J: FloatArray) -> float:
    """1 over the largest squared singular value of J (m, k); 0 where all are zero."""
    largest = float(np.linalg.norm(J, 2)) if J.size else 0.0
    return 1.0 / largest**2 if largest > 0.0 else 0.0
