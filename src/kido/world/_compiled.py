"""Skeletons compiled to one native world."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kido import _core
from kido.constraint import BodyConstraint
from kido.errors import EditError, SingularMassError
from kido.skeleton import EDITS, BodyNode, ShapeNode, SimulationView, Skeleton
from kido.typing import FloatArray
from kido.world._colliders import NativeCollider, colliders_of
from kido.world._contact import Contact

__all__ = ["CompiledWorld"]


class CompiledWorld:
    """The native world of some skeletons as they were when it was made.

    Attributes:
        native: the world as numbers.
        edits: count of all edits when it was last refreshed.
        watches: whether it depends on positions of skeletons that do not move.
        asks_users: whether user joints have to say in every step how they move.

    Raises what makes a skeleton impossible to simulate: SingularMassError, UnsupportedShapeError.
    """

    __slots__ = ("_moving", "_nodes", "_views", "asks_users", "edits", "native", "watches")

    def __init__(self, skeletons: Iterable[Skeleton], constraints: Iterable[BodyConstraint] = ()) -> None:
        self.edits = EDITS.count
        self.native = _core.World()
        self._views = [SimulationView(skeleton) for skeleton in skeletons]
        self._nodes: list[ShapeNode] = []
        self._moving: list[_Moving] = []
        self.asks_users = any(view.moves and view.asks_users for view in self._views)
        self.watches = any(not view.moves and view.skeleton.num_dofs > 0 for view in self._views)
        for group, view in enumerate(self._views, start=1):
            if view.moves:
                self._add_moving(view, group)
            else:
                self._add_fixed(view.skeleton, group)
        for constraint in constraints:
            self._add_constraint(constraint)

    def refresh(self) -> bool:
        """Take over what acts in joints and on bodies; False where the structure is another one now.

        There is nothing to do while `edits` is the count of all edits, unless it `watches` the positions of
        skeletons that do not move.
        """
        edits = EDITS.count
        if not all(view.same_structure for view in self._views):
            return False
        if not all(moving.view.same_loads or self._renew(moving) for moving in self._moving):
            return False
        self.edits = edits  # only now: what could not be taken over has to be looked at again
        return True

    @property
    def has_wrenches(self) -> bool:
        """Whether anything acts on bodies from outside."""
        return any(moving.view.has_wrenches for moving in self._moving)

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons of the world."""
        return tuple(view.skeleton for view in self._views)

    def rows(self) -> list[FloatArray]:
        """Rows (5, num_dofs) of the states of all skeletons, copied."""
        return [view.rows.copy() for view in self._views]

    def write_rows(self, rows: Iterable[FloatArray]) -> None:
        """Set the states of all skeletons."""
        for view, numbers in zip(self._views, rows, strict=True):
            state = view.state
            state.positions, state.velocities, state.accelerations, state.forces, state.commands = numbers

    @property
    def num_dofs(self) -> int:
        """Dofs of all skeletons that move."""
        return sum(moving.view.skeleton.num_dofs for moving in self._moving)

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
            assert moving.view.state is not None

    def _add_moving(self, view: SimulationView, group: int) -> None:
        skeleton = view.skeleton
        if massless := view.massless_joints:
            raise SingularMassError(massless, skeleton.name)
        moving = _Moving(view, self.native.add_skeleton(view.tree, view.state, view.is_plain), view.is_plain)
        self._moving.append(moving)
        self.native.set_loads(moving.index, *view.loads)
        if couplings := view.couplings:
            self.native.set_couplings(moving.index, couplings)
        for collider in colliders_of(skeleton):
            self._add_collider(moving.index, collider, _numbers(collider.pose), skeleton, group)

    def _add_fixed(self, skeleton: Skeleton, group: int) -> None:
        for collider in colliders_of(skeleton):
            T = skeleton.bodies[collider.body].transform() @ collider.pose
            self._add_collider(-1, collider, _numbers(T), skeleton, group)

    def _add_collider(
        self, index: int, collider: NativeCollider, pose: FloatArray, skeleton: Skeleton, group: int
    ) -> None:
        surface, parent = collider.node.surface, collider.parent
        self.native.add_collider(
            index,
            collider.body,
            collider.shape,
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
            if body.skeleton is moving.view.skeleton:
                return moving.index, body.index, _numbers(T)
        if not any(body.skeleton is skeleton for skeleton in self.skeletons):
            raise EditError(f"constraint: body {body.name!r} belongs to no skeleton of this world")
        return -1, 0, _numbers(body.transform() @ T)

    def _renew(self, moving: _Moving) -> bool:
        view = moving.view
        if view.is_plain != moving.is_plain:
            return False
        self.native.set_loads(moving.index, *view.loads)
        view.see_loads()
        return True


@dataclass(frozen=True)
class _Moving:
    """A skeleton that moves, its index in the native world, whether nothing acts in its joints but forces."""

    view: SimulationView
    index: int
    is_plain: bool


def _numbers(T: FloatArray) -> FloatArray:
    return np.concatenate([T[:3, 3], T[:3, :3].T.ravel()])
