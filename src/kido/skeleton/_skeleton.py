"""A skeleton: bodies and joints that can be asked, moved, edited and copied."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np

from kido.description import Inertia, RobotDescription
from kido.errors import NameTakenError, UnknownNameError
from kido.skeleton import _editing as editing
from kido.skeleton._body import BodyNode, refuse_impossible
from kido.skeleton._build import build
from kido.skeleton._compiled._compile import shareable_tree
from kido.skeleton._dynamics import SkeletonDynamics
from kido.skeleton._jacobians import SkeletonJacobians
from kido.skeleton._joints._free_joints import FreeJoint
from kido.skeleton._joints._joint import Joint
from kido.skeleton._mass import SkeletonMass
from kido.skeleton._names import candidates, checked_index, checked_name, first_free
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._nodes._end_effector import EndEffector
from kido.skeleton._nodes._node import Node
from kido.skeleton._numbers import Place, gather
from kido.skeleton._signal import Signal
from kido.skeleton._values._values import SkeletonValues
from kido.tree import EARTH_GRAVITY
from kido.typing import ArrayLike, frozen_array

if TYPE_CHECKING:
    from kido.skeleton._numbers import Block

__all__ = ["Skeleton"]

N = TypeVar("N", bound=Node)

_UNIT_INERTIA = Inertia(1.0, (0.0, 0.0, 0.0), np.eye(3))


class Skeleton(SkeletonDynamics, SkeletonMass, SkeletonJacobians, SkeletonValues, AddonManager):
    """Bodies connected by joints, in one or more trees that stand on the world.

    Its answers are computed when they are asked for, kept as long as they hold, and never stale. Positions,
    velocities, and everything about bodies and joints can be changed at any time, by number, name or edit.
    """

    __slots__ = (
        "__weakref__",
        "_addons",
        "_adjacent_body_check",
        "_body_index",
        "_joint_index",
        "_mobile",
        "_renames",
        "_roots",
        "_self_collision_check",
        "name_changed",
        "structure_changed",
    )

    _roots: tuple[BodyNode, ...]
    name_changed: Signal[[BodyNode | Joint | Node, str, str]]
    """Called with a body, joint or node whose name changed, its old name, and its name."""
    structure_changed: Signal[[Skeleton]]
    """Called with this skeleton where bodies or joints came, went or moved."""

    def __init__(
        self, name: str = "skeleton", *, gravity: ArrayLike = EARTH_GRAVITY, time_step: float = 1e-3
    ) -> None:
        """An empty skeleton.

        Args:
            name: of the skeleton.
            gravity: (3,) in world axes [m/s^2].
            time_step: duration of the step for which springs and dampers are implicit [s].

        Raises:
            TypeError, ValueError: naming the argument.
        """
        self.name_changed = Signal()
        self.structure_changed = Signal()
        self._addons = None
        self._renames: list[tuple[BodyNode | Joint | Node, str, str]] = []
        self._bodies = ()
        self._roots = ()
        self._block = gather(())
        self._body_index: dict[str, BodyNode] = {}
        self._joint_index: dict[str, Joint] = {}
        self._tree = None
        self._state = None
        self._cache = {}
        self._dof_index = None
        self._dynamics_version = 0
        self._mobile = True
        self._self_collision_check = False
        self._adjacent_body_check = False
        self._name = checked_name(name)
        self._gravity = frozen_array("gravity", gravity, (3,), "m/s^2")
        self.time_step = time_step

    @classmethod
    def from_description(
        cls, description: RobotDescription, *, gravity: ArrayLike = EARTH_GRAVITY, time_step: float = 1e-3
    ) -> Skeleton:
        """Build what a reader made of a model file, or what was described in code.

        Positions that the limits forbid are moved to the nearest that they allow; the rest positions of
        springs stay.

        Args:
            description: links and joints.
            gravity: (3,) in world axes [m/s^2].
            time_step: duration of the step for which springs and dampers are implicit [s].

        Raises:
            TypeError, ValueError: naming the argument.
        """
        skeleton = cls(description.name, gravity=gravity, time_step=time_step)
        build(skeleton, description)
        return skeleton

    @property
    def name(self) -> str:
        """Name of this skeleton. Can be set."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = checked_name(name)
        self._drop_tree()

    # ---- flags

    @property
    def mobile(self) -> bool:
        """Whether simulation moves this skeleton. Can be set."""
        return self._mobile

    @mobile.setter
    def mobile(self, mobile: bool) -> None:
        self._mobile = bool(mobile)

    @property
    def self_collision_check(self) -> bool:
        """Whether bodies of this skeleton can touch each other. Can be set."""
        return self._self_collision_check

    @self_collision_check.setter
    def self_collision_check(self, check: bool) -> None:
        self._self_collision_check = bool(check)

    @property
    def adjacent_body_check(self) -> bool:
        """Whether a body can touch its parent, where bodies can touch each other. Can be set."""
        return self._adjacent_body_check

    @adjacent_body_check.setter
    def adjacent_body_check(self, check: bool) -> None:
        self._adjacent_body_check = bool(check)

    # ---- parts

    @property
    def bodies(self) -> tuple[BodyNode, ...]:
        """All bodies, depth first."""
        return self._bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints; joint i carries body i."""
        return tuple(body._joint for body in self._bodies)

    @property
    def num_bodies(self) -> int:
        """Number of bodies."""
        return len(self._bodies)

    @property
    def num_joints(self) -> int:
        """Number of joints, that of the bodies."""
        return len(self._bodies)

    @property
    def num_trees(self) -> int:
        """Number of trees on the world."""
        return len(self._roots)

    @property
    def root_bodies(self) -> tuple[BodyNode, ...]:
        """The bodies whose joints are attached to the world."""
        return self._roots

    def tree_bodies(self, index: int) -> tuple[BodyNode, ...]:
        """All bodies of one tree. Raises IndexError."""
        return self._roots[checked_index("tree", index, len(self._roots))].subtree()

    def body(self, key: str | int) -> BodyNode:
        """A body by name or index. Raises UnknownNameError, naming the nearest ones, or IndexError."""
        if isinstance(key, str):
            if key not in self._body_index:
                raise UnknownNameError("body", key, self._body_index, self._name)
            return self._body_index[key]
        return self._bodies[checked_index("body", key, len(self._bodies))]

    def joint(self, key: str | int) -> Joint:
        """A joint by name or index. Raises UnknownNameError, naming the nearest ones, or IndexError."""
        if isinstance(key, str):
            if key not in self._joint_index:
                raise UnknownNameError("joint", key, self._joint_index, self._name)
            return self._joint_index[key]
        return self._bodies[checked_index("joint", key, len(self._bodies))]._joint

    def has_body(self, name: str) -> bool:
        """Whether there is a body of this name."""
        return name in self._body_index

    def has_joint(self, name: str) -> bool:
        """Whether there is a joint of this name."""
        return name in self._joint_index

    def has_dof(self, name: str) -> bool:
        """Whether there is a degree of freedom of this name."""
        return name in self._dofs_by_name()

    @overload
    def nodes(self) -> tuple[Node, ...]: ...
    @overload
    def nodes(self, kind: type[N]) -> tuple[N, ...]: ...
    def nodes(self, kind: type[Node] = Node) -> tuple[Node, ...]:
        """The nodes of a type (and those that derive from it) on all bodies, body by body."""
        return tuple(node for body in self._bodies for node in body._nodes if isinstance(node, kind))

    def node(self, kind: type[N], name: str) -> N:
        """The node of a type and name. Raises UnknownNameError, naming the nearest ones."""
        nodes = {node.name: node for node in self.nodes(kind)}
        if name not in nodes:
            raise UnknownNameError(kind.__name__, name, nodes, self._name)
        return nodes[name]

    def end_effector(self, name: str) -> EndEffector:
        """The end effector of this name. Raises UnknownNameError, naming the nearest ones."""
        return self.node(EndEffector, name)

    # ---- building

    def add_body(
        self,
        name: str,
        parent: BodyNode | None = None,
        joint: Joint | None = None,
        *,
        inertia: Inertia | None = _UNIT_INERTIA,
    ) -> BodyNode:
        """Add a body and the joint that carries it.

        Args:
            name: unique among the bodies.
            parent: the body that it is attached to; None: the world.
            joint: a fresh joint; None: a free joint.
            inertia: mass, center of mass, moment; None: massless.

        Returns:
            The body.

        Raises:
            NameTakenError: a body, joint or dof of this skeleton has the name.
            EditError: `joint` is in use, or `parent` belongs to another skeleton.
            RemovedError: `joint` or `parent` was removed.
            TypeError, ValueError: naming the argument.
        """
        checked_name(name)
        if parent is not None:
            editing.check_parent(parent, self)
        carrying = FreeJoint() if joint is None else joint
        editing.check_fresh(carrying)
        self._refuse_new(name, carrying)
        refuse_impossible(inertia)
        body = self._new_body(name, carrying)
        body._write_inertia(inertia)
        editing.attach_new(self, body, parent)
        return body

    def _new_body(self, name: str, joint: Joint) -> BodyNode:
        body = BodyNode(name, joint)
        joint._take(body)
        if joint._name is None:
            joint._name = f"{name}_joint"
        return body

    def _refuse_new(self, name: str, joint: Joint) -> None:
        if name in self._body_index:
            raise NameTakenError("body", name, self._name)
        joint_name = f"{name}_joint" if joint._name is None else joint._name
        if joint_name in self._joint_index:
            raise NameTakenError("joint", joint_name, self._name)
        self._refuse_taken_dof_names(joint, joint._dof_names_under(joint_name))

    def clone(self, name: str | None = None) -> Skeleton:
        """A copy with all bodies, joints, nodes, addons and numbers; `name` None: this one's name."""
        copy = self._like(self._name if name is None else name)
        editing.clone_into(self, copy)
        copy._copy_addons_from(self)
        return copy

    def _like(self, name: str) -> Skeleton:
        """An empty skeleton with the same settings."""
        like = type(self)(name, gravity=self._gravity, time_step=self._time_step)
        like._mobile = self._mobile
        like._self_collision_check = self._self_collision_check
        like._adjacent_body_check = self._adjacent_body_check
        return like

    # ---- names and numbers of parts, kept by edits

    def _adopt(self, bodies: Iterable[BodyNode]) -> None:
        """Bodies come in; names that are taken are changed."""
        came = tuple(bodies)
        joint_names: dict[str, str] = {}
        for body in came:
            body._skeleton = self
            body._name = self._free_name(body, body._name, self._body_index)
            self._body_index[body._name] = body
            old = body._joint.name
            self._name_joint(body._joint)
            joint_names[old] = body._joint.name
        for body in came:
            body._joint._follow_mimic(joint_names)
        self._free_node_names([node for body in came for node in body._nodes])

    def _name_joint(self, joint: Joint) -> None:
        """A joint comes in; its names that are taken are changed."""
        dofs = self._dofs_by_name()
        joint._name = self._free_name(joint, joint.name, self._joint_index)
        self._joint_index[joint._name] = joint
        names = joint.dof_names
        if any(name in dofs for name in names):
            names = joint._dof_names = _all_free(names, dofs)
        dofs.update(dict.fromkeys(names, joint))

    def _free_name(self, part: BodyNode | Joint | Node, name: str, taken: Container[str]) -> str:
        free = first_free(name, taken)
        if free != name:
            self._renames.append((part, name, free))
        return free

    def _free_node_names(self, nodes: list[Node]) -> None:
        """Nodes come in."""
        taken = {kind: self._node_names(kind) for kind in {type(node): None for node in nodes}}
        for node in nodes:
            node._node_name = self._free_name(node, node._node_name, taken[type(node)])
            taken[type(node)].add(node._node_name)

    def _disown(self, bodies: Iterable[BodyNode]) -> None:
        """Bodies go out."""
        gone = set(map(id, bodies))
        self._body_index = {name: body for name, body in self._body_index.items() if id(body) not in gone}
        self._joint_index = {
            name: joint for name, joint in self._joint_index.items() if id(joint._body) not in gone
        }
        for body in bodies:
            body._skeleton = None
            body._follow(None, -1)
        self._bodies = tuple(body for body in self._bodies if id(body) not in gone)
        self._dof_index = None

    def _forget_joint(self, joint: Joint) -> None:
        dofs = self._dofs_by_name()
        del self._joint_index[joint.name]
        for name in joint.dof_names:
            del dofs[name]

    def _insert(self, body: BodyNode, index: int) -> None:
        """Number a body that was just made, and those that stand behind it from now on."""
        joint = body._joint
        rest = self._bodies[index:]
        first = rest[0]._joint._first if rest else self.num_dofs
        self._drop_numbering()
        self._block.insert(index, first, joint._home())
        self._bodies = (*self._bodies[:index], body, *rest)
        self._place((body, *rest), index, first)
        self._drop_numbering()  # again: another thread may have asked meanwhile

    def _drop_numbering(self) -> None:
        """Bodies or dofs get other numbers; names stay."""
        dofs = self._dof_index
        self._drop_tree()
        self._dof_index = dofs

    def _renumber(self) -> None:
        """Number bodies and dofs anew, and gather their numbers in that order."""
        self._drop_numbering()
        bodies = tuple(editing.depth_first(self._roots))
        joints = [body._joint for body in bodies]
        self._block = gather(
            [Place(joint._home(), joint._row, joint._first, joint.num_dofs) for joint in joints]
        )
        self._bodies = bodies
        self._place(bodies, 0, 0)
        self._drop_numbering()  # again: another thread may have asked meanwhile

    def _announce(self) -> None:
        """Tell what an edit changed, once all of it is done."""
        renames, self._renames = self._renames, []
        for part, old, new in renames:
            self.name_changed.emit(part, old, new)
        self.structure_changed.emit(self)

    def _take_over(self, source: Skeleton, bodies: list[BodyNode], block: Block) -> None:
        """Be a copy of another skeleton, made of bodies that were copied from it one by one."""
        self._bodies = tuple(bodies)
        self._block = block
        self._roots = tuple(body for body in bodies if body._parent_body is None)
        self._body_index = {body._name: body for body in bodies}
        self._joint_index = {body._joint.name: body._joint for body in bodies}
        if source._name == self._name:
            self._tree = shareable_tree(source._tree)

    def _place(self, bodies: tuple[BodyNode, ...], index: int, first: int) -> None:
        """Tell bodies where they stand: one after the other from an index and a dof on."""
        for row, body in enumerate(bodies, index):
            joint = body._joint
            body._index = row
            joint._block, joint._row, joint._first = self._block, row, first
            first += joint.num_dofs

    def _rename_body(self, body: BodyNode, name: str) -> None:
        if checked_name(name) == body._name:
            return
        if name in self._body_index:
            raise NameTakenError("body", name, self._name)
        old, body._name = body._name, name
        self._body_index = {b._name: b for b in self._bodies}
        self._drop_tree()
        self.name_changed.emit(body, old, name)

    def _rename_joint(self, joint: Joint, name: str) -> None:
        if checked_name(name) == joint._name:
            return
        if name in self._joint_index:
            raise NameTakenError("joint", name, self._name)
        self._refuse_taken_dof_names(joint, joint._dof_names_under(name))
        old, joint._name = joint.name, name
        self._joint_index = {b._joint.name: b._joint for b in self._bodies}
        for body in self._bodies:
            body._joint._follow_mimic({old: name})
        self._drop_tree()
        self.name_changed.emit(joint, old, name)

    def _refuse_taken_dof_names(self, joint: Joint, names: Iterable[str]) -> None:
        dofs = self._dofs_by_name()
        for name in names:
            if name in dofs and dofs[name] is not joint:
                raise NameTakenError("dof", name, self._name)

    def _node_names(self, kind: type[Node]) -> set[str]:
        return {node.name for body in self._bodies for node in body._nodes if type(node) is kind}

    def __repr__(self) -> str:
        return f"<Skeleton {self._name!r}: {self.num_bodies} bodies, {self.num_dofs} dofs>"


def _all_free(names: Iterable[str], taken: Container[str]) -> tuple[str, ...]:
    """Each name itself or with a number, different from all that are taken and from each other."""
    free: dict[str, None] = {}
    for name in names:
        free[next(other for other in candidates(name) if other not in taken and other not in free)] = None
    return tuple(free)
