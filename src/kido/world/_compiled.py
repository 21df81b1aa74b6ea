"""Skeletons compiled to one native world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kido import _core
from kido.collision import CollisionDetector, CollisionFilter, NativeDetector
from kido.constraint import BodyConstraint
from kido.errors import EditError, SingularMassError
from kido.skeleton import EDITS, BodyNode, ShapeNode, SimulationView, Skeleton
from kido.typing import FloatArray
from kido.world._colliders import NativeCollider, colliders_of
from kido.world._contact import Contact
from kido.world._external_contacts import ExternalContacts
from kido.world._filter_rules import FilterRules, require_tests

__all__ = ["CompiledWorld"]


class CompiledWorld:
    """The native world of some skeletons as they were when it was made.

    Attributes:
        native: the world as numbers.
        edits: count of all edits when it was last refreshed.
        watches: whether it depends on positions of skeletons that do not move.
        asks_users: whether user joints have to say in every step how they move.
        contacts_of_others: what finds contacts in place of the native detector; None: nothing does.

    Raises what makes a skeleton impossible to simulate: SingularMassError, UnsupportedShapeError.
    """

    __slots__ = (
        "_acted",
        "_colliders",
        "_detector",
        "_filter",
        "_moving",
        "_nodes",
        "_views",
        "asks_users",
        "contacts_of_others",
        "edits",
        "native",
        "watches",
    )

    def __init__(
        self,
        skeletons: Iterable[Skeleton],
        constraints: Iterable[BodyConstraint] = (),
        rules: CollisionFilter | None = None,
        detector: CollisionDetector | None = None,
    ) -> None:
        self.edits = EDITS.count
        self.native = _core.World()
        self._filter = FilterRules(CollisionFilter() if rules is None else rules)
        self._detector = None if detector is None or isinstance(detector, NativeDetector) else detector
        self.contacts_of_others = (
            None if self._detector is None else ExternalContacts(self.native, self._detector)
        )
        self._colliders: list[tuple[NativeCollider, bool]] = []
        self._views = [SimulationView(skeleton) for skeleton in skeletons]
        self._nodes: list[ShapeNode] = []
        self._moving: list[_Moving] = []
        self._acted: tuple[int, dict[int, FloatArray]] = 0, {}
        self.asks_users = any(view.moves and view.asks_users for view in self._views)
        self.watches = any(not view.moves and view.skeleton.num_dofs > 0 for view in self._views)
        for group, view in enumerate(self._views, start=1):
            if view.moves:
                self._add_moving(view, group)
            else:
                self._add_fixed(view.skeleton, group)
        self._filter.apply(self.native, self._nodes)
        if self._detector is None:
            require_tests(self._colliders, self._filter)
        for constraint in constraints:
            self._add_constraint(constraint)

    def refresh(self) -> bool:
        """Take over what acts in joints and on bodies; False where the structure is another one now.

        There is nothing to do while `edits` is the count of all edits, unless it `watches` the positions of
        skeletons that do not move.
        """
        edits = EDITS.count
        if not self._filter.holds or not all(view.same_structure for view in self._views):
            return False
        if not all(moving.view.same_loads or self._renew(moving) for moving in self._moving):
            return False
        self.edits = edits  # only now: what could not be taken over has to be looked at again
        return True

    @property
    def has_wrenches(self) -> bool:
        """Whether anything acts on bodies from outside."""
        return any(view.has_wrenches for view in self._views)

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

    @property
    def nodes(self) -> tuple[ShapeNode, ...]:
        """Shapes that can touch others, in the order of the native colliders."""
        return tuple(self._nodes)

    def views(self) -> Iterator[tuple[SimulationView, int]]:
        """What is read of each skeleton, and its index in the native world; -1 where it does not move."""
        indices = {id(moving.view): moving.index for moving in self._moving}
        return ((view, indices.get(id(view), -1)) for view in self._views)

    def remember_wrenches(self) -> None:
        """Keep what acts on bodies from outside, as the last step had it."""
        self._acted = self.native.steps, {id(v): v.external_wrenches for v in self._views if v.has_wrenches}

    def acted(self, view: SimulationView) -> FloatArray:
        """Wrenches (num_bodies, 6) that acted on the bodies of a skeleton in the last step, from outside."""
        steps, wrenches = self._acted
        if steps == self.native.steps and id(view) in wrenches:
            return wrenches[id(view)]
        return np.zeros((view.skeleton.num_bodies, 6))

    def diverged(self) -> tuple[str | None, str | None]:
        """Names of the skeleton and the body whose numbers were not finite in the step that failed."""
        index, body = self.native.diverged()
        if index < 0:
            return None, None
        skeleton = self._moving[index].view.skeleton
        return skeleton.name, skeleton.bodies[body].name

    def contacts(self, at_start: bool = False) -> list[Contact]:
        """The points where shapes touch, at the present poses or at those where the last step began."""
        pairs, numbers = self.native.contacts(at_start)
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
        for collider in colliders_of(skeleton, self._detector):
            self._add_collider(moving.index, collider, _numbers(collider.pose), skeleton, group)

    def _add_fixed(self, skeleton: Skeleton, group: int) -> None:
        for collider in colliders_of(skeleton, self._detector):
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
            self._filter.rules.checks_self(skeleton),
            -1 if self._filter.rules.checks_adjacent(skeleton) else parent,
        )
        self._nodes.append(collider.node)
        self._colliders.append((collider, index >= 0))
        if self.contacts_of_others is not None:
            self.contacts_of_others.add(collider.node, collider.shape, collider.T_shape_compiled)

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
