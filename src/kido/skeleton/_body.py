"""A rigid body of a skeleton."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np

from kido import _core
from kido.description import Inertia
from kido.errors import FrameError, RemovedError, UnknownNameError
from kido.frame import WORLD, Frame
from kido.shape import Shape
from kido.skeleton import _editing as editing
from kido.skeleton._axes import in_axes_of
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._external import ExternalForces
from kido.skeleton._names import checked_index
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._nodes._end_effector import EndEffector
from kido.skeleton._nodes._marker import Marker
from kido.skeleton._nodes._node import Node
from kido.skeleton._nodes._shape_node import ShapeNode
from kido.tree import INERTIA, inertia_numbers
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array

if TYPE_CHECKING:
    from kido.skeleton._joints._joint import Joint
    from kido.skeleton._skeleton import Skeleton

__all__ = ["BodyNode"]

J = TypeVar("J", bound="Joint")
N = TypeVar("N", bound=Node)


class BodyNode(Frame, ExternalForces, AddonManager):
    """A rigid body, carried by its parent joint. It is a frame, and it has Jacobians.

    Bodies are made by `Skeleton.add_body`. A body that was removed raises RemovedError whatever it is asked.
    """

    __slots__ = (
        "_addons",
        "_bodies",
        "_collidable",
        "_gravity_mode",
        "_index",
        "_joint",
        "_nodes",
        "_parent_body",
        "_skeleton",
        "_wrench",
    )

    _skeleton: Skeleton | None
    _parent_body: BodyNode | None
    _bodies: tuple[BodyNode, ...]
    _nodes: tuple[Node, ...]
    _wrench: FloatArray | None

    def __init__(self, name: str, joint: Joint) -> None:
        """Used by `Skeleton.add_body`."""
        _core.Frame.__init__(self, _core.FrameKind.BODY)
        self._name = name
        self._children = None
        self._parent = None
        self._skeleton = None
        self._joint = joint
        self._parent_body = None
        self._bodies = ()
        self._nodes = ()
        self._addons = None
        self._index = -1
        self._gravity_mode = True
        self._collidable = True
        self._wrench = None

    # ---- place in the skeleton

    @property
    def name(self) -> str:
        """Name, unique in the skeleton. Set: raises NameTakenError."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self.skeleton._rename_body(self, name)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that this body belongs to. Raises RemovedError where there is none."""
        if self._skeleton is None:
            raise RemovedError("body", self._name)
        return self._skeleton

    def _check_alive(self) -> None:
        if self._skeleton is None:
            raise RemovedError("body", self._name)

    @property
    def index(self) -> int:
        """Index among the bodies of the skeleton."""
        self._check_alive()
        return self._index

    @property
    def parent_joint(self) -> Joint:
        """The joint that carries this body."""
        self._check_alive()
        return self._joint

    @property
    def parent_body(self) -> BodyNode | None:
        """The body that the parent joint is attached to; None where that is the world."""
        self._check_alive()
        return self._parent_body

    @property
    def child_bodies(self) -> tuple[BodyNode, ...]:
        """The bodies whose joints are attached to this one."""
        self._check_alive()
        return self._bodies

    @property
    def child_joints(self) -> tuple[Joint, ...]:
        """The joints that are attached to this body."""
        return tuple(body.parent_joint for body in self.child_bodies)

    @property
    def tree_index(self) -> int:
        """Index, among the skeleton's trees, of the one that this body stands in."""
        return self.skeleton.root_bodies.index(self.root_body)

    @property
    def root_body(self) -> BodyNode:
        """The body at the root of this one's tree."""
        return list(self.ancestors())[-1]

    def ancestors(self) -> Iterator[BodyNode]:
        """This body, its parent, and so on up to the root."""
        body: BodyNode | None = self
        while body is not None:
            yield body
            body = body.parent_body

    def subtree(self) -> tuple[BodyNode, ...]:
        """This body and everything that it carries, depth first."""
        self._check_alive()
        return tuple(editing.depth_first((self,)))

    @property
    def parent_frame(self) -> Frame:
        """The parent body, or the world."""
        return self.parent_body or WORLD

    @property
    def child_frames(self) -> tuple[Frame, ...]:
        """Child bodies, nodes that are frames, and other frames attached to this body."""
        nodes = (node for node in self._nodes if isinstance(node, Frame))
        return (*self.child_bodies, *nodes, *self._living_children())

    @property
    def primary_relative_acceleration(self) -> FloatArray:
        """The part (6,) of the relative acceleration that the joint's accelerations bring [rad/s^2,
        m/s^2]."""
        joint = self._joint
        return np.asarray(joint.relative_jacobian() @ joint.accelerations)

    def set_parent_frame(self, parent: Frame) -> None:
        """Raises FrameError: bodies are moved by `move_to`."""
        self._check_alive()
        raise FrameError(f"{self._name!r} is a body: move_to moves it to another parent")

    def _keep_wrench(self, wrench: FloatArray | None) -> None:
        self._wrench = wrench

    def _bind(self) -> None:
        """Called by the native half where it does not know the motion."""
        self.skeleton._ready()

    # ---- dofs

    @property
    def dependent_dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs that move this body, root first: those of the columns of its Jacobians."""
        dofs = self.skeleton.dofs
        return tuple(dofs[index] for index in self._dependent_dofs())

    @property
    def dependent_dof_indices(self) -> list[int]:
        """Indices of `dependent_dofs` in the skeleton."""
        self._check_alive()
        return self._dependent_dofs()

    def depends_on(self, dof: DegreeOfFreedom | int) -> bool:
        """Whether a dof, or the dof of that index, moves this body. Raises TypeError or IndexError."""
        if isinstance(dof, DegreeOfFreedom):
            return dof.skeleton is self.skeleton and dof.index in self._dependent_dofs()
        return checked_index("dof", dof, self.skeleton.num_dofs) in self._dependent_dofs()

    @property
    def chain_dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs from this body up to where the structure branches, root first.

        Branches above which there is no dof yet do not count: the chain of a tool beside a camera is the
            arm's.
        """
        chain: list[DegreeOfFreedom] = []
        for body in self.ancestors():
            if chain and len(body.child_bodies) > 1:
                break
            chain[:0] = body.parent_joint.dofs
        return tuple(chain)

    # ---- mass

    @property
    def inertia(self) -> Inertia:
        """Mass, center of mass and rotational inertia about it, in this body's axes.

        Set: an Inertia, or None for a massless body; raises ValueError for what no body can have.
        """
        x = self._home_row()[INERTIA]
        moment = np.array([[x[4], x[5], x[6]], [x[5], x[7], x[8]], [x[6], x[8], x[9]]])
        return Inertia(float(x[0]), x[1:4], moment)

    @inertia.setter
    def inertia(self, inertia: Inertia | None) -> None:
        self._check_alive()
        refuse_impossible(inertia)
        self._write_inertia(inertia)

    def _write_inertia(self, inertia: Inertia | None) -> None:
        self._joint._write_row(INERTIA, 0.0 if inertia is None else inertia_numbers(inertia))

    @property
    def mass(self) -> float:
        """Mass [kg]. Set: the moment is not scaled; raises ValueError where no body can have both."""
        return float(self._home_row()[INERTIA][0])

    @mass.setter
    def mass(self, mass: float) -> None:
        self.inertia = Inertia(mass, self.local_com, self.moment_of_inertia)

    @property
    def local_com(self) -> FloatArray:
        """Center of mass (3,) in this body's coordinates [m]. Can be set."""
        return np.array(self._home_row()[INERTIA][1:4])

    @local_com.setter
    def local_com(self, com: ArrayLike) -> None:
        self.inertia = Inertia(self.mass, com, self.moment_of_inertia)

    @property
    def moment_of_inertia(self) -> FloatArray:
        """Rotational inertia (3, 3) about the center of mass, in this body's axes [kg m^2]. Can be set."""
        return np.array(self.inertia.moment)

    @moment_of_inertia.setter
    def moment_of_inertia(self, moment: ArrayLike) -> None:
        self.inertia = Inertia(self.mass, self.local_com, moment)

    def _home_row(self) -> FloatArray:
        self._check_alive()
        row: FloatArray = self._joint._home().rows[self._joint._row]
        return row

    @property
    def gravity_mode(self) -> bool:
        """Whether gravity acts on this body."""
        self._check_alive()
        return self._gravity_mode

    @gravity_mode.setter
    def gravity_mode(self, on: bool) -> None:
        self.skeleton._drop_tree()
        self._gravity_mode = bool(on)

    @property
    def collidable(self) -> bool:
        """Whether this body can touch others."""
        self._check_alive()
        return self._collidable

    @collidable.setter
    def collidable(self, on: bool) -> None:
        self._check_alive()
        self._collidable = bool(on)

    # ---- center of mass and energies

    def com(self, *, relative_to: Frame | None = None) -> FloatArray:
        """Center of mass (3,) [m] in the coordinates of a frame; None is the world."""
        T = self.transform(relative_to=relative_to)
        return np.asarray(T[:3, :3] @ self.local_com + T[:3, 3])

    def com_linear_velocity(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Velocity (3,) of the center of mass [m/s], as `linear_velocity` of that point."""
        return self.linear_velocity(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    def com_spatial_velocity(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Spatial velocity (6,) at the center of mass [rad/s, m/s], as `spatial_velocity` of that point."""
        return self.spatial_velocity(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    def com_linear_acceleration(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Acceleration (3,) of the center of mass [m/s^2], as `linear_acceleration` of that point."""
        return self.linear_acceleration(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    def com_spatial_acceleration(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Spatial acceleration (6,) at the center of mass [rad/s^2, m/s^2], as `spatial_acceleration` of that
        point."""
        return self.spatial_acceleration(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of this body in the world [J]."""
        V = self.com_spatial_velocity()
        inertia = self.inertia
        return 0.5 * float(V[:3] @ inertia.moment @ V[:3] + inertia.mass * (V[3:] @ V[3:]))

    @property
    def potential_energy(self) -> float:
        """Potential energy of this body in the field of gravity, 0 at the world's origin [J]."""
        if not self._gravity_mode:
            return 0.0
        return -self.mass * float(self.skeleton.gravity @ self.com())

    def linear_momentum(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Linear momentum (3,) [kg m/s] in the axes of a frame; None is the world."""
        return self.mass * self.com_linear_velocity(in_coordinates_of=in_coordinates_of)

    def angular_momentum(
        self, pivot: ArrayLike | None = None, *, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Angular momentum (3,) [kg m^2/s] about a point.

        Args:
            pivot: (3,) in world coordinates [m]; None is the world's origin.
            in_coordinates_of: axes of the answer; None is the world.
        """
        point = np.zeros(3) if pivot is None else frozen_array("pivot", pivot, (3,), "m")
        V = self.com_spatial_velocity()
        R = self.transform()[:3, :3]
        spin = R @ self.moment_of_inertia @ V[:3]
        about = spin + np.cross(self.com() - point, self.linear_momentum())
        return in_axes_of(in_coordinates_of, about)

    # ---- nodes

    @overload
    def nodes(self) -> tuple[Node, ...]: ...
    @overload
    def nodes(self, kind: type[N]) -> tuple[N, ...]: ...
    def nodes(self, kind: type[Node] = Node) -> tuple[Node, ...]:
        """The nodes of a type (and those that derive from it) on this body, in the order of their making."""
        self._check_alive()
        return tuple(node for node in self._nodes if isinstance(node, kind))

    def node(self, kind: type[N], name: str) -> N:
        """The node of a type and name on this body. Raises UnknownNameError."""
        nodes = {node.name: node for node in self.nodes(kind)}
        if name not in nodes:
            raise UnknownNameError(kind.__name__, name, nodes, self._name)
        return nodes[name]

    # ---- edits

    def remove(self) -> None:
        """Take this body and everything that it carries out of the skeleton; none of it can be used any
        more."""
        editing.remove(self)

    def move_to(
        self, parent: BodyNode | None = None, *, skeleton: Skeleton | None = None, joint: Joint | None = None
    ) -> None:
        """Attach this body, with everything that it carries, elsewhere. Positions and velocities of its dofs
        stay.

        Args:
            parent: the body to attach it to, of this or another skeleton; None: the world.
            skeleton: where it goes if `parent` is None; None: where it is.
            joint: a fresh joint to carry it from now on; None: its present one.

        Raises:
            EditError: `parent` is this body or carried by it, belongs to another skeleton than `skeleton`, or
                `joint` is in use.
            RemovedError: this body or `parent` belongs to no skeleton.
        """
        editing.move(self, parent, skeleton, joint)

    def split(self, name: str | None = None, *, joint: Joint | None = None) -> Skeleton:
        """Make a skeleton of this body and everything that it carries, and take it out of this one.

        Args:
            name: of the new skeleton; None: this body's name.
            joint: a fresh joint to carry this body from now on; None: its present one.

        Raises:
            EditError: `joint` is in use.
        """
        return editing.split(self, name, joint)

    def copy_to(
        self,
        parent: BodyNode | None = None,
        *,
        skeleton: Skeleton | None = None,
        joint: Joint | None = None,
        recursive: bool = True,
    ) -> BodyNode:
        """Attach a copy of this body elsewhere, with all that it carries or alone. Names that are taken are
        changed.

        Args:
            parent: the body to attach the copy to, of this or another skeleton; None: the world.
            skeleton: where it goes if `parent` is None; None: where this body is.
            joint: a fresh joint to carry the copy; None: a copy of the present one.
            recursive: whether to copy what this body carries.

        Returns:
            The copy of this body.

        Raises:
            EditError: `parent` belongs to another skeleton than `skeleton`, or `joint` is in use.
        """
        return editing.copy_to(self, parent, skeleton, joint, recursive)

    def copy_as(self, name: str, *, joint: Joint | None = None, recursive: bool = True) -> Skeleton:
        """A new skeleton of a copy of this body, with all that it carries or alone.

        Args:
            name: of the new skeleton.
            joint: a fresh joint to carry the copy; None: a copy of the present one.
            recursive: whether to copy what this body carries.

        Raises:
            EditError: `joint` is in use.
        """
        return editing.copy_as(self, name, joint, recursive)

    def change_parent_joint_type(self, joint: type[J] | J) -> J:
        """Have another joint carry this body.

        Args:
            joint: a type: the new joint takes over name, offsets and actuator; or a fresh joint, taken as it
                is.

        Returns:
            The new joint. The old one can no longer be used.

        Raises:
            EditError: `joint` is in use.
            TypeError: `joint` is neither a joint nor a type of joints.
        """
        return editing.change_joint(self, joint)

    # ---- makers of nodes

    def add_end_effector(self, name: str, transform: TransformLike | None = None) -> EndEffector:
        """An end effector on this body at `transform` (4, 4) or (3,) [m].

        Raises NameTakenError, TypeError or ValueError.
        """
        return EndEffector(self, name, transform)

    def add_marker(self, name: str, transform: TransformLike | None = None) -> Marker:
        """A marker on this body at `transform` (4, 4) or (3,) [m].

        Raises NameTakenError, TypeError or ValueError.
        """
        return Marker(self, name, transform)

    def add_shape_node(self, name: str, shape: Shape, transform: TransformLike | None = None) -> ShapeNode:
        """A shape on this body at `transform` (4, 4) or (3,) [m].

        Raises NameTakenError, TypeError or ValueError.
        """
        return ShapeNode(self, name, shape, transform)


def refuse_impossible(inertia: Inertia | None) -> None:
    """Raises TypeError for what is no inertia, and ValueError for one that no body can have."""
    if inertia is not None and not isinstance(inertia, Inertia):
        raise TypeError(f"inertia: expected an Inertia or None, got {type(inertia).__name__}")
    problem = None if inertia is None else inertia.problem()
    if problem:
        raise ValueError(f"inertia: expected one that a body can have, but {problem}")
