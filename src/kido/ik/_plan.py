"""What a search for a pose needs to know of a skeleton, and does not change from one target to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.errors import EditError
from kido.ik._settings import SearchSettings
from kido.skeleton import BallJoint, BodyNode, DegreeOfFreedom, FreeJoint, UserJoint
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["PosePlan", "grouped"]

_OPEN_TURN, _OPEN_SLIDE = np.pi, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class PosePlan:
    """Which dofs move a point of a body, and how far they may.

    Attributes:
        tree, body, point: the robot, the body, and the frame (4, 4) on it that is to be at the targets [m].
        path: indices of the dofs that move the body, root first.
        dofs: indices of those that may be moved; own: their places in `path`; names: their names.
        grouped: which of `dofs` are coordinates of a rotation, or of what moves with one.
        ranges: (5, len(path)) limits, range of random starts, whether the dof may be moved.
        settings, numbers: of the search; what of them is numbers.
        native: whether the native search keeps all of this.
    """

    tree: Tree
    body: int
    point: FloatArray
    path: NDArray[np.int64]
    dofs: NDArray[np.int64]
    own: NDArray[np.int64]
    names: tuple[str, ...]
    grouped: NDArray[np.bool_]
    ranges: FloatArray
    settings: SearchSettings
    numbers: FloatArray
    native: bool

    @classmethod
    def make(
        cls, body: BodyNode, point: FloatArray, dofs: tuple[DegreeOfFreedom, ...], settings: SearchSettings
    ) -> PosePlan:
        """Plan a search for `dofs` that put a frame (4, 4) on a body at targets [m].

        Raises RemovedError or EditError where a dof is gone, or does not move the body any more.
        """
        tree, path = body.skeleton.tree, body.dependent_dof_indices
        indices = _indices(body, dofs)
        ranges = _ranges(tree, path, indices)
        own = np.array([path.index(dof) for dof in indices], dtype=np.int64)
        groups = np.array([grouped(dof) for dof in dofs], dtype=bool)
        has_user_joints = any(isinstance(joint, UserJoint) for joint in body.skeleton.joints)
        bounded = np.isfinite(ranges[:2, own[groups]]).any()
        return cls(
            tree,
            body.index,
            point,
            np.array(path, dtype=np.int64),
            np.array(indices, dtype=np.int64),
            own,
            tuple(tree.dof_names[dof] for dof in indices),
            groups,
            ranges,
            settings,
            np.array(settings.numbers),
            bool(indices) and not has_user_joints and not bounded,
        )


def grouped(dof: DegreeOfFreedom) -> bool:
    """Whether a dof is one of three that move as one: of a rotation, or of what turns with a rotation."""
    return isinstance(dof.joint, BallJoint | FreeJoint)


def _indices(body: BodyNode, dofs: tuple[DegreeOfFreedom, ...]) -> list[int]:
    for dof in dofs:
        if not body.depends_on(dof):
            raise EditError(f"dofs: {dof.name!r} does not move {body.name!r} any more")
    return [dof.index for dof in dofs]


def _ranges(tree: Tree, path: list[int], dofs: list[int]) -> FloatArray:
    moves = np.isin(path, dofs)
    lower = np.where(moves, tree.lower_limits[path], -np.inf)
    upper = np.where(moves, tree.upper_limits[path], np.inf)
    low, high = _seed_range(lower, upper, tree.slides[path])
    return np.stack([lower, upper, low, high, moves])


def _seed_range(
    lower: FloatArray, upper: FloatArray, slides: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Finite ranges (k,), (k,) [rad, m] that random starts are drawn from: the limits, else a turn or 2 m."""
    reach = np.where(slides, _OPEN_SLIDE, _OPEN_TURN)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2.0 * reach, reach))
    return low, high
