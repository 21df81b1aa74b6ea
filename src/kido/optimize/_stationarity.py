"""Violation of the first-order conditions of an optimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.optimize._checked import real_array
from kido.typing import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kido.optimize._problem import Problem

__all__ = ["stationarity"]


def stationarity(problem: Problem, x: ArrayLike, tolerance: float = 1e-6) -> float:
    """Largest component of the Lagrangian's gradient at `x` (n,) [-], for the multipliers that make it
    smallest.

    Zero at an optimum with regular constraints: Karush (1939), Kuhn and Tucker (1951). Inequalities and
        bounds
    count where they are nearer than `tolerance` [-]; their multipliers push inward only. It is relative to
    the largest component of the objective's gradient, where that is above 1.

    Raises TypeError or ValueError for an x of another shape.
    """
    from scipy.optimize import lsq_linear

    point = real_array("x", x)
    gradient = problem.gradient(point)
    free = problem.equality_jacobian(point)
    pushing = _active_normals(problem, point, tolerance)
    remainder = gradient
    if len(free) + len(pushing):
        lowest = np.concatenate([np.full(len(free), -np.inf), np.zeros(len(pushing))])
        normals = np.concatenate([free, pushing])
        fit = lsq_linear(normals.T, -gradient, (lowest, np.inf), tol=1e-14)
        remainder = gradient + normals.T @ fit.x
    scale = max(1.0, float(np.abs(gradient).max(initial=0.0)))
    return float(np.abs(remainder).max(initial=0.0)) / scale


def _active_normals(problem: Problem, x: FloatArray, tolerance: float) -> FloatArray:
    """Outward normals (k, n) of the inequalities and bounds that x touches."""
    touching = problem.inequality_values(x) >= -tolerance
    axes = np.eye(problem.dimension)
    return np.concatenate(
        [
            problem.inequality_jacobian(x)[touching],
            -axes[x <= problem.lower_bounds + tolerance],
            axes[x >= problem.upper_bounds - tolerance],
        ]
    )
