"""A joint path through many poses, without jumps where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._waypoints._joint_path import JointPath
from kido.ik._waypoints._path_candidates import PathCandidates
from kido.ik._waypoints._path_search import PathSearch
from kido.math import as_transform_matrix
from kido.skeleton import BodyNode, DegreeOfFreedom, FrameNode
from kido.typing import ArrayLike, TransformLike, frozen_array
from kido.values import checked_function

__all__ = ["follow_path"]


def follow_path(
    node: BodyNode | FrameNode | InverseKinematics,
    poses: TransformLike,
    *,
    dofs: Iterable[DegreeOfFreedom | str] | None = None,
    start: ArrayLike | None = None,
    largest_change: ArrayLike = 0.5,
    starts: int = 16,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> JointPath:
    """Positions that bring a node through poses, one after the other, by a path with as few jumps as can be
    found, and of these with the least motion.

    For each pose: the solutions of a closed form, where the dofs have one, those of searches from random
    postures, and those that follow from the solutions of the pose before. Dynamic programming chooses one of
    each: fewest poses missed, then fewest jumps, then the smallest sum of squared changes relative to the
    largest one. Where a jump is left, the branches after it are followed back, and all is chosen again.

    The skeleton stays as it is. A dof jumps where it changes by more than its largest change, so poses have
    to be near to each other.

    Args:
        node: a body, or a node with a place; or a module, for its node, dofs, offset, error method and
            tolerances.
        poses: (n, 4, 4) of the node in the world, or of the module's target [m].
        dofs: those that move, as they are or by name; None: all up to where the structure branches, or all of
            the module's.
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
    module = _module(node, dofs)
    k = len(module.dofs)
    shape = () if np.ndim(largest_change) == 0 else (k,)
    change = np.broadcast_to(frozen_array("largest_change", largest_change, shape, "rad, m"), (k,))
    if not (change > 0.0).all():
        raise ValueError(f"largest_change: expected positive numbers [rad, m], got {change.min():g}")
    first = module.positions if start is None else frozen_array("start", start, (k,), "rad, m")
    candidates = PathCandidates(module, given, starts, np.random.default_rng(seed))
    positions, reached = PathSearch(candidates, np.array(change), progress).path(np.array(first))
    return JointPath(positions, tuple(dof.name for dof in module.dofs), reached, np.array(change))


def _module(
    node: BodyNode | FrameNode | InverseKinematics, dofs: Iterable[DegreeOfFreedom | str] | None
) -> InverseKinematics:
    """A module that is attached to nothing, each of whose searches has one start."""
    own = InverseKinematics(node.node if isinstance(node, InverseKinematics) else node)
    skeleton = own.node.skeleton
    if isinstance(node, InverseKinematics):
        if node.solver is not None or node.has_objectives:
            raise ValueError("node: expected a module without solver and objective")
        own.properties = node.properties
        own.dofs = node.dofs
    if dofs is not None:
        own.dofs = [skeleton.dof(dof) if isinstance(dof, str) else dof for dof in dofs]
    own.settings = replace(own.settings, max_starts=1, mirrors=0, nearest=False)
    return own
