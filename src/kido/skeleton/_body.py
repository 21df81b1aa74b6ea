"""A rigid body of a skeleton."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NoReturn, TypeVar, overload

from kido import _core
from kido.description import Material
from kido.errors import FrameError, RemovedError
from kido.frame import WORLD, Frame
from kido.shape import Shape
from kido.skeleton import _editing as editing
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._quantity import undisturbed
from kido.skeleton._body_impulses import BodyImpulses
from kido.skeleton._data import SkeletonData
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._dof_arrays import DofArrays
from kido.skeleton._names import checked_index, first_free
from kido.skeleton._nodes._frame_node import FrameNode
from kido.skeleton._nodes._node import Node, node_named, nodes_of
from kido.skeleton._nodes._node_properties import (
    MarkerConstraint,
    MarkerProperties,
    Placed,
    ShapeProperties,
)
from kido.skeleton._nodes._shipped_nodes import EndEffector, Marker, ShapeNode
from kido.skeleton._rigid_body import RigidBody
from kido.skeleton._structure import depth_first
from kido.skeleton._values._parts import BodyParts
from kido.typing import ArrayLike, FloatArray, TransformLike, read_only
from kido.values import checked_flag

if TYPE_CHECKING:
    from kido.skeleton._joints._joint import Joint
    from kido.skeleton._skeleton import Skeleton

__all__ = ["BodyNode"]

J = TypeVar("J", bound="Joint")
N = TypeVar("N", bound=Node)

_KIND = _core.FrameKind.BODY


class BodyNode(RigidBody, BodyImpulses, BodyParts):
    """A rigid body, carried by its parent joint. It is a frame, and it has Jacobians.

    Bodies are made by `Skeleton.add_body`. A body that was removed raises RemovedError whatever it is asked.
    """

    __slots__ = (
        "_addons",
        "_bodies",
        "_index",
        "_joint",
        "_nodes",
        "_parent_body",
        "_skeleton",
    )

    _skeleton: Skeleton | None
    _joint: Joint
    _parent_body: BodyNode | None
    _bodies: tuple[BodyNode, ...]
    _nodes: tuple[Node, ...]

    def __init__(self, name: str, joint: Joint) -> None:
        """Used by `Skeleton.add_body`."""
        self._start(name, joint, None, -1, None)

    def _start(
        self, name: str, joint: Joint, skeleton: Skeleton | None, index: int, parent: BodyNode | None
    ) -> None:
        _core.Frame.__init__(self, _KIND)
        self._name = name
        self._children = None
        self._parent = None
        self._skeleton = skeleton
        self._joint = joint
        self._parent_body = parent
        self._bodies = ()
        self._nodes = ()
        self._addons = None
        self._index = index

    # ---- place in the skeleton

    @property
    def name(self) -> str:
        """Name, unique in the skeleton. Set: raises NameTakenError."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self.skeleton._structure.rename_body(self, name)

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
        return tuple(depth_first((self,)))

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
        return read_only(joint.relative_jacobian @ joint.accelerations)

    def set_parent_frame(self, parent: Frame) -> None:
        """Raises FrameError: bodies are moved by `move_to`."""
        self._check_alive()
        raise FrameError(f"{self._name!r} is a body: move_to moves it to another parent")

    @property
    def _answers(self) -> Answers:
        return self.skeleton._answers

    def _dofs_of_skeleton(self) -> DofArrays:
        return self.skeleton

    def _data_row(self) -> tuple[SkeletonData, int]:
        data = self._joint._data
        if data is None:
            raise RemovedError("body", self._name)
        return data, self._joint._row

    def _constants_changed(self) -> None:
        self._joint._structure_changed()

    def _bind(self) -> None:
        """Called by the native half where it does not know the motion."""
        self.skeleton._answers.ready()

    # ---- dofs

    @property
    @undisturbed
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

        Branches above which there is no dof yet do not count: the chain of a tool beside a camera is that of
        the arm.
        """
        chain: list[DegreeOfFreedom] = []
        for body in self.ancestors():
            if chain and len(body.child_bodies) > 1:
                break
            chain[:0] = body.parent_joint.dofs
        return tuple(chain)

    # ---- nodes

    @overload
    def nodes(self) -> tuple[Node, ...]: ...
    @overload
    def nodes(self, kind: type[N]) -> tuple[N, ...]: ...
    def nodes(self, kind: type[Node] = Node) -> tuple[Node, ...]:
        """The nodes of a type (and those that derive from it) on this body, in the order of their making."""
        self._check_alive()
        return tuple(nodes_of(kind, (self,)))

    @property
    def shape_nodes(self) -> tuple[ShapeNode, ...]:
        """The shapes on this body, in the order of their making."""
        return self.nodes(ShapeNode)

    def node(self, kind: type[N], name: str) -> N:
        """The node of a type and name on this body. Raises as that of the skeleton."""
        self._check_alive()
        return node_named(kind, name, (self,), self._name)

    # ---- edits

    def remove(self) -> None:
        """Take this body and everything that it carries out of the skeleton; none of it can be used any
        more."""
        editing.remove(self.skeleton._structure, self)

    def move_to(
        self,
        parent: BodyNode | None = None,
        *,
        skeleton: Skeleton | None = None,
        joint: type[Joint] | Joint | None = None,
    ) -> None:
        """Attach this body, with everything that it carries, elsewhere. Positions and velocities of its dofs
        stay.

        Args:
            parent: the body to attach it to, of this or another skeleton; None: the world.
            skeleton: where it goes if `parent` is None; None: where it is.
            joint: a fresh joint to carry it from now on, or a type as for change_parent_joint_type; None:
                its present one.

        Raises:
            EditError: `parent` is this body or carried by it, belongs to another skeleton than `skeleton`, or
                `joint` is in use.
            RemovedError: this body or `parent` belongs to no skeleton.
        """
        home = self.skeleton
        target = home._target(parent, skeleton)
        carrying = editing.carrying_joint(self, joint)
        editing.move(self, home._structure, parent, target._structure, carrying)

    def split(self, name: str | None = None, *, joint: type[Joint] | Joint | None = None) -> Skeleton:
        """Make a skeleton of this body and everything that it carries, and take it out of this one.

        Args:
            name: of the new skeleton; None: this body's name.
            joint: a fresh joint to carry this body from now on, or a type; None: its present one.

        Raises:
            EditError: `joint` is in use.
        """
        home = self.skeleton
        carrying = editing.carrying_joint(self, joint)
        part = home._empty_like(self.name if name is None else name)
        editing.move(self, home._structure, None, part._structure, carrying)
        return part

    def copy_to(
        self,
        parent: BodyNode | None = None,
        *,
        skeleton: Skeleton | None = None,
        joint: type[Joint] | Joint | None = None,
        recursive: bool = True,
    ) -> BodyNode:
        """Attach a copy of this body elsewhere, with all that it carries or alone. Names that are taken are
        changed.

        Args:
            parent: the body to attach the copy to, of this or another skeleton; None: the world.
            skeleton: where it goes if `parent` is None; None: where this body is.
            joint: a fresh joint to carry the copy, or a type; None: a copy of the present one.
            recursive: whether to copy what this body carries.

        Returns:
            The copy of this body.

        Raises:
            EditError: `parent` belongs to another skeleton than `skeleton`, or `joint` is in use.
        """
        target = self.skeleton._target(parent, skeleton)
        part = self.copy_as(target.name, joint=joint, recursive=recursive)
        copy = part.bodies[0]
        target._structure.renames += part._structure.renames
        editing.move(copy, part._structure, parent, target._structure, None)
        return copy

    def copy_as(
        self, name: str, *, joint: type[Joint] | Joint | None = None, recursive: bool = True
    ) -> Skeleton:
        """A new skeleton of a copy of this body, with all that it carries or alone.

        Args:
            name: of the new skeleton.
            joint: a fresh joint to carry the copy, or a type; None: a copy of the present one.
            recursive: whether to copy what this body carries.

        Raises:
            EditError: `joint` is in use.
        """
        home = self.skeleton
        checked_flag("recursive", recursive)
        carrying = editing.carrying_joint(self, joint)
        part = home._empty_like(name)
        editing.copy_into(part._structure, self, carrying, recursive)
        return part

    def change_parent_joint_type(self, joint: type[J] | J) -> J:
        """Have another joint carry this body.

        Args:
            joint: a type: the new joint takes over name, offsets, actuator, mimic and whether limits are
                enforced; or a fresh joint, taken as it is.

        Returns:
            The new joint. The old one can no longer be used.

        Raises:
            EditError: `joint` is in use, or mimic joints could not follow each other any more.
            TypeError: `joint` is neither a joint nor a type of joints.
        """
        structure = self.skeleton._structure
        fresh = editing.new_joint(self._joint, joint)
        editing.change_joint(structure, self, fresh)
        return fresh

    def _attach_shapes(self, shapes: Iterable[tuple[str, ShapeProperties]]) -> None:
        """Attach shapes under names that are known to be free."""
        ShapeNode._attach_all(self, shapes)

    def _attach_frame(self, kind: str, name: str, transform: FloatArray) -> None:
        """Attach a "frame" or a "marker" under a name that is known to be free."""
        node: Node = Marker.__new__(Marker) if kind == "marker" else FrameNode.__new__(FrameNode)
        node._start_blank(MarkerProperties(transform) if kind == "marker" else Placed(transform))
        node._enter(self, name)

    def __reduce__(self) -> NoReturn:
        if self._skeleton is None:
            raise TypeError(f"cannot pickle body {self._name!r}: it belongs to no skeleton")
        raise TypeError(f"cannot pickle body {self._name!r} alone: pickle its skeleton, and it goes along")

    # ---- makers of nodes

    def add_end_effector(
        self, name: str | None = None, transform: TransformLike | None = None
    ) -> EndEffector:
        """An end effector on this body at `transform` (4, 4) or (3,) [m].

        `name` None: that of the body, with a number where another end effector has it. Raises NameTakenError,
        TypeError or ValueError.
        """
        return EndEffector(self, self._node_name(EndEffector, name), transform)

    def add_marker(
        self,
        name: str | None = None,
        transform: TransformLike | None = None,
        *,
        rgba: ArrayLike = (1.0, 1.0, 1.0, 1.0),
        constraint: MarkerConstraint | str = MarkerConstraint.NONE,
    ) -> Marker:
        """A marker on this body at `transform` (4, 4) or (3,) [m].

        Args:
            name: unique among the markers; None: that of the body, with a number where it is taken.
            transform: pose (4, 4) or position (3,) on the body [m].
            rgba: color (4,), dimensionless numbers in [0, 1].
            constraint: how strictly a target is to be met.

        Raises:
            NameTakenError: another marker has the name.
            TypeError, ValueError: naming the argument.
        """
        return Marker(self, self._node_name(Marker, name), transform, rgba=rgba, constraint=constraint)

    def add_shape_node(
        self,
        shape: Shape,
        transform: TransformLike | None = None,
        *,
        name: str | None = None,
        material: Material | None = None,
        visual: bool = True,
        collision: bool = True,
    ) -> ShapeNode:
        """A shape on this body.

        Args:
            shape: the geometry.
            transform: pose (4, 4) or position (3,) on the body [m].
            name: unique among the shape nodes; None: that of the body, with a number where it is taken.
            material: color and texture; None: the default ones.
            visual: whether it is seen.
            collision: whether it can touch others.

        Raises:
            NameTakenError: another shape node has the name.
            TypeError, ValueError: naming the argument.
        """
        if not isinstance(shape, Shape):
            raise TypeError(f"shape: expected a Shape, got {type(shape).__name__}")
        return ShapeNode(
            self,
            self._node_name(ShapeNode, name),
            shape,
            transform,
            material=material,
            visual=visual,
            collision=collision,
        )

    def _node_name(self, kind: type[Node], name: str | None) -> str:
        """The name of a node to be made; None: one that is free, made of the body's."""
        return first_free(self._name, self.skeleton._structure.node_names(kind)) if name is None else name
