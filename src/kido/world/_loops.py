"""Loops that constraints close, which the solver takes out of its sweeps where they run over trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kido.constraint import BodyConstraint, Constraint
from kido.skeleton import BodyNode, FreeJoint, Skeleton

__all__ = ["Loops"]


class Loops(NamedTuple):
    """Skeletons, by id, that are other parts of a native world than without constraints.

    `closed`: whose trees, held by the world, constraints join, as crank and rocker of a four-bar linkage:
    they are one tree. `held`: free bodies that a rigid closure holds to another kind of skeleton: they are
    trees, too.
    """

    closed: frozenset[int]
    held: frozenset[int]

    @classmethod
    def of(cls, constraints: Sequence[Constraint], moving: Iterable[Skeleton]) -> Loops:
        """Of constraints, where these skeletons move."""
        if not constraints:
            return cls(frozenset(), frozenset())
        free = {id(skeleton) for skeleton in moving if _is_free_body(skeleton)}
        closed, held = set[int](), set[int]()
        for constraint in constraints:
            if not isinstance(constraint, BodyConstraint) or constraint.second is None:
                continue
            first, second = constraint.first.skeleton, constraint.second.skeleton
            if first is second:
                if _joins_trees(constraint.first, constraint.second):
                    closed.add(id(first))
            elif constraint.components.is_joint and (id(first) in free) != (id(second) in free):
                held.add(id(first) if id(first) in free else id(second))
        return cls(frozenset(closed), frozenset(held))


def _is_free_body(skeleton: Skeleton) -> bool:
    return skeleton.num_bodies == 1 and isinstance(skeleton.body(0).parent_joint, FreeJoint)


def _joins_trees(first: BodyNode, second: BodyNode) -> bool:
    """Whether two bodies belong to different trees, none of which moves freely."""
    roots = _root_of(first), _root_of(second)
    return roots[0] is not roots[1] and not any(isinstance(root.parent_joint, FreeJoint) for root in roots)


def _root_of(body: BodyNode) -> BodyNode:
    while (parent := body.parent_body) is not None:
        body = parent
    return body
