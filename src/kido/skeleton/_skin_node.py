"""The node of a body that holds its point masses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from kido import _core
from kido.description import Material, SoftSkin
from kido.errors import EditError, SingularMassError
from kido.shape import Shape, Surface
from kido.skeleton._answers._answers import EDITS
from kido.skeleton._answers._dynamics import change_velocities
from kido.skeleton._body import BodyNode
from kido.skeleton._core_inertia import core_of
from kido.skeleton._nodes._shipped_nodes import ShapeNode
from kido.skeleton._nodes._skin_properties import SkinProperties, SkinState
from kido.skeleton._nodes._soft_energy import gas_energy, spring_energy
from kido.skeleton._nodes._soft_pins import SoftPins
from kido.typing import FloatArray, TransformLike

__all__ = ["SkinNode"]


class SkinNode(ShapeNode):
    """The soft skin of a body: its point masses with their state, their look, and how they touch others.

    It is made by `SoftBodyNode.add_skin`, and a body that has one is a `SoftBodyNode`, which asks and sets
    the points. It travels with the body as other nodes do: `state` holds the motion of the points.
    """

    __slots__ = ("_pins", "_soft")

    Properties: ClassVar[type | None] = SkinProperties
    State: ClassVar[type | None] = SkinState
    _carrier: ClassVar[type[BodyNode]] = BodyNode
    """The class of bodies that have one: set by its module, which is built on this one."""
    _soft: _core.SoftState
    _pins: SoftPins

    def __init__(
        self,
        body: BodyNode,
        name: str,
        skin: SoftSkin,
        *,
        material: Material | None = None,
        visual: bool = True,
        collision: bool = True,
        surface: Surface = Surface(),  # noqa: B008 - a frozen value
    ) -> None:
        """Attach a skin to a body that has none.

        Args:
            body: where it belongs. Its inertia is meant with the points, where they rest.
            name: unique among the skins.
            skin: the points.
            material: color and texture; None: the default ones.
            visual: whether it is seen.
            collision: whether the points touch others.
            surface: their friction and restitution.

        Raises:
            EditError: the body has a skin.
            ValueError: the points are heavier than the body, or leave an inertia that no body can have.
            NameTakenError, TypeError: naming the argument.
        """
        if not isinstance(skin, SoftSkin):
            raise TypeError(f"skin: expected a SoftSkin, got {type(skin).__name__}")
        self._refuse(body, name)
        core_of(body.inertia, skin, body.name)
        self._begin_node(SkinProperties(None, None, material, visual, collision, surface, skin), None)
        self._set_relative_pose(self.properties.transform)
        self._enter(body, name)

    # ---- what travels

    @property
    def state(self) -> SkinState:
        """Motion of the points, forces on them and pins. Set: raises TypeError or ValueError."""
        soft, pinned = self._soft, sorted(self._pins)
        targets = soft.targets[pinned].reshape(-1, 3)
        forces, accelerations = (
            numbers if numbers.any() else () for numbers in (soft.forces, soft.accelerations)
        )
        return SkinState(
            soft.displacements, soft.velocities, soft.yielded, pinned, targets, forces, accelerations
        )

    @state.setter
    def state(self, state: SkinState | None) -> None:
        given = SkinState.at_rest(self.skin.num_points) if state is None else state
        if not isinstance(given, SkinState):
            raise TypeError(f"state of a SkinNode: expected a SkinState, got {state!r}")
        count = self.skin.num_points
        ours = (given.displacements, given.velocities, given.yielded, given.forces, given.accelerations)
        for numbers in ours:
            if len(numbers) not in (count, 0) or len(given.displacements) != count:
                raise ValueError(f"state: expected {count} points, got {len(numbers)}")
        self._soft.displacements = given.displacements
        self._soft.velocities = given.velocities
        zeros = np.zeros((count, 3))
        self._soft.yielded = given.yielded if len(given.yielded) else zeros
        self._soft.forces = given.forces if len(given.forces) else zeros
        self._soft.accelerations = given.accelerations if len(given.accelerations) else zeros
        self._pins.restore(given.pinned, given.targets)

    @property
    def properties(self) -> Any:
        """Skin, look and surface. Set: other springs act from the next step on; other points begin at
        rest."""
        return self._properties

    @properties.setter
    def properties(self, properties: Any) -> None:
        checked: Any = self._checked("properties", self.Properties, properties)
        before, self_properties = self.skin, self._properties
        if not same_points(before, checked.skin):
            if not self.is_removed:
                core_of(self.body.inertia, checked.skin, self.body.name)
            self._properties = checked
            self._renew(checked.skin)
            self._forget_answers()
            self._set_relative_pose(checked.transform)
            self._appearance_changed()
            return
        self._properties = checked
        if checked.skin != before:
            self._stop(checked.skin)
        if replace(checked, skin=before) != self_properties:
            self._appearance_changed()

    def _start(self, properties: object, state: object) -> None:
        super()._start(properties, None)
        self._renew(self.skin)
        if state is not None:
            self.state = state  # type: ignore[assignment]

    def _set_numbers(self, numbers: FloatArray) -> None:
        """Set what a world reads of the points (6, n, 3): displacements, velocities, how far places of rest
        have moved, forces, where pins are, and how fast they move."""
        soft = self._soft
        (
            soft.displacements,
            soft.velocities,
            soft.yielded,
            soft.forces,
            soft.targets,
            soft.target_velocities,
        ) = numbers

    def elastic_energy(self, displacements: FloatArray, yielded: FloatArray) -> float:
        """Energy of springs and gas with points displaced, and their places of rest moved, so (n, 3) [J]."""
        springs = spring_energy(self.skin, displacements, yielded)
        return springs + gas_energy(self.skin, displacements)

    def _renew(self, skin: SoftSkin) -> None:
        """Have points at rest with the springs of a skin."""
        self._soft = _core.SoftState(skin.mass, skin.points, skin.edges, skin.faces)
        self._put_springs(skin, True)
        self._pins = SoftPins(self._soft)

    def _forget_answers(self) -> None:
        """Drop what the skeleton has computed of other points."""
        skeleton = None if self._body is None else self._body._skeleton
        if skeleton is not None:
            skeleton._drop_tree()

    def _put_springs(self, skin: SoftSkin, weighs: bool) -> None:
        self._soft.set_springs(
            skin.vertex_stiffness,
            skin.edge_stiffness,
            skin.damping,
            skin.frozen.astype(np.uint8),
            weighs,
            skin.bulk_modulus,
            np.inf if skin.yield_distance is None else skin.yield_distance,
            skin.along_edges,
        )

    def _stop(self, skin: SoftSkin) -> None:
        """Have the springs of a skin act; points that are frozen by it give their momentum to the
        skeleton."""
        momenta = np.where(skin.frozen[:, None], skin.mass[:, None] * self._soft.velocities, 0.0)
        places = skin.points + self._soft.displacements
        self.take_springs()
        EDITS.count += 1
        body = self._body
        skeleton = None if body is None else body._skeleton
        if body is None or skeleton is None or not skeleton.mobile or not momenta.any():
            return
        wrench = np.concatenate([np.cross(places, momenta).sum(axis=0), momenta.sum(axis=0)])
        impulse = np.zeros(skeleton.num_dofs)
        impulse[body.dependent_dof_indices] = body.jacobian().T @ wrench
        try:
            velocities = change_velocities(skeleton._answers, impulse)
        except SingularMassError:
            return  # nothing has mass that could take it
        skeleton.velocities = velocities

    def take_springs(self) -> None:
        """Have the points' numbers say what the skin says; those of frozen points end to move."""
        skin = self.skin
        weighs = self._body is None or self._body._skeleton is None or self._body.gravity_mode
        self._put_springs(skin, weighs)
        if skin.frozen.any():
            velocities = np.where(skin.frozen[:, None], 0.0, self._soft.velocities)
            self._soft.velocities = np.ascontiguousarray(velocities)

    @property
    def skin(self) -> SoftSkin:
        """The points, springs and faces. Can be set."""
        skin: SoftSkin = self._properties.skin
        return skin

    @skin.setter
    def skin(self, skin: SoftSkin) -> None:
        self._change(skin=skin)

    @property
    def shape(self) -> Shape:
        """The faces at rest."""
        assert self._properties.shape is not None
        shape: Shape = self._properties.shape
        return shape

    @shape.setter
    def shape(self, shape: Shape) -> None:
        raise EditError(f"{self.name!r} has the shape of its points: set `skin`")

    def _pose_changed(self, transform: FloatArray) -> None:
        raise EditError(f"{self.name!r} is where its points are: set `skin`")

    def move_on_body(self, transform: TransformLike) -> None:
        """Raises EditError: points are set by `skin`."""
        self._pose_changed(np.eye(4))

    # ---- on bodies

    def _refuse(self, body: BodyNode, name: str) -> None:
        super()._refuse(body, name)
        if any(isinstance(node, SkinNode) and node is not self for node in body._nodes):
            raise EditError(f"body {body.name!r} has a skin already")

    def _settle(self, body: BodyNode, name: str) -> None:
        super()._settle(body, name)
        body.__class__ = self._carrier
        self._forget_answers()

    def remove(self) -> None:
        """Take the skin off its body, which becomes a rigid one of the same inertia. Raises RemovedError
        where it was removed before."""
        body = self.body
        self._forget_answers()
        super().remove()
        body.__class__ = BodyNode


def same_points(one: SoftSkin, other: SoftSkin) -> bool:
    """Whether two skins differ in springs, damping and frozen points alone."""
    names = ("points", "mass", "edges", "faces")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return same and (one.radius, one.touches_itself) == (other.radius, other.touches_itself)
