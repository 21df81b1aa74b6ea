"""What a search needs to know of a module, and does not change from one target to the next."""

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

__all__ = ["PosePlan", "grouped", "region_numbers"]

_OPEN_TURN, _OPEN_SLIDE = np.pi, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class PosePlan:
    """Which dofs move a point of a body, how far they may, and where it is wanted.

    Attributes:
        tree, body, point: the robot, the body, and the frame (4, 4) on it that is to be at the targets [m].
        dofs: indices of those that may be moved, of all the skeleton's; names: their names.
        own: which of `dofs` move the body; places: where these are in the search's path.
        grouped: which of `dofs` are coordinates of a rotation, or of what moves with one.
        limits: (4, k) lowest and highest positions of `dofs`, and the range of random starts.
        turns: which of `dofs` a whole turn leads back.
        is_point: whether the target's pose is wanted, with one weight for angles and one for lengths.
        region: where it is wanted, as numbers (29,).
        settings: of the search.
        native: the native search; None where it does not know all of this.
    """

    tree: Tree
    body: int
    point: FloatArray
    dofs: NDArray[np.int64]
    own: NDArray[np.bool_]
    places: NDArray[np.int64]
    names: tuple[str, ...]
    grouped: NDArray[np.bool_]
    limits: FloatArray
    turns: NDArray[np.bool_]
    is_point: bool
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
    ) -> PosePlan:
        """Plan a search for `dofs` that put a frame (4, 4) on a body at targets [m], or within a region."""
        tree, path = body.skeleton.tree, body.dependent_dof_indices
        own = np.isin(indices, path)
        groups = np.array([grouped(dof) for dof in dofs], dtype=bool)
        limits = _limits(tree, indices)
        turns = np.array([dof.coordinate is Coordinate.ANGLE for dof in dofs], dtype=bool)
        places = np.array([path.index(dof) for dof in indices if dof in path], dtype=np.int64)
        is_point = region is not None and _is_point(region)
        numbers = np.zeros(29) if region is None else region_numbers(region)
        known = region is not None and own.any() and not np.isfinite(limits[:2, groups]).any()
        native = None
        if known and not any(isinstance(joint, UserJoint) for joint in body.skeleton.joints):
            native = _core.PoseSearch(
                tree,
                body.index,
                point,
                np.vstack([limits, turns]),
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
            limits,
            turns,
            is_point,
            numbers,
            settings,
            native,
        )


def grouped(dof: DegreeOfFreedom) -> bool:
    """Whether a dof is one of three that move as one: of a rotation, or of what turns with a rotation."""
    return not dof.coordinate.is_additive


def _is_point(region: PoseRegion) -> bool:
    w = region.weights
    return region.lower is None and w[0] == w[1] == w[2] and w[3] == w[4] == w[5]


def region_numbers(region: PoseRegion) -> FloatArray:
    """A region as the native search reads it (29,): weights, whether it has bounds, whether errors are taken
    from their middle, axes by columns, bounds."""
    if _is_point(region):
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
    """Finite ranges (k,), (k,) [rad, m] that random starts are drawn from: the limits, else a turn or 2 m."""
    reach = np.where(is_prismatic, _OPEN_SLIDE, _OPEN_TURN)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2.0 * reach, reach))
    return low, high
