"""Remaining gradient of an objective at positions that solvers found, beside targets and limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kido.ik._problem._ik_function import OwnErrors
from kido.optimize import (
    Function,
    OneSided,
    Problem,
    checked_array,
    kkt_residual,
    one_sided_constraints,
)
from kido.typing import FloatArray

__all__ = ["objective_residual"]

_PROBE = 1e-4
"""Change of positions by which the two sides of a bound are told from each other [rad, m]."""
_DIRECTIONS = 6
"""Directions in which positions are changed, at random: along one of them each error changes well."""
_ZERO = 1e-3
"""Part of the largest change of an error below which it is none."""


def objective_residual(
    problem: Problem, functions: Sequence[Function], x: FloatArray, start: FloatArray, tolerance: float
) -> float:
    """Largest component of the gradient of the Lagrangian of a sum of functions at positions `x` (n,), for
    the best multipliers, relative to the largest of its gradient there and at `start` (n,) [-].

    Errors of the module count as what they are: those that shall be zero, and bounds of regions, whose
    multipliers push inward only and which count where x is nearer than `tolerance` [-]. Infinite where the
    functions have no finite value or gradient.
    """
    gradient = _gradient(problem, functions, x)
    values = [float(checked_array(f"{f.name}.value", f.value(x), ())) for f in functions]
    if not (np.isfinite(gradient).all() and np.isfinite(values).all()):
        return np.inf
    before = _gradient(problem, functions, start)
    scale = max(_largest(gradient), _largest(before) if np.isfinite(before).all() else 0.0)
    if scale == 0.0:
        return 0.0
    free, sides = [np.zeros((0, len(x)))], [one_sided_constraints(problem, x)]
    for constraint in problem.equality_constraints:
        if isinstance(constraint, OwnErrors):
            equal, beyond = _sides_of_errors(constraint, x)
            free.append(equal)
            sides.append(beyond)
    free.append(_others_jacobian(problem, x))
    distances, normals = (np.concatenate(parts) for parts in zip(*sides, strict=True))
    return kkt_residual(gradient, np.concatenate(free), OneSided(distances, normals), tolerance, scale)


def _others_jacobian(problem: Problem, x: FloatArray) -> FloatArray:
    """Derivative (k, n) of the equality constraints that are no errors of the module."""
    copy = problem.clone()
    for constraint in tuple(copy.equality_constraints):
        if isinstance(constraint, OwnErrors):
            copy.equality_constraints.remove(constraint)
    return copy.equality_jacobian(x)


def _sides_of_errors(errors: OwnErrors, x: FloatArray) -> tuple[FloatArray, OneSided]:
    """Derivatives (m, n) of the errors that are zero on a surface, and the bounds of those that are zero up
    to one, for positions (n,) where all are about zero.

    Positions are moved to both sides along some directions: an error that has a bound is zero on one of them.
    """
    steps = _directions(len(x))
    after, before = (np.array([errors.component_values(x + sign * h) for h in steps]) for sign in (1.0, -1.0))
    changes = np.maximum(np.abs(after), np.abs(before))
    J = errors.component_jacobian(x)
    equal, distances, normals = [], [], []
    for row, place in enumerate(changes.argmax(axis=0).tolist()):
        above, below = float(after[place, row]), float(before[place, row])
        least = _ZERO * changes[place, row]
        if min(abs(above), abs(below)) > least:
            equal.append(J[row])
        elif least > 0.0:
            value, sign = (above, 1.0) if abs(above) > least else (below, -1.0)
            near, far = (errors.component_jacobian(x + k * sign * steps[place])[row] for k in (1.0, 2.0))
            outward = np.sign(value) * (2.0 * near - far)
            distances.append(sign * float(outward @ steps[place]) - abs(value))
            normals.append(outward)
    shape = -1, len(x)
    return np.reshape(equal, shape), OneSided(np.array(distances), np.reshape(normals, shape))


def _directions(count: int) -> FloatArray:
    """Changes (k, count) of positions: of each alone where these are few [rad, m]."""
    if count <= _DIRECTIONS:
        return _PROBE * np.eye(count)
    random = np.random.default_rng(0).choice([-1.0, 1.0], (_DIRECTIONS, count))
    return np.asarray(_PROBE / np.sqrt(count) * random)


def _gradient(problem: Problem, functions: Sequence[Function], x: FloatArray) -> FloatArray:
    parts = (f.gradient_within(x, problem.lower_bounds, problem.upper_bounds) for f in functions)
    named = zip(functions, parts, strict=True)
    return sum((checked_array(f"{f.name}.gradient", part, x.shape) for f, part in named), np.zeros(len(x)))


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))
