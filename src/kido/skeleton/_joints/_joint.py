"""Joints: how a body moves relative to its parent, and what drives, brakes and limits it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, SupportsIndex, TypedDict, TypeVar

import numpy as np

from kido import _core
from kido.description import Coordinate, JointDescription, JointType, Mimic
from kido.errors import EditError, RemovedError, UnknownNameError
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._quantity import undisturbed
from kido.skeleton._data import (
    ACTUATOR,
    COMMAND,
    LIMITS_ENFORCED,
    SkeletonData,
)
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._joints._actuator import ACTUATORS, ActuatorType
from kido.skeleton._joints._joint_kind import JointKind, joint_class
from kido.skeleton._names import checked_index
from kido.tree import USER_TYPE, JointMotion, type_code
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array, read_only
from kido.values import checked_flag, checked_items, checked_member, checked_name

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from kido.skeleton._body import BodyNode
    from kido.skeleton._skeleton import Skeleton

__all__ = ["Joint", "JointOptions"]

J = TypeVar("J", bound="Joint")


class JointOptions(TypedDict, total=False):
    """Options that every joint can be made with; each is an attribute of the joint, which says more."""

    T_parent_joint: TransformLike
    T_child_joint: TransformLike
    positions: ArrayLike
    velocities: ArrayLike
    position_lower_limits: ArrayLike
    position_upper_limits: ArrayLike
    velocity_lower_limits: ArrayLike
    velocity_upper_limits: ArrayLike
    acceleration_lower_limits: ArrayLike
    acceleration_upper_limits: ArrayLike
    force_lower_limits: ArrayLike
    force_upper_limits: ArrayLike
    initial_positions: ArrayLike
    initial_velocities: ArrayLike
    rest_positions: ArrayLike
    spring_stiffness: ArrayLike
    damping: ArrayLike
    coulomb_friction: ArrayLike
    armature: ArrayLike
    limit_stiffness: ArrayLike
    limit_damping: ArrayLike
    limit_frequency: ArrayLike
    limit_damping_ratio: ArrayLike
    actuator: ActuatorType | str
    limits_enforced: bool
    mimic: Mimic | None
    dof_names: tuple[str, ...]


class Joint(JointKind):
    """Base of all joints. A joint carries one body, `child_body`, and is made before it, for `add_body` or an
    edit.

    The pose of the child in its parent is T_parent_joint @ T(q) @ inverse(T_child_joint), T(q) being the
    motion of the joint's type. Every property can be changed at any time, and everything that depends on it
    follows.
    """

    __slots__ = (
        "__weakref__",
        "_addons",
        "_body",
        "_dof_names",
        "_mimic",
        "_name",
    )

    _body: BodyNode | None

    @classmethod
    def _of_type(cls, joint_type: JointType) -> type[Joint]:
        """The class of the joints of a type."""
        found = joint_class(joint_type)
        assert issubclass(found, Joint)
        return found

    @classmethod
    def _described(cls, name: str, part: JointDescription) -> Self:
        """A joint by itself that moves as a description says: with its axes, pitch or Euler order."""
        return cls(name)

    def __init__(self, name: str | None = None, **options: Unpack[JointOptions]) -> None:
        """A joint by itself; `name` None: the child body's name with "_joint" added.

        Raises TypeError or ValueError, naming the option.
        """
        if type(self) is Joint:
            raise TypeError("Joint is the base of the joints: make one of a type, as RevoluteJoint")
        self._name = None if name is None else checked_name("name", name)
        self._body = None
        self._data = SkeletonData.default(
            self.num_dofs, USER_TYPE if self.type is None else type_code(self.type)
        )
        self._first = 0
        self._row = 0
        self._dof_names: tuple[str, ...] | None = None
        self._mimic: Mimic | None = None
        self._addons = None
        self.apply_options(options)

    def apply_options(self, options: JointOptions) -> None:
        """Set attributes by name, all or none. Raises TypeError for an unknown one, or what one raises."""
        for option in options:
            if option not in JointOptions.__annotations__:
                raise TypeError(f"{type(self).__name__}: unknown option {option!r}")
        if self._body is not None:
            trial = self.copy()
            trial._set_each(options)
            after = trial._as_mimic()._replace(name=self.name, first=self._first)
            self.skeleton._structure.refuse_mimics((after,), {self.name})
            if "dof_names" in options:
                self.skeleton._structure.refuse_taken_dof_names(self, options["dof_names"])
        self._set_each(options)

    def _set_each(self, options: JointOptions) -> None:
        for option, value in options.items():
            setattr(self, option, value)

    # ---- place in the skeleton

    @property
    def name(self) -> str:
        """Name, unique in the skeleton. Set: dof names that follow it change too; raises NameTakenError."""
        return "joint" if self._name is None else self._name

    @name.setter
    def name(self, name: str) -> None:
        self._home()
        if self._body is not None:
            self.skeleton._structure.rename_joint(self, name)
        else:
            self._name = checked_name("name", name)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that this joint belongs to. Raises RemovedError where there is none."""
        if self._body is None:
            raise RemovedError("joint", self.name)
        return self._body.skeleton

    @property
    def child_body(self) -> BodyNode:
        """The body that this joint carries. Raises RemovedError where there is none."""
        if self._body is None:
            raise RemovedError("joint", self.name)
        return self._body

    @property
    def parent_body(self) -> BodyNode | None:
        """The body that this joint is attached to; None where that is the world."""
        return self.child_body.parent_body

    @property
    def index(self) -> int:
        """Index among the joints of the skeleton, that of the child body among the bodies."""
        return self.child_body.index

    @property
    def dof_indices(self) -> range:
        """Indices of this joint's dofs among those of the skeleton."""
        self.child_body.index  # noqa: B018 - raises where there is no skeleton
        return range(self._first, self._first + self.num_dofs)

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The degrees of freedom."""
        return tuple(DegreeOfFreedom(self, index) for index in range(self.num_dofs))

    def dof(self, key: int | str) -> DegreeOfFreedom:
        """A degree of freedom by its index in this joint or its name. Raises UnknownNameError or
        IndexError."""
        if isinstance(key, str):
            if key not in self.dof_names:
                raise UnknownNameError("dof", key, self.dof_names, self.name)
            return DegreeOfFreedom(self, self.dof_names.index(key))
        return DegreeOfFreedom(self, checked_index("dof", key, self.num_dofs))

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the dofs, unique in the skeleton: those that were set, else made of the joint's name.

        Raises, when set, ValueError for another number and NameTakenError.
        """
        return self._dof_names_under(self.name)

    @dof_names.setter
    def dof_names(self, names: tuple[str, ...]) -> None:
        self._home()
        if isinstance(names, str):
            raise TypeError(f"dof_names: expected {self.num_dofs} different names, got {names!r}")
        given = checked_items("dof_names", object, names)
        names = tuple(checked_name("dof_names", name) for name in given)
        if len(names) != self.num_dofs or len(set(names)) != len(names):
            raise ValueError(f"dof_names: expected {self.num_dofs} different names, got {names}")
        if self._body is not None:
            self.skeleton._structure.refuse_taken_dof_names(self, names)
        self._dof_names = names
        self._structure_changed()

    def _name_on(self, body_name: str) -> str:
        """The name where the joint carries a body of that name."""
        return f"{body_name}_joint" if self._name is None else self._name

    def _dof_names_under(self, name: str) -> tuple[str, ...]:
        """The names of the dofs where the joint's name is `name`."""
        return self._default_dof_names(name) if self._dof_names is None else self._dof_names

    def _default_dof_names(self, name: str) -> tuple[str, ...]:
        assert self.type is not None
        return self.type.spec.dof_names(name, self._euler_order())

    def _follow_mimic(self, joint_names: Mapping[str, str]) -> None:
        """Joints were renamed, from old to new names."""
        if self._mimic is not None and self._mimic.joint in joint_names:
            self._mimic = replace(self._mimic, joint=joint_names[self._mimic.joint])

    def _start_blank(self, name: str) -> None:
        Joint.__init__(self, name)

    def _keep(self, dof_names: tuple[str, ...] | None, mimic: Mimic | None) -> None:
        self._dof_names = dof_names
        self._mimic = mimic

    def _euler_order(self) -> str:
        return "xyz"

    # ---- drive

    @property
    def actuator(self) -> ActuatorType:
        """Meaning of the commands. Set: a type or its name; commands are zeroed where the new type takes
        none."""
        return self._actuator

    @actuator.setter
    def actuator(self, actuator: ActuatorType | str) -> None:
        self._home()
        chosen = checked_member("actuator", ActuatorType, actuator)
        before = self._code(ACTUATOR)
        self._write_code(ACTUATOR, ACTUATORS.index(chosen))
        try:
            self._mimic_changed()
        except EditError:
            self._write_code(ACTUATOR, before)
            raise
        if not self._actuator.takes_commands:
            self._write_state("commands", COMMAND, np.zeros(self.num_dofs))
        self._dynamics_changed()

    @property
    def is_kinematic(self) -> bool:
        """Whether the actuator prescribes the motion."""
        return self.actuator.is_kinematic

    @property
    def limits_enforced(self) -> bool:
        """Whether simulation keeps the position and velocity limits.

        Inverse kinematics keeps those of positions as long as they are finite.
        """
        return bool(self._code(LIMITS_ENFORCED))

    @limits_enforced.setter
    def limits_enforced(self, enforced: bool) -> None:
        self._write_code(LIMITS_ENFORCED, checked_flag("limits_enforced", enforced))
        self._dynamics_changed()

    @property
    def mimic(self) -> Mimic | None:
        """The joint that this one follows, with multiplier and offset; used where the actuator is `mimic`."""
        self._home()
        return self._mimic

    @mimic.setter
    def mimic(self, mimic: Mimic | None) -> None:
        self._home()
        if mimic is not None and not isinstance(mimic, Mimic):
            raise TypeError(f"mimic: expected a Mimic or None, got {type(mimic).__name__}")
        before, self._mimic = self._mimic, mimic
        try:
            self._mimic_changed()
        except EditError:
            self._mimic = before
            raise
        self._dynamics_changed()

    def _functions(self) -> JointMotion | None:
        """The functions that give the motion of a joint of the user's own; None for other joints."""
        return None

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Meaning of each position: an angle, a length, a component of a rotation vector."""
        return (Coordinate.USER,) * self.num_dofs if self.type is None else self.type.spec.coordinates

    def is_cyclic(self, index: int) -> bool:
        """Whether a full turn of dof number `index` leads back, and no limit is in the way."""
        self._home()
        dof = checked_index("dof", index, self.num_dofs)
        group = () if self.type is None else self.type.spec.cyclic_group(dof)
        return bool(group) and not any(self.has_position_limit(i) for i in group)

    def problems(self) -> Iterator[str]:
        """Doubts: initial positions or velocities beyond the limits."""
        for noun, initial, lower, upper in (
            ("position", self.initial_positions, self.position_lower_limits, self.position_upper_limits),
            ("velocity", self.initial_velocities, self.velocity_lower_limits, self.velocity_upper_limits),
        ):
            for name, x, low, high in zip(self.dof_names, initial, lower, upper, strict=True):
                if not low <= x <= high:
                    yield f"initial {noun} of {name!r} is {x:g}, beyond its limits [{low:g}, {high:g}]"

    # ---- motion relative to the parent

    @property
    @undisturbed
    def relative_transform(self) -> FloatArray:
        """Pose (4, 4) of the child body in the parent body [m]; read-only."""
        skeleton = self.skeleton
        return read_only(skeleton.tree.joint_transform(skeleton.positions, self.index))

    @property
    @undisturbed
    def relative_jacobian(self) -> FloatArray:
        """Spatial velocity (6, num_dofs) of the child relative to the parent per velocity [rad/s, m/s], child
        axes; read-only."""
        skeleton = self.skeleton
        return read_only(skeleton.tree.motion_subspace(skeleton.positions, self.index))

    @property
    @undisturbed
    def relative_jacobian_time_derivative(self) -> FloatArray:
        """Time derivative (6, num_dofs) of `relative_jacobian`, element by element [rad/s^2, m/s^2];
        read-only."""
        skeleton = self.skeleton
        q, v = skeleton.positions, skeleton.velocities
        return read_only(skeleton.tree.motion_subspace_derivative(q, v, self.index))

    @property
    def relative_spatial_velocity(self) -> FloatArray:
        """Spatial velocity (6,) of the child relative to the parent, child axes [rad/s, m/s]; read-only."""
        return self.child_body.relative_spatial_velocity

    @property
    def relative_spatial_acceleration(self) -> FloatArray:
        """Spatial acceleration (6,) of the child relative to the parent, child axes [rad/s^2, m/s^2];
        read-only."""
        return self.child_body.relative_spatial_acceleration

    @undisturbed
    def relative_transform_at(self, positions: ArrayLike) -> FloatArray:
        """Pose (4, 4) that the child body would have in the parent body [m].

        Args:
            positions: (num_dofs,) of this joint [rad, m]; the joint does not take them.

        Raises:
            TypeError, ValueError: not numbers of that shape.
        """
        return self.skeleton.tree.joint_transform(self._positions_with(positions), self.index)

    @undisturbed
    def relative_jacobian_at(self, positions: ArrayLike) -> FloatArray:
        """The `relative_jacobian` (6, num_dofs) that the joint would have [rad/s, m/s].

        Args:
            positions: (num_dofs,) of this joint [rad, m]; the joint does not take them.

        Raises:
            TypeError, ValueError: not numbers of that shape.
        """
        return self.skeleton.tree.motion_subspace(self._positions_with(positions), self.index)

    def _positions_with(self, positions: ArrayLike) -> FloatArray:
        """The skeleton's positions with others of this joint."""
        q = np.array(self.skeleton.positions)
        q[self._slice()] = frozen_array("positions", positions, (self.num_dofs,), "rad, m")
        return q

    # ---- what the skeleton knows

    def _index_of_dof(self, name: str) -> int:
        return self.dof(name)._index

    def _living_skeleton(self) -> Skeleton | None:
        return None if self._body is None else self._body._skeleton

    @property
    def _answers(self) -> Answers:
        return self.skeleton._answers

    def _compiled_state(self) -> _core.State | None:
        skeleton = self._living_skeleton()
        return None if skeleton is None else skeleton._answers.state

    def _follow_leaders(self, row: int) -> None:
        skeleton = self._living_skeleton()
        if skeleton is not None:
            skeleton._mimics.follow(row)

    def _mimic_changed(self) -> None:
        skeleton = self._living_skeleton()
        if skeleton is not None:
            skeleton._mimics.changed()

    def _structure_changed(self) -> None:
        skeleton = self._living_skeleton()
        if skeleton is not None:
            skeleton._structure.drop()

    def _dynamics_changed(self) -> None:
        skeleton = self._living_skeleton()
        if skeleton is not None:
            skeleton._answers.dynamics_changed()

    # ---- copies

    def copy(self: J) -> J:
        """A joint of its own with the same properties, numbers and addons."""
        copy = type(self).__new__(type(self))
        self._copy_into(copy)
        return copy

    def _copy_into(self, copy: Joint) -> None:
        slot = self._slot()
        copy._data = slot.data.taken_out(slot)
        copy._data.copy_body(0, SkeletonData.default(0), 0)
        copy._body = None
        copy._first = copy._row = 0
        self._copy_description_into(copy)

    def _copy_description_into(self, copy: Joint) -> None:
        copy._name = self._name
        copy._dof_names = self._dof_names
        copy._mimic = self._mimic
        copy._addons = None
        if self._addons:
            copy._copy_addons_from(self)

    def _take(self, body: BodyNode) -> None:
        if self._body is not None:
            raise EditError(f"joint {self.name!r} carries {self._body.name!r} already")
        if self._data is None:
            raise RemovedError("joint", self.name)
        self._body = body

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        self._refuse_to_travel()
        return super().__reduce_ex__(protocol)

    def __copy__(self: J) -> J:
        self._refuse_to_travel()
        return self.copy()

    def _refuse_to_travel(self) -> None:
        """Raises TypeError where this joint is part of a skeleton."""
        if self._body is not None:
            raise TypeError(
                f"cannot pickle joint {self.name!r} alone: pickle its skeleton, and it goes along"
            )

    @property
    def _pickles_addons(self) -> bool:
        return self._body is None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"
