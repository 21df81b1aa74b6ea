"""Shapes and points of skeletons in a native world."""

from __future__ import annotations

import numpy as np

from kido import _core
from kido.collision import CollisionDetector, CollisionFilter, NativeDetector
from kido.errors import UnsupportedShapeError
from kido.shape import Surface
from kido.skeleton import ShapeNode, Skeleton, SkinNode
from kido.typing import FloatArray
from kido.world._colliders import NativeCollider, colliders_of
from kido.world._contact import Contact
from kido.world._external_contacts import ExternalContacts
from kido.world._filter_rules import FilterRules, require_tests
from kido.world._surface_rules import SurfaceHandler, SurfaceRules, surface_numbers

__all__ = ["CONTACT_FORCE", "CONTACT_POINT", "CompiledColliders"]

CONTACT_POINT, _NORMAL, CONTACT_FORCE, _DEPTH = slice(0, 3), slice(3, 6), slice(6, 9), 9
"""Columns of the numbers of native contacts."""

_IDENTITY = np.eye(4)


class CompiledColliders:
    """Shapes of bodies, and points and faces of soft ones, that can touch others in a native world.

    Attributes:
        nodes: whose they are, in the order of the native colliders.
        external: what finds contacts in place of the native detector; None: nothing does.
    """

    __slots__ = ("_colliders", "_detector", "_filter", "_moves", "_native", "_surfaces", "external", "nodes")

    def __init__(
        self, native: _core.World, rules: CollisionFilter | None, detector: CollisionDetector | None
    ) -> None:
        """None yet, of a world without colliders; None: all may meet, and the native detector finds where."""
        self._native = native
        self._filter = FilterRules(CollisionFilter() if rules is None else rules)
        self._detector = None if detector is None or isinstance(detector, NativeDetector) else detector
        self.external = None if self._detector is None else ExternalContacts(native, self._detector)
        self.nodes: list[ShapeNode] = []
        self._colliders: list[NativeCollider] = []
        self._moves: list[bool] = []  # whether the skeletons of these do
        self._surfaces: dict[int, tuple[Surface, FloatArray]] = {}  # by their ids

    @property
    def hold(self) -> bool:
        """Whether the rules by which they meet are still those of when they were made."""
        return self._filter.holds

    def point_of(self, collider: int) -> tuple[SkinNode | None, int]:
        """The skin whose point a collider is, and which point, their number for faces; None for others."""
        node = self.nodes[collider]
        if not isinstance(node, SkinNode):
            return None, 0
        first = next(index for index, other in enumerate(self.nodes) if other is node)
        return node, collider - first

    def contacts(self) -> list[Contact]:
        """The points where shapes touch now."""
        pairs, numbers = self._native.contacts(False)
        nodes = self.nodes
        return [
            Contact(
                nodes[first],
                nodes[second],
                row[CONTACT_POINT],
                row[_NORMAL],
                float(row[_DEPTH]),
                row[CONTACT_FORCE],
                None if first_face < 0 else first_face,
                None if second_face < 0 else second_face,
            )
            for (first, second, first_face, second_face), row in zip(pairs.tolist(), numbers, strict=True)
        ]

    # ---- making

    def add_shapes(self, skeleton: Skeleton, index: int, group: int) -> None:
        """Add the shapes of a skeleton of a native index; -1: it does not move.

        Raises UnsupportedShapeError or ValueError naming the node.
        """
        rules = self._filter.rules
        meets_own, meets_parent = rules.checks_self(skeleton), rules.checks_adjacent(skeleton)
        for collider in colliders_of(skeleton, self._detector):
            pose, T = collider.pose, collider.node.relative_transform
            if index < 0:
                T_body = skeleton.bodies[collider.body].transform()
                pose, T = T_body @ pose, T_body @ T
            self._native.add_collider(
                index,
                collider.body,
                collider.shape,
                pose,
                self._numbers_of(collider.node.surface, T),
                group,
                meets_own,
                -1 if meets_parent else collider.parent,
            )
            self.nodes.append(collider.node)
            self._colliders.append(collider)
            self._moves.append(index >= 0)
            if self.external is not None:
                self.external.add(collider.node, collider.shape, collider.T_shape_compiled)

    def add_points(self, node: SkinNode, index: int, body: int, group: int) -> None:
        """Add balls around the points of a skin, and its faces, on a body of the native skeleton `index`.

        Raises UnsupportedShapeError where another detector than the native one finds contacts.
        """
        if not (node.collision and node.body.collidable):
            return
        if self._detector is not None:
            raise UnsupportedShapeError("SoftSkin", node.name, type(self._detector).__name__)
        ball = _core.CollisionShape("sphere", np.array([node.skin.radius]))
        self._native.add_point_colliders(
            index,
            body,
            node.skin.num_points,
            ball,
            surface_numbers(node.surface, _IDENTITY),
            group,
            self._filter.rules.checks_self(node.skeleton),
            len(node.skin.faces) > 0,
            node.skin.touches_itself,
        )
        collider = NativeCollider(node, node.body.index, -1, ball, _IDENTITY, _IDENTITY)
        for _ in range(node.skin.num_points + (len(node.skin.faces) > 0)):
            self.nodes.append(node)
            self._colliders.append(collider)
            self._moves.append(True)

    def end(self, handler: SurfaceHandler) -> None:
        """There are no more: let those meet that may, with surfaces that a handler tells.

        Raises UnsupportedShapeError for two that may meet and that the native detector cannot test.
        """
        self._filter.apply(self._native, self.nodes)
        self._set_handler(handler)
        if self._detector is None:
            require_tests(zip(self._colliders, self._moves, strict=True), self._filter)

    def _numbers_of(self, surface: Surface, T_body_shape: FloatArray) -> FloatArray:
        """As `surface_numbers`; once for all shapes of a surface that is the same in every direction."""
        known = self._surfaces.get(id(surface))
        if known is not None:
            return known[1]
        numbers = surface_numbers(surface, T_body_shape)
        moves = surface.velocity.any() or surface.angular_velocity.any()
        if surface.friction_direction is None and not moves:
            self._surfaces[id(surface)] = surface, numbers
        return numbers

    def _set_handler(self, handler: SurfaceHandler) -> None:
        if isinstance(handler, SurfaceRules):
            self._native.set_surface_rules(*handler.numbers())
            return
        nodes, moved = self.nodes, self._moves
        asked = handler

        def numbers(first: int, second: int) -> FloatArray:
            node = nodes[first]
            surface = asked(node, nodes[second])
            if not isinstance(surface, Surface):
                raise TypeError(f"surface_handler: expected a Surface, got {type(surface).__name__}")
            fixed = np.eye(4) if moved[first] else node.body.transform()
            return surface_numbers(surface, fixed @ node.relative_transform)

        self._native.set_surface_source(numbers)
