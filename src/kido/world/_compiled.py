"""Skeletons compiled to one native world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kido import _core
from kido.errors import SingularMassError
from kido.skeleton import ShapeNode, Skeleton
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
from kido.world._colliders import colliders_of
from kido.world._contact import Contact

__all__ = ["CompiledWorld"]

_PLACE = 1 << POSITION


class CompiledWorld:
    """The native world of some skeletons as they were when it was made.

    Raises what makes a skeleton impossible to simulate: SingularMassError, UnsupportedShapeError.
    """

    __slots__ = ("_nodes", "_seen", "_skeletons", "native")

    def __init__(self, skeletons: Sequence[Skeleton]) -> None:
        self._skeletons = tuple(skeletons)
        self._nodes: list[ShapeNode] = []
        self.native = _core.World()
        self._seen = [_stamp(skeleton) for skeleton in self._skeletons]
        for group, skeleton in enumerate(self._skeletons, start=1):
            self._add(skeleton, group)

    @property
    def is_current(self) -> bool:
        """Whether nothing but numbers of states has changed since."""
        return all(_is_stamped(skeleton, seen) for skeleton, seen in zip(self._skeletons, self._seen, strict=True))

    def contacts(self) -> list[Contact]:
        """The points where shapes touch."""
        pairs, numbers = self.native.contacts()
        nodes = self._nodes
        return [
            Contact(nodes[first], nodes[second], row[0:3], row[3:6], float(row[9]), row[6:9])
            for (first, second), row in zip(pairs.tolist(), numbers, strict=True)
        ]

    def _add(self, skeleton: Skeleton, group: int) -> None:
        if not skeleton.mobile or skeleton.num_dofs == 0:
            self._add_fixed(skeleton, group)
            return
        answers = skeleton._answers
        state, tree = answers.ready(), skeleton.tree
        if massless := tree._massless_joints():
            raise SingularMassError(massless, skeleton.name)
        data = answers.data
        index = self.native.add_skeleton(tree, state, _is_plain(data))
        self.native.set_loads(index, data.dofs, data.actuators, data.wrenches, _limited(data))
        for collider in colliders_of(skeleton):
            self._add_collider(index, collider.body, collider.kind, collider.size, collider.pose, collider.node, group)

    def _add_fixed(self, skeleton: Skeleton, group: int) -> None:
        for collider in colliders_of(skeleton):
            T = skeleton.bodies[collider.body].transform() @ _matrix(collider.pose)
            pose = np.concatenate([T[:3, 3], T[:3, :3].T.ravel()])
            self._add_collider(-1, 0, collider.kind, collider.size, pose, collider.node, group)

    def _add_collider(
        self, index: int, body: int, kind: int, size: FloatArray, pose: FloatArray, node: ShapeNode, group: int
    ) -> None:
        surface = node.surface
        self.native.add_collider(index, body, kind, size, pose, surface.friction, surface.restitution, group)
        self._nodes.append(node)


def _stamp(skeleton: Skeleton) -> tuple[object, int, int]:
    answers = skeleton._answers
    state = answers.ready()
    return state, answers.dynamics_version, -1 if skeleton.mobile else state.stamp(_PLACE)


def _is_stamped(skeleton: Skeleton, seen: tuple[object, int, int]) -> bool:
    answers = skeleton._answers
    state = answers.state
    if state is not seen[0] or answers.dynamics_version != seen[1]:
        return False
    return seen[2] < 0 or state.stamp(_PLACE) == seen[2]


def _matrix(pose: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, 3], T[:3, :3] = pose[:3], pose[3:].reshape(3, 3).T
    return T


def _is_plain(data: SkeletonData) -> bool:
    """Whether nothing acts in the joints but forces."""
    constants = data.dofs
    idle = not constants[[DAMPING, FRICTION, STIFFNESS]].any()
    return bool(idle and not data.actuators.any() and not np.isfinite(constants[[POSITION_LOWER, POSITION_UPPER]]).any())


def _limited(data: SkeletonData) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.repeat(data.codes[:, LIMITS_ENFORCED], data.codes[:, DOF_COUNT]).astype(np.uint8)
