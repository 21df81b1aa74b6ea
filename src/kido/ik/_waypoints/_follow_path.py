"""A joint path through many poses, without jumps where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from kido.frame import Frame
from kido.ik._carrier import carrier_of
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._waypoints._joint_path import JointPath
from kido.ik._waypoints._path_candidates import PathCandidates
from kido.ik._waypoints._path_dofs import checked_path_dofs, checked_path_frame
from kido.ik._waypoints._path_search import PathSearch
from kido.ik._waypoints._pose_searches import ConstrainedPoses, ModulePoses, PoseSearches
from kido.ik._waypoints._seen_frame import SeenFrame
from kido.math import as_transform_matrix
from kido.skeleton import DegreeOfFreedom
from kido.typing import ArrayLike, TransformLike, frozen_array
from kido.values import checked_function

__all__ = ["follow_path"]


def follow_path(
    frame: Frame | InverseKinematics,
    poses: TransformLike,
    *,
    relative_to: Frame | None = None,
    dofs: Iterable[DegreeOfFreedom | str] | None = None,
    start: ArrayLike | None = None,
    largest_change: ArrayLike = 0.5,
    starts: int = 16,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> JointPath:
    """Positions that bring a frame through poses, one after the other, by a path with as few jumps as can be
    found, and of these with the least motion.

    For each pose: the solutions of a closed form, where the dofs have one, those of searches from random
    postures, and those that follow from the solutions of the pose before. Dynamic programming chooses one of
    each: fewest poses missed, then fewest jumps, then the smallest sum of squared changes relative to the
    largest one. Where a jump is left, the branches after it are followed back, and all is chosen again.

    The skeleton stays as it is. A dof jumps where it changes by more than its largest change, so poses have
    to be near to each other.

    Args:
        frame: a body, or any frame that is fixed on one; or a module, for its node, dofs, offset, error
            method and tolerances.
        poses: (n, 4, 4) of the frame in `relative_to`, or of the module's target there [m].
        relative_to: frame of the poses, of this skeleton or not; one on another skeleton stands still, and
            so must that of a module. None: the world.
        dofs: those that move, as they are or by name; None: those by which frame and `relative_to` move
            against each other, up to where the structure branches, or all of the module's.
        start: positions (k,) that the first ones are to be near [rad, m]; None: the present ones.
        largest_change: of each dof (k,), or of all, from a pose to the next [rad, m].
        starts: random postures that each pose is searched from.
        seed: of these.
        progress: is called with the number of poses, 1, each time that another one has been looked at.

    Returns:
        The path, which says which poses it misses and where it jumps.

    Raises:
        TypeError, ValueError: naming the argument.
        UnknownNameError: no such dof.
        RemovedError, EditError: of a module, as `InverseKinematics.solve` does.
    """
    given = as_transform_matrix(poses, "poses")
    if given.ndim != 3:
        raise ValueError(f"poses: expected shape (n, 4, 4) [m], got {given.shape}")
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 0:
        raise ValueError(f"starts: expected an integer of 0 or above, got {starts!r}")
    checked_function("progress", progress, or_none=True)
    searches = _searches(frame, relative_to, dofs)
    k = len(searches.dofs)
    shape = () if np.ndim(largest_change) == 0 else (k,)
    change = np.broadcast_to(frozen_array("largest_change", largest_change, shape, "rad, m"), (k,))
    if not (change > 0.0).all():
        raise ValueError(f"largest_change: expected positive numbers [rad, m], got {change.min():g}")
    first = searches.positions if start is None else frozen_array("start", start, (k,), "rad, m")
    candidates = PathCandidates(searches, given, starts, np.random.default_rng(seed))
    positions, reached = PathSearch(candidates, np.array(change), progress).path(np.array(first))
    return JointPath(positions, tuple(dof.name for dof in searches.dofs), reached, np.array(change))


def _searches(
    frame: Frame | InverseKinematics,
    relative_to: Frame | None,
    dofs: Iterable[DegreeOfFreedom | str] | None,
) -> PoseSearches:
    """Searches for poses, by modules where these can."""
    if relative_to is not None and not isinstance(relative_to, Frame):
        raise TypeError(f"relative_to: expected a frame or None, got {type(relative_to).__name__}")
    if isinstance(frame, InverseKinematics):
        return _of_module(frame, relative_to, dofs)
    body = carrier_of(checked_path_frame("frame", frame))
    assert body is not None
    seen = SeenFrame.of(body.skeleton, frame, relative_to)
    names = seen.chain_names() if dofs is None else checked_path_dofs(seen, dofs)
    indices = [body.skeleton.dof(name).index for name in names]
    if not names or not seen.is_alone(indices):
        return ConstrainedPoses(seen, names)
    return ModulePoses.of(seen, names)


def _of_module(
    module: InverseKinematics, relative_to: Frame | None, dofs: Iterable[DegreeOfFreedom | str] | None
) -> ModulePoses:
    """Searches of a module that is attached to nothing."""
    if module.solver is not None or module.has_objectives:
        raise ValueError("frame: expected a module without solver and objective")
    own = InverseKinematics(module.node)
    own.properties, own.dofs = module.properties, module.dofs if dofs is None else dofs
    seen = SeenFrame.of(own.node.skeleton, own.node, relative_to)
    if seen.base_is_moved_by(own.dof_indices):
        raise ValueError("relative_to: expected a frame that the module's dofs leave where it is")
    return ModulePoses(own, seen.base_pose(), np.eye(3))
