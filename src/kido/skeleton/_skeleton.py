"""A skeleton: bodies and joints that can be asked, moved, edited and copied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar, overload

import numpy as np

from kido import _core
from kido.description import Inertia, JointType, RobotDescription
from kido.errors import EditError, UnknownNameError
from kido.frame import Frame
from kido.skeleton import _editing as editing
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._compile import Names, compile_tree, tree_rows
from kido.skeleton._answers._quantity import undisturbed
from kido.skeleton._answers._soft_points import SoftCache
from kido.skeleton._body import BodyNode
from kido.skeleton._build import build
from kido.skeleton._data import gather
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._frame_names import named_frame
from kido.skeleton._joints._joint import Joint
from kido.skeleton._mimic import JointMimic, Mimics
from kido.skeleton._names import checked_index
from kido.skeleton._nodes._node import Node, node_named, nodes_of
from kido.skeleton._nodes._shipped_nodes import EndEffector
from kido.skeleton._notebook import notebook_pictures
from kido.skeleton._rigid_body import refuse_impossible
from kido.skeleton._signal import Signal
from kido.skeleton._skeleton_answers import SkeletonAnswers
from kido.skeleton._skeleton_impulses import SkeletonImpulses
from kido.skeleton._skeleton_settings import checked_gravity, checked_step
from kido.skeleton._structure import Structure
from kido.skeleton._unhonoured import unhonoured
from kido.skeleton._values._own_content import own_attributes
from kido.skeleton._values._values import SkeletonValues
from kido.tree import EARTH_GRAVITY, Summary, Tree, summarize
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.values import checked_name, checked_part, register

__all__ = ["Skeleton"]

N = TypeVar("N", bound=Node)

_UNIT_INERTIA = Inertia(1.0, (0.0, 0.0, 0.0), np.eye(3))


@register
class Skeleton(SkeletonAnswers, SkeletonImpulses, SkeletonValues):
    """Bodies connected by joints, in one or more trees that stand on the world.

    Its answers are computed when they are asked for, kept as long as they hold, and never stale. Positions,
    velocities, and everything about bodies and joints can be changed at any time, by number, name or edit.

    A class of your own may derive from it. Copies and parts that are split off are made without calling its
    constructor; they have its attributes, shared with the original; deep copies and pickles have their own.
    """

    __slots__ = (
        "__weakref__",
        "_addons",
        "_answers",
        "_name_changed",
        "_structure",
        "_structure_changed",
    )

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
        self._start(name, gravity, time_step)

    def _start(self, name: str, gravity: ArrayLike, time_step: float) -> None:
        self._name_changed: Signal[[BodyNode | Joint | Node, str, str]] = Signal()
        self._structure_changed: Signal[[Skeleton]] = Signal()
        self._addons = None
        self._diagnostics = ()
        self._mobile = True
        self._self_collision_check = False
        self._adjacent_body_check = False
        self._name = checked_name("name", name)
        self._answers = Answers(
            gather(()),
            checked_gravity(gravity),
            checked_step(time_step),
            self._compile,
            self._refuse_change,
        )
        self._structure = Structure(self, self._answers)
        self._mimics = Mimics(self._answers, self._joint_mimics)

    @classmethod
    def from_description(
        cls,
        description: RobotDescription,
        *,
        gravity: ArrayLike = EARTH_GRAVITY,
        time_step: float = 1e-3,
        mimic: bool = True,
    ) -> Skeleton:
        """Build what a reader made of a model file, or what was described in code.

        Positions that the limits forbid are moved to the nearest that they allow; the rest positions of
        springs stay.

        Args:
            description: links and joints.
            gravity: (3,) in world axes [m/s^2].
            time_step: duration of the step for which springs and dampers are implicit [s].
            mimic: whether mimic joints follow their leaders: `mimic_enforced` of the skeleton.

        Raises:
            EditError: joints cannot follow each other as their mimics say.
            TypeError, ValueError: naming the argument.
        """
        checked_part("description", RobotDescription, description)
        skeleton = cls(description.name, gravity=gravity, time_step=time_step)
        build(skeleton, description)
        skeleton._diagnostics = (*description.diagnostics, *unhonoured(description))
        skeleton.mimic_enforced = mimic
        return skeleton

    # ---- signals

    @property
    def name_changed(self) -> Signal[[BodyNode | Joint | Node, str, str]]:
        """Called with a body, joint or node whose name changed, its old name, and its name."""
        return self._name_changed

    @property
    def structure_changed(self) -> Signal[[Skeleton]]:
        """Called with this skeleton where bodies or joints came, went or moved."""
        return self._structure_changed

    # ---- parts

    @property
    def bodies(self) -> tuple[BodyNode, ...]:
        """All bodies, depth first."""
        return self._structure.bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints; joint i carries body i."""
        return tuple(body._joint for body in self._structure.bodies)

    @property
    def num_bodies(self) -> int:
        """Number of bodies."""
        return len(self._structure.bodies)

    @property
    def num_joints(self) -> int:
        """Number of joints, that of the bodies."""
        return len(self._structure.bodies)

    @property
    def num_trees(self) -> int:
        """Number of trees on the world."""
        return len(self._structure.roots)

    @property
    def root_bodies(self) -> tuple[BodyNode, ...]:
        """The bodies whose joints are attached to the world."""
        return self._structure.roots

    def tree_bodies(self, index: int) -> tuple[BodyNode, ...]:
        """All bodies of one tree. Raises IndexError."""
        return self._structure.roots[checked_index("tree", index, len(self._structure.roots))].subtree()

    def body(self, key: str | int) -> BodyNode:
        """A body by name or index. Raises UnknownNameError, naming the nearest ones, or IndexError."""
        if isinstance(key, str):
            if key not in self._structure.body_index:
                raise UnknownNameError("body", key, self._structure.body_index, self._name)
            return self._structure.body_index[key]
        return self._structure.bodies[checked_index("body", key, len(self._structure.bodies))]

    def joint(self, key: str | int) -> Joint:
        """A joint by name or index. Raises UnknownNameError, naming the nearest ones, or IndexError."""
        if isinstance(key, str):
            if key not in self._structure.joint_index:
                raise UnknownNameError("joint", key, self._structure.joint_index, self._name)
            return self._structure.joint_index[key]
        return self._structure.bodies[checked_index("joint", key, len(self._structure.bodies))]._joint

    def has_body(self, name: str) -> bool:
        """Whether there is a body of this name."""
        return name in self._structure.body_index

    def has_joint(self, name: str) -> bool:
        """Whether there is a joint of this name."""
        return name in self._structure.joint_index

    def has_dof(self, name: str) -> bool:
        """Whether there is a degree of freedom of this name."""
        return name in self._structure.dof_index

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """All degrees of freedom, in the order of `positions`."""
        return tuple(dof for body in self._structure.bodies for dof in body._joint.dofs)

    def dof(self, key: str | int) -> DegreeOfFreedom:
        """A degree of freedom by name or index. Raises UnknownNameError, naming the nearest ones, or
        IndexError."""
        if isinstance(key, str):
            index = self._structure.dof_index
            if key not in index:
                raise UnknownNameError("dof", key, index, self._name)
            return index[key].dof(key)
        return self.dofs[checked_index("dof", key, self.num_dofs)]

    @overload
    def nodes(self) -> tuple[Node, ...]: ...
    @overload
    def nodes(self, kind: type[N]) -> tuple[N, ...]: ...
    def nodes(self, kind: type[Node] = Node) -> tuple[Node, ...]:
        """The nodes of a type (and those that derive from it) on all bodies, body by body."""
        return tuple(nodes_of(kind, self._structure.bodies))

    def node(self, kind: type[N], name: str) -> N:
        """The node of a type and name.

        Raises UnknownNameError, naming the nearest ones, ValueError where nodes of several types that derive
        from it have the name, and TypeError for what is no type.
        """
        return node_named(kind, name, self._structure.bodies, self._name)

    def end_effector(self, name: str) -> EndEffector:
        """The end effector of this name. Raises UnknownNameError, naming the nearest ones."""
        return self.node(EndEffector, name)

    # ---- state

    @property
    def tree(self) -> Tree:
        """This skeleton compiled: immutable, for any batch of states. Another one after an edit."""
        return self._answers.ready_tree()

    def compute_forward_kinematics(self) -> None:
        """Compute positions, velocities and accelerations of all bodies now, and not when they are asked
        for."""
        self._answers.ready()
        for body in self._structure.bodies:
            if not body._bodies:
                body.linear_acceleration()

    # ---- support

    @property
    def support_points(self) -> FloatArray:
        """Corners (k, 3) of all active supports of end effectors, in world coordinates [m]."""
        points = [np.zeros((0, 3))]
        for node in self.nodes(EndEffector):
            if node.support is not None and node.support.active:
                T = node.transform()
                points.append(node.support.geometry @ T[:3, :3].T + T[:3, 3])
        return read_only(np.concatenate(points))

    # ---- impulses and wrenches on a body

    @undisturbed
    def impulse_response(
        self, body: BodyNode | str, impulse: ArrayLike, offset: ArrayLike | None = None
    ) -> FloatArray:
        """Changes of velocity (num_dofs,) that an impulse on a body gives; kinematic joints do not yield.

        Args:
            body: of this skeleton, or its name.
            impulse: (6,) about the point, in body axes [N m s, N s].
            offset: the point, in body coordinates (3,) [m]; None is the origin.

        Returns:
            (num_dofs,) [rad/s, m/s].

        Raises:
            UnknownNameError: no body of that name.
            TypeError, ValueError: naming the argument.
            SingularMassError: a joint that yields moves no mass.
        """
        moved = self._own_body(body)
        wrench = frozen_array("impulse", impulse, (6,), "N m s, N s")
        generalized = np.zeros(self.num_dofs)
        generalized[moved.dependent_dof_indices] = moved.jacobian(offset).T @ wrench
        return self.velocity_changes(generalized)

    @undisturbed
    def transmitted_wrench(self, body: BodyNode | str) -> FloatArray:
        """The wrench (6,) that a body's parent joint applies on it, about its origin, in its axes [N m, N].

        Args:
            body: of this skeleton, or its name.

        Raises:
            UnknownNameError: no body of that name.
            TypeError, RemovedError, ValueError: it is not a body of this skeleton.
        """
        return np.array(self.transmitted_wrenches[self._own_body(body).index])

    def _own_body(self, body: BodyNode | str) -> BodyNode:
        if isinstance(body, str):
            return self.body(body)
        if not isinstance(body, BodyNode):
            raise TypeError(f"body: expected a BodyNode, got {type(body).__name__}")
        if body.skeleton is not self:
            raise ValueError(f"body: {body.name!r} belongs to {body.skeleton.name!r}, not to {self._name!r}")
        return body

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
        checked_name("name", name)
        _checked_parent(parent, self)
        carrying = Joint._of_type(JointType.FREE)() if joint is None else joint
        editing.check_fresh(carrying)
        self._structure.refuse_new(name, carrying)
        refuse_impossible(inertia)
        body = self._new_body(name, carrying)
        body._write_inertia(inertia)
        editing.attach_new(self._structure, body, parent)
        return body

    def _dofs_by_name(self) -> dict[str, Joint]:
        return self._structure.dof_index

    def _index_of_dof(self, name: str) -> int:
        return self.dof(name).index

    def _drop_tree(self) -> None:
        self._structure.drop()

    def _attach_all(self, pairs: Iterable[tuple[BodyNode, BodyNode | None]]) -> None:
        editing.attach_all(self._structure, pairs)

    def _new_body(self, name: str, joint: Joint) -> BodyNode:
        body = BodyNode(name, joint)
        joint._take(body)
        joint._name = joint._name_on(name)
        return body

    @undisturbed
    def clone(self, name: str | None = None) -> Skeleton:
        """A copy with all bodies, joints, nodes, addons and numbers; `name` None: this one's name."""
        copy = self._empty_like(self._name if name is None else name)
        editing.clone_into(self._structure, copy._structure, copy, self._answers.data.share())
        if copy._name == self._name:
            copy._answers.tree = self._answers.tree
        copy._copy_addons_from(self)
        copy._diagnostics = self._diagnostics
        return copy

    def _empty_like(self, name: str) -> Skeleton:
        """An empty skeleton with the same settings, and with what a class of the user's own keeps, whose
        constructor is not called."""
        like = type(self).__new__(type(self))
        like._start(name, self.gravity, self.time_step)
        for attribute, value in own_attributes(self).items():
            setattr(like, attribute, value)
        like._keep_flags(self._mobile, self._self_collision_check, self._adjacent_body_check)
        like._mimics.enforced = self._mimics.enforced
        return like

    def _target(self, parent: BodyNode | None, skeleton: Skeleton | None) -> Skeleton:
        """The skeleton of a body that is attached to a parent, or to the world of a skeleton."""
        if skeleton is not None and not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeleton: expected a Skeleton or None, got {type(skeleton).__name__}")
        checked = _checked_parent(parent, skeleton)
        if checked is not None:
            return checked.skeleton
        return self if skeleton is None else skeleton

    # ---- what is compiled

    def _joint_mimics(self) -> Iterable[JointMimic]:
        """All joints; none where nobody follows another."""
        bodies = self._structure.bodies
        if all([body._joint._mimic is None for body in bodies]):
            return ()
        return [body._joint._as_mimic() for body in bodies]

    def _refuse_commands(self, values: ArrayLike) -> None:
        idle = self._answers.data.idle
        if idle is None:
            return  # what they are is checked where they are written
        array = frozen_array("commands", values, (self.num_dofs,), "by actuator")
        if not array[idle].any():
            return
        for body in self._structure.bodies:
            body._joint._refuse_commands(array[body._joint._slice()])

    def _compile(self, present: Tree | None) -> _core.State:
        answers, bodies = self._answers, self._structure.bodies
        edits, numbers = answers.edits, answers.data.state
        softs = tuple((index, body._points()) for index, body in enumerate(bodies) if body._is_soft)
        cache: dict[str, tuple[int, Any]] = SoftCache(softs) if softs else {}
        answers.cache, answers.softs = cache, softs
        joints = [body._joint for body in bodies]
        users = tuple(functions for joint in joints if (functions := joint._functions()) is not None)

        def is_changed() -> bool:
            return answers.cache is not cache or answers.edits != edits or edits & 1 == 1

        try:
            tree, state = compile_tree(answers, present, name=self._name, names=self._names(), users=users)
            self._mimics.install(state)
            for index, body in enumerate(bodies):
                body._follow(state, index)
            if not is_changed():
                answers.keep(tree, state, numbers)
        except EditError:
            raise
        except (ValueError, IndexError):  # names and numbers are not of one structure
            self._refuse_change()
        if is_changed():  # once more: since it was kept
            for body in bodies:
                body._follow(None, -1)
            self._refuse_change()
        return state

    def _names(self) -> Names:
        joints = self.joints
        return Names(
            tuple(body._name for body in self._structure.bodies),
            tuple(joint.name for joint in joints),
            tuple(name for joint in joints for name in joint.dof_names),
        )

    def _named_frame(self, argument: str, frame: object) -> Frame:
        return named_frame(argument, frame, (self._structure,), self._name)

    def _refuse_change(self, structure: bool = True) -> NoReturn:
        """The skeleton, or only its motion, changed while it was asked: drop what was compiled of it."""
        if structure:
            self._mimics.forget()
            self._structure.drop()
        raise self._changed_meanwhile()

    def _changed_meanwhile(self) -> EditError:
        return EditError(
            f"{self._name!r} was changed while it was asked, by a function of a user joint or another "
            "thread: keep other threads away while a skeleton is edited, or give each a clone"
        )

    @undisturbed
    def summary(self) -> Summary:
        """Bodies, joints with their limits, degrees of freedom, mass [kg], and `diagnostics`, as tables.

        `print(skeleton.summary())` shows them; a notebook does so for the skeleton itself. It is a value: it
        does not follow what changes later.
        """
        rows = tree_rows(self._answers.data, self._names())
        return summarize(self._name, rows, self._diagnostics, (joint.mimic for joint in self.joints))

    def _repr_png_(self) -> bytes | None:
        return notebook_pictures.png(self)

    def _repr_html_(self) -> str:
        return notebook_pictures.html(self) + self.summary()._repr_html_()

    def __repr__(self) -> str:
        return f"<Skeleton {self._name!r}: {self.num_bodies} bodies, {self.num_dofs} dofs>"


def _checked_parent(parent: BodyNode | None, skeleton: Skeleton | None) -> BodyNode | None:
    """Raises TypeError, RemovedError or EditError where `parent` is no body of `skeleton`; None: of any."""
    if parent is None:
        return None
    if not isinstance(parent, BodyNode):
        raise TypeError(f"parent: expected a BodyNode or None, got {type(parent).__name__}")
    if skeleton is not None and parent.skeleton is not skeleton:
        raise EditError(
            f"parent: {parent.name!r} belongs to {parent.skeleton.name!r}, not to {skeleton.name!r}"
        )
    parent.skeleton  # noqa: B018 - raises where there is none
    return parent
