"""Loops that constraints close over the trees of one skeleton."""

from __future__ import annotations

from collections.abc import Iterable

from kido.constraint import BodyConstraint, Constraint
from kido.skeleton import BodyNode, FreeJoint

__all__ = ["joined_trees"]


def joined_trees(constraints: Iterable[Constraint]) -> frozenset[int]:
    """Ids of the skeletons whose trees, held by the world, constraints join, as crank and rocker of a
    four-bar linkage: to the solver they are one tree, so that it takes the loop out of its sweeps."""
    joined = set[int]()
    for constraint in constraints:
        if not isinstance(constraint, BodyConstraint) or constraint.second is None:
            continue
        skeleton = constraint.first.skeleton
        if skeleton is constraint.second.skeleton and _joins_trees(constraint.first, constraint.second):
            joined.add(id(skeleton))
    return frozenset(joined)


def _joins_trees(first: BodyNode, second: BodyNode) -> bool:
    """Whether two bodies belong to different trees, none of which moves freely."""
    roots = _root_of(first), _root_of(second)
    return roots[0] is not roots[1] and not any(isinstance(root.parent_joint, FreeJoint) for root in roots)


def _root_of(body: BodyNode) -> BodyNode:
    while (parent := body.parent_body) is not None:
        body = parent
    return body
