"""Skeletons compiled to one native world."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kido import _core
from kido.constraint import BodyConstraint
from kido.errors import EditError, SingularMassError
from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.skeleton._answers._answers import EDITS
from kido.skeleton._data import (
    DAMPING,
    DOF_COUNT,
    FRICTION,
    LIMITS_ENFORCED,
    POSITION,
    POSITION_LOWER,
    POSITION_UPPER,
    STIFFNESS,
    SkeletonData,
)
from kido.typing import FloatArray
from kido.world._colliders import NativeCollider, colliders_of
from kido.world._contact import Contact

__all__ = ["CompiledWorld"]

_PLACE = 1 << POSITION


class CompiledWorld:
    """The native world of some skeletons as they were when it was made.

    Attributes:
        native: the world as numbers.
        edits: count of all edits when it was last refreshed.
        watches: whether it depends on positions of skeletons that do not move.
        asks_users: whether user joints have to say in every step how they move.

    Raises what makes a skeleton impossible to simulate: SingularMassError, UnsupportedShapeError.
    """

    __slots__ = ("_moving", "_nodes", "_seen", "asks_users", "edits", "native", "skeletons", "watches")

    def __init__(self, skeletons: Sequence[Skeleton], constraints: Iterable[BodyConstraint] = ()) -> None:
        self.skeletons = tuple(skeletons)
        self.edits = EDITS.count
        self.asks_users = False
        self.watches = any(not skeleton.mobile and skeleton.num_dofs > 0 for skeleton in self.skeletons)
        self.native = _core.World()
        self._nodes: list[ShapeNode] = []
        self._moving: list[_Moving] = []
        self._seen = [_structure(skeleton) for skeleton in self.skeletons]
        for group, skeleton in enumerate(self.skeletons, start=1):
            if skeleton.mobile and skeleton.num_dofs > 0:
                self._add_moving(skeleton, group)
            else:
                self._add_fixed(skeleton, group)
        for constraint in constraints:
            self._add_constraint(constraint)

    def refresh(self) -> bool:
        """Take over what acts in joints and on bodies; False where the structure is another one now.

        There is nothing to do while `edits` is the count of all edits, unless it `watches` the positions of
        skeletons that do not move.
        """
        self.edits = EDITS.count
        for skeleton, seen in zip(self.skeletons, self._seen, strict=True):
            if not _holds(skeleton, seen):
                return False
        return all(
            moving.skeleton._answers.dynamics_version == moving.version or self._renew(moving)
            for moving in self._moving
        )

    @property
    def num_dofs(self) -> int:
        """Dofs of all skeletons that move."""
        return sum(moving.skeleton.num_dofs for moving in self._moving)

    def contacts(self) -> list[Contact]:
        """The points where shapes touch."""
        pairs, numbers = self.native.contacts()
        nodes = self._nodes
        return [
            Contact(nodes[first], nodes[second], row[0:3], row[3:6], float(row[9]), row[6:9])
            for (first, second), row in zip(pairs.tolist(), numbers, strict=True)
        ]

    def ask_users(self) -> None:
        """Have user joints say how they move now."""
        for moving in self._moving:
            moving.skeleton._answers.ready()

    def _add_moving(self, skeleton: Skeleton, group: int) -> None:
        answers = skeleton._answers
        state, tree = answers.ready(), skeleton.tree
        if massless := tree._massless_joints():
            raise SingularMassError(massless, skeleton.name)
        plain = _is_plain(answers.data)
        moving = _Moving(
            skeleton, self.native.add_skeleton(tree, state, plain), plain, answers.dynamics_version
        )
        self._moving.append(moving)
        self._set_loads(moving)
        self.asks_users |= tree._user_motion is not None
        if followers := skeleton._mimics.coupled().as_rows():
            self.native.set_couplings(moving.index, followers)
        for collider in colliders_of(skeleton):
            self._add_collider(moving.index, collider, collider.pose, skeleton, group)

    def _add_fixed(self, skeleton: Skeleton, group: int) -> None:
        for collider in colliders_of(skeleton):
            T = skeleton.bodies[collider.body].transform() @ _matrix(collider.pose)
            self._add_collider(-1, collider, _numbers(T), skeleton, group)

    def _add_collider(
        self, index: int, collider: NativeCollider, pose: FloatArray, skeleton: Skeleton, group: int
    ) -> None:
        surface, parent = collider.node.surface, collider.parent
        self.native.add_collider(
            index,
            collider.body,
            collider.kind,
            collider.size,
            pose,
            surface.friction,
            surface.restitution,
            group,
            skeleton.self_collision_check,
            -1 if skeleton.adjacent_body_check else parent,
        )
        self._nodes.append(collider.node)

    def _add_constraint(self, constraint: BodyConstraint) -> None:
        own = constraint.components
        first = self._place(constraint.first, own.first_frame)
        second = self._place(constraint.second, own.second_frame)
        self.native.add_constraint(
            *first, *second, own.held, own.length, own.stiffness, own.damping, own.pulls, own.pushes
        )

    def _place(self, body: BodyNode | None, T: FloatArray) -> tuple[int, int, FloatArray]:
        """Index of the native skeleton (-1: the world), of the body, and a frame on it (12,)."""
        if body is None:
            return -1, 0, _numbers(T)
        for moving in self._moving:
            if body.skeleton is moving.skeleton:
                return moving.index, body.index, _numbers(T)
        if not any(body.skeleton is skeleton for skeleton in self.skeletons):
            raise EditError(f"constraint: body {body.name!r} belongs to no skeleton of this world")
        return -1, 0, _numbers(body.transform() @ T)

    def _set_loads(self, moving: _Moving) -> None:
        data = moving.skeleton._answers.data
        self.native.set_loads(moving.index, data.dofs, data.actuators, data.wrenches, _limited(data))

    def _renew(self, moving: _Moving) -> bool:
        if _is_plain(moving.skeleton._answers.data) != moving.plain:
            return False
        moving.version = moving.skeleton._answers.dynamics_version
        self._set_loads(moving)
        return True


@dataclass
class _Moving:
    """A skeleton that moves, its index in the native world, whether nothing acts in its joints but forces,
    and the version of what acts that the native world has."""

    skeleton: Skeleton
    index: int
    plain: bool
    version: int


def _structure(skeleton: Skeleton) -> tuple[object, int, int]:
    answers = skeleton._answers
    state = answers.ready()
    return state, answers.shape_version, -1 if skeleton.mobile else state.stamp(_PLACE)


def _holds(skeleton: Skeleton, seen: tuple[object, int, int]) -> bool:
    answers = skeleton._answers
    state = answers.state
    if state is None or state is not seen[0] or answers.shape_version != seen[1]:
        return False
    return seen[2] < 0 or state.stamp(_PLACE) == seen[2]


def _numbers(T: FloatArray) -> FloatArray:
    return np.concatenate([T[:3, 3], T[:3, :3].T.ravel()])


def _matrix(pose: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, 3], T[:3, :3] = pose[:3], pose[3:].reshape(3, 3).T
    return T


def _is_plain(data: SkeletonData) -> bool:
    """Whether nothing acts in the joints but forces."""
    constants = data.dofs
    idle = not constants[[DAMPING, FRICTION, STIFFNESS]].any()
    return bool(
        idle
        and not data.actuators.any()
        and not np.isfinite(constants[[POSITION_LOWER, POSITION_UPPER]]).any()
    )


def _limited(data: SkeletonData) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.repeat(data.codes[:, LIMITS_ENFORCED], data.codes[:, DOF_COUNT]).astype(np.uint8)
