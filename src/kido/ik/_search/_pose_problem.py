"""Search problem of a module: everything but the target and the positions to start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.description import Coordinate
from kido.frame import Frame
from kido.ik._error_methods._region import PoseRegion, Region, axes_for_search
from kido.ik._search._settings import SearchSettings
from kido.skeleton import BodyNode, DegreeOfFreedom, UserJoint
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["PoseProblem", "grouped", "moved_with", "native_region"]

_OPEN_ANGLE, _OPEN_LENGTH = np.pi, 1.0
"""Half of the range of random starts where a dof has no limits [rad], [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseProblem:
    """A frame of a body, a region that it shall reach, and k dofs that may move it.

    Attributes:
        tree, body, point: the robot, the index of the body, and the frame (4, 4) on it [m].
        dofs: indices (k,) of the dofs in the skeleton; names: their names.
        are_all: whether these are all dofs of the skeleton, in their order.
        own: (k,) whether a dof moves the body; places: places of those that do in the path of the search.
        grouped: (k,) whether a dof is a coordinate of a rotation, or of a translation that turns with one.
        is_prismatic: (k,) whether a dof is a length [m], else it is an angle [rad].
        limits: (4, k) lowest and highest positions, and the range of random starts [rad, m].
        cyclic: (k,) whether a whole turn of a dof leads back.
        is_pose: whether the region is the target's pose, with one weight for angles and one for lengths.
        weights: (6,) of the components of a pose's error; zeros where the region is none of poses.
        target_region: the region as the error method knows it; None where it knows none.
        region: a region of poses, for native searches; None for others.
        has_user_joints: whether the skeleton has joints whose motion only Python knows.
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
    are_all: bool
    grouped: NDArray[np.bool_]
    is_prismatic: NDArray[np.bool_]
    limits: FloatArray
    cyclic: NDArray[np.bool_]
    is_pose: bool
    weights: FloatArray
    target_region: Region | None
    region: _core.PoseRegion | None
    has_user_joints: bool
    settings: SearchSettings
    native: _core.PoseSearch | None

    @classmethod
    def make(
        cls,
        body: BodyNode,
        point: FloatArray,
        dofs: tuple[DegreeOfFreedom, ...],
        indices: list[int],
        target_region: Region | None,
        target: Frame,
        settings: SearchSettings,
    ) -> PoseProblem:
        """The problem of moving a frame (4, 4) on a body [m] by `dofs` into a region about a target."""
        tree, path = body.skeleton.tree, body.dependent_dof_indices
        own = np.isin(indices, path)
        groups = np.array([grouped(dof) for dof in dofs], dtype=bool)
        limits = _limits(tree, indices)
        cyclic = np.array([dof.coordinate is Coordinate.ANGLE for dof in dofs], dtype=bool)
        places = np.array([path.index(dof) for dof in indices if dof in path], dtype=np.int64)
        poses = target_region if isinstance(target_region, PoseRegion) else None
        is_pose = poses is not None and _is_pose(poses)
        weights = np.zeros(6) if poses is None else poses.weights
        region = None if poses is None else native_region(poses, target)
        has_user_joints = any(isinstance(joint, UserJoint) for joint in body.skeleton.joints)
        known = own.any() and not np.isfinite(limits[:2, groups]).any()
        native = None
        if region is not None and known and not has_user_joints:
            native = _core.PoseSearch(
                tree=tree,
                body=body.index,
                point=point,
                region=region,
                dofs=indices,
                ranges=_core.SearchRanges(
                    lower=limits[0],
                    upper=limits[1],
                    low_seed=limits[2],
                    high_seed=limits[3],
                    cyclic=cyclic,
                ),
                settings=settings.native(),
            )
        return cls(
            tree,
            body.index,
            point,
            np.array(indices, dtype=np.int64),
            own,
            places,
            tuple(tree.dof_names[dof] for dof in indices),
            indices == list(range(tree.num_dofs)),
            groups,
            tree.is_prismatic[indices],
            limits,
            cyclic,
            is_pose,
            weights,
            target_region,
            region,
            has_user_joints,
            settings,
            native,
        )


def grouped(dof: DegreeOfFreedom) -> bool:
    """Whether a dof is one of three that move as one: the angles of a rotation, or a translation that turns
    with it."""
    return not dof.coordinate.is_additive


def moved_with(dof: DegreeOfFreedom) -> tuple[DegreeOfFreedom, ...]:
    """The dofs that move together with a dof or not at all: the three of a rotation or of a translation that
    turns with one, else the dof alone."""
    if not grouped(dof):
        return (dof,)
    first = dof.index_in_joint - dof.index_in_joint % 3
    return tuple(dof.joint.dof(first + i) for i in range(3))


def _is_pose(region: PoseRegion) -> bool:
    w = region.weights
    return region.lower is None and w[0] == w[1] == w[2] and w[3] == w[4] == w[5]


def native_region(region: PoseRegion, target: Frame) -> _core.PoseRegion:
    """The region of poses about a target, for native searches."""
    if _is_pose(region):
        return _core.PoseRegion(region.weights)
    axes, in_target = axes_for_search(region.axes, target)
    free = region.weights == 0.0
    return _core.PoseRegion.within(
        weights=region.weights,
        axes=axes,
        in_target=in_target,
        lower=np.where(free, -np.inf, 0.0 if region.lower is None else region.lower),
        upper=np.where(free, np.inf, 0.0 if region.upper is None else region.upper),
        from_center=region.from_center,
    )


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
