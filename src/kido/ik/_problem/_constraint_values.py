"""Errors of a module as solvers with constraints see them: continuous, weighted, and not shortened."""

from __future__ import annotations

import numpy as np

from kido.ik._query import IKQuery
from kido.ik._user_output import finite_array
from kido.typing import FloatArray

__all__ = [
    "constraint_values",
    "remaining_lengths",
    "weighted_constraint",
    "weighted_constraint_jacobian",
]


def weighted_constraint(ik: IKQuery) -> FloatArray:
    """Weighted error (m,) that solvers with constraints make zero, at the present positions [-]."""
    values = constraint_values(ik)
    return np.asarray(ik.weights(values) * values)


def weighted_constraint_jacobian(ik: IKQuery) -> FloatArray:
    """Derivative (m, k) of `weighted_constraint` by the velocities of the module's dofs."""
    method, shape = ik.error_method, (len(ik.error), len(ik.dofs))
    J = finite_array(f"{method.name}.compute_jacobian", method.compute_constraint_jacobian(ik), shape)
    return np.asarray(ik.weights(J[:, 0])[:, None] * J)


def constraint_values(ik: IKQuery) -> FloatArray:
    """Error (m,) that solvers with constraints make zero, without weights [rad, m]."""
    method = ik.error_method
    return finite_array(f"{method.name}.compute_constraint", method.compute_constraint(ik), (-1,))


def remaining_lengths(ik: IKQuery) -> tuple[float, float]:
    """Norms of the angles [rad] and lengths [m] of a module's remaining error, without components of weight
    zero."""
    values = constraint_values(ik)
    return ik.error_lengths(np.where(ik.weights(values) == 0.0, 0.0, values))
