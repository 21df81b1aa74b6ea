"""The search of `InverseKinematics` for problems that it knows: one frame, one target in the world."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kido import _core
from kido.ik._global._body_frame import BodyFrame
from kido.ik._global._constraints import Constraint, Orientation, Position
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._search._settings import SearchSettings
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["search_pose_target"]


def search_pose_target(
    skeleton: Skeleton,
    ranges: DofRanges,
    constraints: list[Constraint],
    start: FloatArray,
    tolerances: tuple[float, float],
    seed: int,
) -> FloatArray | None:
    """Positions (num_dofs,) [rad, m] that put one frame at a target, from `start` (num_dofs,); None where the
    constraints are others, or none were found. Whoever asks checks them."""
    found = _target(constraints)
    if found is None or skeleton.leading_dofs:
        return None
    place, target, weights = found
    assert place.body is not None
    body, tree = skeleton.body(place.body), skeleton.tree
    path = body.dependent_dof_indices
    dofs = [i for i in path if i not in skeleton.locked_dofs]
    if not dofs or ranges.limits_groups(dofs):
        return None
    lower, upper = ranges.lower[dofs], ranges.upper[dofs]
    search = _core.PoseSearch(
        tree=tree,
        body=body.index,
        point=place.pose,
        region=_core.PoseRegion(weights),
        dofs=dofs,
        ranges=_core.SearchRanges(
            lower=lower,
            upper=upper,
            low_seed=np.where(np.isfinite(lower), lower, -np.pi),
            high_seed=np.where(np.isfinite(upper), upper, np.pi),
            cyclic=ranges.kinds.is_angle[dofs],
        ),
        settings=_settings(0.5 * tolerances[0], 0.5 * tolerances[1], seed),
    )
    (q, *_), _, connected, _ = search.solve_one(target, start)
    if connected is not None:
        return None
    positions = start.copy()
    positions[dofs] = q
    return positions


@lru_cache(maxsize=16)
def _settings(linear: float, angular: float, seed: int) -> _core.SearchSettings:
    return SearchSettings(linear_tolerance=linear, angular_tolerance=angular, seed=seed).native()


def _target(constraints: list[Constraint]) -> tuple[BodyFrame, FloatArray, FloatArray] | None:
    """Frame, target (4, 4) [m] and weights (6,) of the components, where one frame has one target."""
    position = orientation = None
    for constraint in constraints:
        if isinstance(constraint, Position) and position is None:
            position = constraint
        elif isinstance(constraint, Orientation) and orientation is None:
            orientation = constraint
        else:
            return None
    if position is None or position.reference.body is not None or position.frame.body is None:
        return None
    if not np.isfinite(position.upper - position.lower).all():
        return None
    center = 0.5 * (position.lower + position.upper)
    target, pose, reference = np.eye(4), position.frame.pose.copy(), position.reference.pose
    target[:3, 3] = reference[:3, :3] @ center + reference[:3, 3]
    weights = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    if orientation is not None:
        if orientation.bodies != position.bodies:
            return None
        target[:3, :3] = orientation.reference.pose[:3, :3]
        pose[:3, :3] = orientation.frame.pose[:3, :3]
        weights[:3] = 1.0
    return BodyFrame(position.frame.body, pose), target, weights
