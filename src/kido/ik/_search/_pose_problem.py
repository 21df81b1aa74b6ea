"""Search problem of a module: everything but the target and the positions to start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.description import Coordinate
from kido.ik._error_methods._pose_region import PoseRegion
from kido.ik._search._settings import SearchSettings
from kido.skeleton import BodyNode, DegreeOfFreedom, UserJoint
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["PoseProblem", "grouped", "region_numbers"]

_OPEN_ANGLE, _OPEN_LENGTH = np.pi, 1.0
"""Half of the range of random starts where a dof has no limits [rad], [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseProblem:
    """A frame of a body, a region that it shall reach, and k dofs that may move it.

    Attributes:
        tree, body, point: the robot, the index of the body, and the frame (4, 4) on it [m].
        dofs: indices (k,) of the dofs in the skeleton; names: their names.
        own: (k,) whether a dof moves the body; places: places of those that do in the path of the search.
        grouped: (k,) whether a dof is a coordinate of a rotation, or of a translation that turns with one.
        is_prismatic: (k,) whether a dof is a length [m], else it is an angle [rad].
        limits: (4, k) lowest and highest positions, and the range of random starts [rad, m].
        cyclic: (k,) whether a whole turn of a dof leads back.
        is_pose: whether the region is the target's pose, with one weight for angles and one for lengths.
        region: the region as numbers (29,).
        settings: of the search.
        native: the native search; None where it cannot represent all of this.
    """

    tree: Tree
    body: int
    point: FloatArray
    dofs: NDArray[np.int64]
    own: NDArray[np.bool_]
    places: NDArray[np.int64]
    names: tuple[str, ...]
    grouped: NDArray[np.bool_]
    is_prismatic: NDArray[np.bool_]
    limits: FloatArray
    cyclic: NDArray[np.bool_]
    is_pose: bool
    region: FloatArray
    settings: SearchSettings
    native: _core.PoseSearch | None

    @classmethod
    def make(
        cls,
        body: BodyNode,
        point: FloatArray,
        dofs: tuple[DegreeOfFreedom, ...],
        indices: list[int],
        region: PoseRegion | None,
        settings: SearchSettings,
    ) -> PoseProblem:
        """The problem of moving a frame (4, 4) on a body [m] by `dofs` into a region of targets."""
        tree, path = body.skeleton.tree, body.dependent_dof_indices
        own = np.isin(indices, path)
        groups = np.array([grouped(dof) for dof in dofs], dtype=bool)
        limits = _limits(tree, indices)
        cyclic = np.array([dof.coordinate is Coordinate.ANGLE for dof in dofs], dtype=bool)
        places = np.array([path.index(dof) for dof in indices if dof in path], dtype=np.int64)
        is_pose = region is not None and _is_pose(region)
        numbers = np.zeros(29) if region is None else region_numbers(region)
        known = region is not None and own.any() and not np.isfinite(limits[:2, groups]).any()
        native = None
        if known and not any(isinstance(joint, UserJoint) for joint in body.skeleton.joints):
            native = _core.PoseSearch(
                tree,
                body.index,
                point,
                np.vstack([limits, cyclic]),
                numbers,
                settings.numbers,
                settings.max_iterations,
                settings.mirrors,
                settings.max_starts,
                settings.seed,
                settings.nearest,
                indices,
            )
        return cls(
            tree,
            body.index,
            point,
            np.array(indices, dtype=np.int64),
            own,
            places,
            tuple(tree.dof_names[dof] for dof in indices),
            groups,
            tree.is_prismatic[indices],
            limits,
            cyclic,
            is_pose,
            numbers,
            settings,
            native,
        )


def grouped(dof: DegreeOfFreedom) -> bool:
    """Whether a dof is one of three that move as one: the angles of a rotation, or a translation that turns
    with it."""
    return not dof.coordinate.is_additive


def _is_pose(region: PoseRegion) -> bool:
    w = region.weights
    return region.lower is None and w[0] == w[1] == w[2] and w[3] == w[4] == w[5]


def region_numbers(region: PoseRegion) -> FloatArray:
    """Region as the native search reads it (29,): weights, whether it has bounds, whether errors are taken
    from their middle, axes by columns, bounds [rad, m]."""
    if _is_pose(region):
        return np.concatenate([region.weights, np.zeros(23)])
    free = region.weights == 0.0
    lower = np.where(free, -np.inf, 0.0 if region.lower is None else region.lower)
    upper = np.where(free, np.inf, 0.0 if region.upper is None else region.upper)
    axes = region.axes.transform()[:3, :3].T.ravel()
    return np.concatenate([region.weights, [1.0, region.from_center], axes, lower, upper])


def _limits(tree: Tree, dofs: list[int]) -> FloatArray:
    lower, upper = tree.lower_limits[dofs], tree.upper_limits[dofs]
    return np.stack([lower, upper, *_seed_range(lower, upper, tree.is_prismatic[dofs])])


def _seed_range(
    lower: FloatArray, upper: FloatArray, is_prismatic: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Finite range (k,), (k,) of random starts [rad, m]: the limits, else a turn or 2 m."""
    reach = np.where(is_prismatic, _OPEN_LENGTH, _OPEN_ANGLE)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2.0 * reach, reach))
    return low, high
