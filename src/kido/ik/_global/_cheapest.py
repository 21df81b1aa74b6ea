"""The cheapest posture near another one, by sequential quadratic programming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kido.ik._global._constraints import (
    Constraint,
    Orientation,
    Position,
    Region,
    WorldRelativePosition,
)
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._global._posture_cost import PostureCost
from kido.math import so3_log
from kido.skeleton import Skeleton
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["cheapest_near"]

_TIGHT = 1e-5
"""Tolerances up to which a constraint is an equation [m, rad]."""


def cheapest_near(
    skeleton: Skeleton,
    ranges: DofRanges,
    constraints: Sequence[Constraint],
    choice: Mapping[Region, int],
    costs: Sequence[PostureCost],
    start: FloatArray,
) -> FloatArray:
    """Positions (num_dofs,) [rad, m] of a local minimum of the costs, from a posture (num_dofs,). Whoever
    asks checks that they satisfy the constraints."""
    from scipy.optimize import minimize

    leaders = np.unique(ranges.couplings[:, 0].astype(int))
    free = leaders[(ranges.upper[leaders] > ranges.lower[leaders])]
    tree = skeleton.tree

    def full(x: FloatArray) -> FloatArray:
        q = start.copy()
        q[free] = x
        return ranges.place_followers(q)

    def value(x: FloatArray) -> float:
        return sum(cost.value(skeleton, full(x)) for cost in costs)

    def rows(x: FloatArray, equations: bool) -> FloatArray:
        bodies = tree.forward_kinematics(full(x))
        parts = [np.zeros(0)]
        for constraint in constraints:
            equal, above = _margins(constraint, choice, tree, bodies)
            parts.append(equal if equations else above)
        return np.concatenate(parts)

    found = minimize(
        value,
        start[free],
        method="SLSQP",
        bounds=list(zip(ranges.lower[free], ranges.upper[free], strict=True)),
        constraints=[
            {"type": "eq", "fun": rows, "args": (True,)},
            {"type": "ineq", "fun": rows, "args": (False,)},
        ],
        options={"maxiter": 200, "ftol": 1e-12},
    )
    return full(np.clip(found.x, ranges.lower[free], ranges.upper[free]))


def _margins(
    constraint: Constraint, choice: Mapping[Region, int], tree: Tree, bodies: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Values that are 0, and values not negative, where a constraint is satisfied [m, rad]."""
    if isinstance(constraint, Position):
        T = constraint.reference.transform(tree, bodies)
        p = T[:3, :3].T @ (constraint.frame.transform(tree, bodies)[:3, 3] - T[:3, 3])
        return _box(p, constraint.lower, constraint.upper)
    if isinstance(constraint, WorldRelativePosition):
        there, here = (one.transform(tree, bodies)[:3, 3] for one in (constraint.frame, constraint.other))
        return _box(constraint.axes.T @ (there - here), constraint.lower, constraint.upper)
    if isinstance(constraint, Orientation):
        R = constraint.reference.transform(tree, bodies)[:3, :3]
        turn = so3_log(R.T @ constraint.frame.transform(tree, bodies)[:3, :3])
        if constraint.tolerance <= _TIGHT:
            return turn, np.zeros(0)
        return np.zeros(0), np.array([constraint.tolerance - np.linalg.norm(turn)])
    assert isinstance(constraint, Region)
    polytope = constraint.polytopes[choice[constraint]]
    p = constraint.frame.transform(tree, bodies)[:3, 3]
    return np.zeros(0), polytope.offsets - polytope.normals @ p


def _box(p: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    tight = upper - lower <= 2.0 * _TIGHT
    margins = np.concatenate([(p - lower)[~tight], (upper - p)[~tight]])
    return (p - 0.5 * (lower + upper))[tight], margins[np.isfinite(margins)]
