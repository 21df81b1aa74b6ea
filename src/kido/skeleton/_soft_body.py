"""Bodies whose surface is a set of point masses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kido import _core
from kido.description import Inertia, Material, SoftSkin
from kido.errors import EditError
from kido.frame import Frame
from kido.shape import Mesh, Shape, Surface
from kido.skeleton._answers._soft_rest import SoftRest
from kido.skeleton._axes import in_axes_of
from kido.skeleton._body import BodyNode
from kido.skeleton._build import skins
from kido.skeleton._nodes._shipped_nodes import ShapeNode
from kido.skeleton._nodes._skin_properties import SkinProperties, SkinState
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SkinNode", "SoftBodyNode", "core_inertia"]

_LEAST_SHARE = 1e-9
"""Share of a body's mass below which what its points leave of it counts as nothing."""


class SkinNode(ShapeNode):
    """The soft skin of a body: its point masses with their state, their look, and how they touch others.

    It is made by `SoftBodyNode.add_skin`, and a body that has one is a `SoftBodyNode`, which asks and sets
    the points. It travels with the body as other nodes do: `state` holds the motion of the points.
    """

    __slots__ = ("_soft",)

    Properties: ClassVar[type | None] = SkinProperties
    State: ClassVar[type | None] = SkinState
    _soft: _core.SoftState

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
            collision: whether points and faces touch others.
            surface: their friction and restitution.

        Raises:
            EditError: the body has a skin.
            ValueError: the points are heavier than the body, or leave an inertia that no body can have.
            NameTakenError, TypeError: naming the argument.
        """
        if not isinstance(skin, SoftSkin):
            raise TypeError(f"skin: expected a SoftSkin, got {type(skin).__name__}")
        self._refuse(body, name)
        core_inertia(body, skin)
        self._begin_node(SkinProperties(None, None, material, visual, collision, surface, skin), None)
        self._set_relative_pose(self.properties.transform)
        self._enter(body, name)

    # ---- what travels

    @property
    def state(self) -> SkinState:
        """Motion of the points. Set: raises TypeError or ValueError."""
        return SkinState(self._soft.displacements, self._soft.velocities)

    @state.setter
    def state(self, state: SkinState | None) -> None:
        given = SkinState.at_rest(self.skin.num_points) if state is None else state
        if not isinstance(given, SkinState):
            raise TypeError(f"state of a SkinNode: expected a SkinState, got {state!r}")
        if (
            given.displacements.shape != given.velocities.shape
            or len(given.velocities) != self.skin.num_points
        ):
            raise ValueError(f"state: expected {self.skin.num_points} points, got {len(given.velocities)}")
        self._soft.displacements = given.displacements
        self._soft.velocities = given.velocities

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
                core_inertia(self.body, checked.skin)
            self._properties = checked
            self._soft = _state_of(checked.skin)
            self._set_relative_pose(checked.transform)
            self._appearance_changed()
            return
        self._properties = checked
        if checked.skin != before:
            self.take_springs()
        if replace(checked, skin=before) != self_properties:
            self._appearance_changed()

    def _start(self, properties: object, state: object) -> None:
        super()._start(properties, None)
        self._soft = _state_of(self.skin)
        if state is not None:
            self.state = state  # type: ignore[assignment]

    def take_springs(self) -> None:
        """Have the points' numbers say what the skin says; those of frozen points end to move."""
        skin = self.skin
        weighs = self._body is None or self._body._skeleton is None or self._body.gravity_mode
        self._soft.set_springs(
            skin.vertex_stiffness, skin.edge_stiffness, skin.damping, skin.frozen.astype(np.uint8), weighs
        )
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
        body.__class__ = SoftBodyNode

    def remove(self) -> None:
        """Take the skin off its body, which becomes a rigid one of the same inertia. Raises RemovedError
        where it was removed before."""
        body = self.body
        super().remove()
        body.__class__ = BodyNode


