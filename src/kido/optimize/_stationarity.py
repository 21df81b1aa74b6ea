"""Violation of the first-order conditions of an optimum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kido.optimize._checked import real_array
from kido.optimize._function import NullFunction
from kido.optimize._nonlinear_program import NonlinearProgram
from kido.typing import ArrayLike, FloatArray

__all__ = [
    "OneSided",
    "kkt_residual",
    "one_sided_constraints",
    "problem_residual",
    "remaining_gradient",
    "stationarity",
]

_DISTANCES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""Distances of inequalities that are tried as those at which they count [-]: interior points stop short."""
_DEPENDENT = 1e-14
"""Singular value of equalities beside the largest one below which it is rounding."""


class OneSided(NamedTuple):
    """Inequalities and bounds at a point.

    Attributes: `distances` (k,) that are left, below zero where one is broken [-], and outward `normals`
    (k, n).
    """

    distances: FloatArray
    normals: FloatArray


def stationarity(problem: NonlinearProgram, x: ArrayLike, tolerance: float = 1e-6) -> float:
    """Largest component of the Lagrangian's gradient at `x` (n,) [-], for the multipliers that make it
    smallest.

    Zero at an optimum with regular constraints: Karush (1939), Kuhn and Tucker (1951). Inequalities and
    bounds count where they are nearer than `tolerance` [-]; their multipliers push inward only. It is
    relative to the largest component of the objective's gradient, where that is above 1.

    Raises TypeError or ValueError for an x of another shape.
    """
    point = real_array("x", x)
    gradient, sides = problem.gradient(point), one_sided_constraints(problem, point)
    pushing = sides.normals[sides.distances <= tolerance]
    left = remaining_gradient(gradient, problem.equality_jacobian(point), pushing)
    return _largest(left) / max(1.0, _largest(gradient))


def kkt_residual(
    gradient: FloatArray, free: FloatArray, sides: OneSided, tolerance: float = 1e-6, scale: float = 1.0
) -> float:
    """Residual of the conditions of Karush, Kuhn and Tucker [-]; inf where they have no numbers.

    Inequalities that count from some distance on leave a gradient, relative to `scale`; the residual is the
    larger of that and of the distance, for the distance that makes it smallest. Those nearer than
    `tolerance` [-] are held by no distance.

    Args:
        gradient: (n,) of the objective.
        free: normals (m, n) of equalities.
        sides: inequalities and bounds.
        tolerance: by how much constraints may be broken [-].
        scale: what the gradient is relative to, above 0.
    """
    numbers = (gradient, free, sides.distances, sides.normals)
    if not all(np.isfinite(part).all() for part in numbers):
        return np.inf
    least, known = np.inf, -1
    for distance in (tolerance, *(d for d in _DISTANCES if d > tolerance)):
        cost = 0.0 if distance == tolerance else distance
        near = sides.distances <= distance
        if cost >= least:
            break
        if int(near.sum()) > known:
            known = int(near.sum())
            left = _largest(remaining_gradient(gradient, free, sides.normals[near])) / scale
            least = min(least, max(left, cost))
    return least


def problem_residual(problem: NonlinearProgram, x: FloatArray, tolerance: float = 1e-6) -> float:
    """`kkt_residual` of a problem at `x` (n,) [-], where the gradient counts relative to 1, or to its own
    largest component, if that is larger."""
    if isinstance(problem.objective, NullFunction):
        return 0.0
    gradient = problem.gradient(x)
    free, sides = problem.equality_jacobian(x), one_sided_constraints(problem, x)
    return kkt_residual(gradient, free, sides, tolerance, max(1.0, _largest(gradient)))


def one_sided_constraints(problem: NonlinearProgram, x: FloatArray) -> OneSided:
    """Inequalities and finite bounds of a problem at `x` (n,) [-]."""
    axes = np.eye(problem.dimension)
    low, high = np.isfinite(problem.lower_bounds), np.isfinite(problem.upper_bounds)
    return OneSided(
        np.concatenate(
            [
                -problem.inequality_values(x),
                (x - problem.lower_bounds)[low],
                (problem.upper_bounds - x)[high],
            ]
        ),
        np.concatenate([problem.inequality_jacobian(x), -axes[low], axes[high]]),
    )


def remaining_gradient(gradient: FloatArray, free: FloatArray, pushing: FloatArray) -> FloatArray:
    """The gradient (n,) of the Lagrangian for the multipliers that make it smallest by squares.

    Args:
        gradient: (n,) of the objective.
        free: normals (m, n) of equalities, whose multipliers have any sign.
        pushing: outward normals (k, n) of inequalities, whose multipliers are 0 or above.
    """
    if len(free) > 0:
        _, sizes, basis = np.linalg.svd(free, full_matrices=False)
        basis = basis[sizes > _DEPENDENT * sizes[0]]
        gradient, pushing = (rows - (rows @ basis.T) @ basis for rows in (gradient, pushing))
    if len(pushing) == 0:
        return gradient
    from scipy.optimize import lsq_linear, nnls

    try:
        multipliers = nnls(pushing.T, -gradient)[0]
    except RuntimeError:  # too many iterations
        multipliers = lsq_linear(pushing.T, -gradient, (0.0, np.inf), tol=1e-14).x
    return np.asarray(gradient + pushing.T @ multipliers)


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))