class SoftBodyNode(BodyNode):
    """A body with point masses around it, each with three translations beside the body, tied to it and to
    each other by springs.

    A world moves the points and the skeleton by the same equations of motion, each acting on the other;
    springs are implicit in its steps. `inertia`, and all answers of the skeleton about inertia and dynamics
    without a world, are those of the body with its points where they rest: that is what it becomes as its
    springs get stiff. Energies, momenta and centers of mass are those of the points as they are.
    `kido.soften` and `SoftBodyNode.add_skin` make a rigid body soft, `harden` makes it rigid again.
    """

    __slots__ = ()

    _is_soft: ClassVar[bool] = True

    @staticmethod
    def add_skin(
        body: BodyNode,
        skin: SoftSkin,
        *,
        name: str | None = None,
        material: Material | None = None,
        visual: bool = True,
        collision: bool = True,
        surface: Surface = Surface(),  # noqa: B008 - a frozen value
    ) -> SoftBodyNode:
        """Put point masses around a body, in addition to what it weighs.

        Args:
            body: a rigid body; it becomes the SoftBodyNode that is returned.
            skin: the points.
            name: of the skin; None: that of the body, with a number where another skin has it.
            material: color and texture; None: the default ones.
            visual: whether the faces are seen.
            collision: whether the points touch others.
            surface: their friction and restitution.

        Raises:
            EditError: the body has a skin.
            NameTakenError, TypeError, ValueError: naming the argument.
        """
        if not isinstance(skin, SoftSkin):
            raise TypeError(f"skin: expected a SoftSkin, got {type(skin).__name__}")
        if not isinstance(body, BodyNode):
            raise TypeError(f"body: expected a BodyNode, got {type(body).__name__}")
        before = body.inertia
        if isinstance(body, SoftBodyNode):
            raise EditError(f"body {body.name!r} has a skin already")
        body._write_inertia(joined_inertia(before, skin.inertia))
        chosen = body._node_name(SkinNode, name)
        try:
            SkinNode(
                body, chosen, skin, material=material, visual=visual, collision=collision, surface=surface
            )
        except BaseException:
            body._write_inertia(before)
            raise
        assert isinstance(body, SoftBodyNode)
        return body

    @property
    def skin_node(self) -> SkinNode:
        """The node that holds the points."""
        self._check_alive()
        return next(node for node in self._nodes if isinstance(node, SkinNode))

    @property
    def skin(self) -> SoftSkin:
        """Points, springs and faces. Can be set: springs hold from the next step on, without a jump; other
        points begin at rest, and the body's inertia stays what it is."""
        return self.skin_node.skin

    @skin.setter
    def skin(self, skin: SoftSkin) -> None:
        self.skin_node.skin = skin

    def harden(self) -> BodyNode:
        """Take the points away: a rigid body of the same inertia. Returns the body."""
        self.skin_node.remove()
        return self

    @property
    def core_inertia(self) -> Inertia:
        """Inertia of the body without its points."""
        return core_inertia(self, self.skin)

    def _write_inertia(self, inertia: Inertia | None) -> None:
        whole = Inertia(0.0) if inertia is None else inertia
        _core_of(whole, self.skin, self.name)
        super()._write_inertia(inertia)

    # ---- springs

    @property
    def num_points(self) -> int:
        """Number of point masses."""
        return self.skin.num_points

    @property
    def vertex_stiffness(self) -> FloatArray:
        """Stiffness (n,) of the springs between points and body [N/m]. Set: also one for all."""
        return self.skin.vertex_stiffness

    @vertex_stiffness.setter
    def vertex_stiffness(self, stiffness: ArrayLike) -> None:
        self.skin = replace(self.skin, vertex_stiffness=stiffness)

    @property
    def edge_stiffness(self) -> FloatArray:
        """Stiffness (k,) of the springs along `skin.edges` [N/m]. Set: also one for all."""
        return self.skin.edge_stiffness

    @edge_stiffness.setter
    def edge_stiffness(self, stiffness: ArrayLike) -> None:
        self.skin = replace(self.skin, edge_stiffness=stiffness)

    @property
    def damping(self) -> FloatArray:
        """Damping (n,) between points and body [N s/m]. Set: also one for all."""
        return self.skin.damping

    @damping.setter
    def damping(self, damping: ArrayLike) -> None:
        self.skin = replace(self.skin, damping=damping)

    @property
    def frozen(self) -> NDArray[np.bool_]:
        """Which points (n,) stand still in the body."""
        return self.skin.frozen

    def freeze(self, points: Iterable[int] | None = None) -> None:
        """Have points stand still in the body where they are now; None: all. Raises IndexError or
        TypeError."""
        self._set_frozen(points, True)

    def free(self, points: Iterable[int] | None = None) -> None:
        """Have points that were frozen move again, from where they are; None: all. Raises IndexError or
        TypeError."""
        self._set_frozen(points, False)

    def _set_frozen(self, points: Iterable[int] | None, frozen: bool) -> None:
        mask = self.skin.frozen.copy()
        mask[slice(None) if points is None else self._indices(points)] = frozen
        self.skin = replace(self.skin, frozen=mask)

    def _indices(self, points: Iterable[int]) -> list[int]:
        chosen = list(points)
        for point in chosen:
            if isinstance(point, bool) or not isinstance(point, (int, np.integer)):
                raise TypeError(f"points: expected indices, got {point!r}")
            if not 0 <= point < self.num_points:
                raise IndexError(f"points: {point} does not exist, there are {self.num_points}")
        return chosen

    # ---- motion of the points

    @property
    def displacements(self) -> FloatArray:
        """How far points are from where they rest (n, 3), in the body's axes [m]. Can be set."""
        return self.skin_node._soft.displacements

    @displacements.setter
    def displacements(self, displacements: ArrayLike) -> None:
        given = frozen_array("displacements", displacements, (self.num_points, 3), "m")
        self.skin_node._soft.displacements = given

    @property
    def displacement_velocities(self) -> FloatArray:
        """Velocities of the points beside the body (n, 3), in its axes [m/s]. Can be set; those of frozen
        points stay zero."""
        return self.skin_node._soft.velocities

    @displacement_velocities.setter
    def displacement_velocities(self, velocities: ArrayLike) -> None:
        given = frozen_array("displacement_velocities", velocities, (self.num_points, 3), "m/s")
        self.skin_node._soft.velocities = np.where(self.frozen[:, None], 0.0, given)

    @property
    def displacement_accelerations(self) -> FloatArray:
        """Accelerations of the points beside the body in the last step, without impulses (n, 3), in its axes
        [m/s^2]."""
        return self.skin_node._soft.accelerations

    @property
    def point_forces(self) -> FloatArray:
        """Forces on the points from outside (n, 3), in the body's axes [N], which act until others are set.
        Can be set."""
        return self.skin_node._soft.forces

    @point_forces.setter
    def point_forces(self, forces: ArrayLike) -> None:
        self.skin_node._soft.forces = frozen_array("point_forces", forces, (self.num_points, 3), "N")

    def reset_points(self) -> None:
        """Put the points where they rest, and at rest beside the body."""
        self.skin_node.state = SkinState.at_rest(self.num_points)

    def _local_points(self) -> FloatArray:
        return self.skin.points + self.displacements

    def point_positions(self, *, relative_to: Frame | None = None) -> FloatArray:
        """Positions of the points (n, 3) in the coordinates of a frame [m]; None is the world."""
        T = self.transform(relative_to=relative_to)
        return read_only(self._local_points() @ T[:3, :3].T + T[:3, 3])

    def point_velocities(self) -> FloatArray:
        """Velocities of the points (n, 3) in the world, in its axes [m/s]."""
        V = self.spatial_velocity(in_coordinates_of=self)
        local = V[3:] + np.cross(V[:3], self._local_points()) + self.displacement_velocities
        return read_only(local @ self.transform()[:3, :3].T)

    def surface_mesh(self, *, relative_to: Frame | None = None) -> Mesh:
        """The faces as they are now, in the coordinates of a frame; None is the world.

        Raises ValueError where there are no faces.
        """
        if not len(self.skin.faces):
            raise ValueError(f"body {self.name!r} has a skin without faces")
        return Mesh(
            None,
            convex=False,
            vertices=self.point_positions(relative_to=relative_to),
            triangles=self.skin.faces,
        )

    # ---- mass and energies, with the points as they are

    def com(self, *, relative_to: Frame | None = None) -> FloatArray:
        """Center of mass (3,) [m] of body and points in the coordinates of a frame; None is the world."""
        T = self.transform(relative_to=relative_to)
        return np.asarray(T[:3, :3] @ self._local_com() + T[:3, 3])

    def _local_com(self) -> FloatArray:
        shift = self.skin.mass @ self.displacements / self.mass
        return np.asarray(self.local_com + shift)

    @property
    def spring_energy(self) -> float:
        """Energy of the springs between points and body, and along edges [J]."""
        x, skin = self.displacements, self.skin
        stretch = x[skin.edges[:, 1]] - x[skin.edges[:, 0]]
        vertices = skin.vertex_stiffness @ (x * x).sum(axis=1)
        return 0.5 * float(vertices + skin.edge_stiffness @ (stretch * stretch).sum(axis=1))

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of body and points in the world [J]."""
        core, V = self.core_inertia, self.spatial_velocity(self.core_inertia.com, in_coordinates_of=self)
        rigid = V[:3] @ core.moment @ V[:3] + core.mass * (V[3:] @ V[3:])
        points = self.point_velocities()
        return 0.5 * float(rigid + self.skin.mass @ (points * points).sum(axis=1))

    @property
    def potential_energy(self) -> float:
        """Potential energy of body and points in gravity, 0 at the world's origin, and of their springs
        [J]."""
        gravity = self._answers_of_skeleton().gravity if self.gravity_mode else np.zeros(3)
        return self.spring_energy - self.mass * float(gravity @ self.com())

    def _beyond_rigid(self) -> SoftRest:
        center, w = BodyNode.com(self), self.spatial_velocity(in_coordinates_of=self)[:3]
        velocity, moment = self.linear_velocity(self.local_com), self.moment_of_inertia
        kinetic = 0.5 * float(w @ moment @ w + self.mass * velocity @ velocity)
        spin = self.transform()[:3, :3] @ moment @ w
        shift = self.mass * (self.com() - center)
        gravity = self._answers_of_skeleton().gravity if self.gravity_mode else np.zeros(3)
        return SoftRest(
            self.kinetic_energy - kinetic,
            self.spring_energy - float(gravity @ shift),
            shift,
            self.linear_momentum() - self.mass * velocity,
            self.angular_momentum(center) - spin,
            center,
        )

    def linear_momentum(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Linear momentum (3,) of body and points [kg m/s] in the axes of a frame; None is the world."""
        core = self.core_inertia
        momentum = core.mass * self.linear_velocity(core.com) + self.skin.mass @ self.point_velocities()
        return in_axes_of(in_coordinates_of, momentum)

    def angular_momentum(
        self, pivot: ArrayLike | None = None, *, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Angular momentum (3,) of body and points [kg m^2/s] about a point.

        Args:
            pivot: (3,) in world coordinates [m]; None is the world's origin.
            in_coordinates_of: axes of the answer; None is the world.
        """
        point = np.zeros(3) if pivot is None else frozen_array("pivot", pivot, (3,), "m")
        core, T = self.core_inertia, self.transform()
        spin = T[:3, :3] @ core.moment @ self.spatial_velocity(in_coordinates_of=self)[:3]
        center = T[:3, :3] @ core.com + T[:3, 3] - point
        of_core = spin + np.cross(center, core.mass * self.linear_velocity(core.com))
        arms = self.point_positions() - point
        of_points = np.cross(arms, self.skin.mass[:, None] * self.point_velocities()).sum(axis=0)
        return in_axes_of(in_coordinates_of, of_core + of_points)


def core_inertia(body: BodyNode, skin: SoftSkin) -> Inertia:
    """Inertia of a body less that of points at rest. Raises ValueError where no body can have it."""
    return _core_of(body.inertia, skin, body.name)


def _core_of(whole: Inertia, skin: SoftSkin, name: str) -> Inertia:
    points = skin.inertia
    mass = whole.mass - points.mass
    if mass < -_LEAST_SHARE * whole.mass:
        raise ValueError(
            f"inertia: the points of {name!r} weigh {points.mass:g} kg, more than the body with them: "
            f"{whole.mass:g} kg"
        )
    if mass <= _LEAST_SHARE * whole.mass:
        return Inertia(0.0)
    com = (whole.mass * whole.com - points.mass * points.com) / mass
    moment = _about_origin(whole) - _about_origin(points) - _about_origin(Inertia(mass, com))
    if np.abs(moment).max() <= _LEAST_SHARE * np.abs(_about_origin(whole)).max():
        return Inertia(mass, com)
    core = Inertia(mass, com, 0.5 * (moment + moment.T))
    problem = core.problem()
    if problem:
        raise ValueError(f"inertia: the points of {name!r} leave one that no body can have: {problem}")
    return core


def joined_inertia(one: Inertia, other: Inertia) -> Inertia:
    """Inertia of two bodies in one frame together."""
    mass = one.mass + other.mass
    com = (one.mass * one.com + other.mass * other.com) / mass
    moment = _about_origin(one) + _about_origin(other) - _about_origin(Inertia(mass, com))
    return Inertia(mass, com, moment)


def _about_origin(inertia: Inertia) -> FloatArray:
    c = inertia.com
    return np.asarray(inertia.moment + inertia.mass * (c @ c * np.eye(3) - np.outer(c, c)))


def same_points(one: SoftSkin, other: SoftSkin) -> bool:
    """Whether two skins differ in springs, damping and frozen points alone."""
    names = ("points", "mass", "edges", "faces")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return same and (one.radius, one.touches_itself) == (other.radius, other.touches_itself)


def _state_of(skin: SoftSkin) -> _core.SoftState:
    return _core.SoftState(
        skin.mass,
        skin.points,
        skin.edges,
        skin.faces,
        skin.vertex_stiffness,
        skin.edge_stiffness,
        skin.damping,
        skin.frozen.astype(np.uint8),
        True,
    )


skins.attach = SoftBodyNode.add_skin
