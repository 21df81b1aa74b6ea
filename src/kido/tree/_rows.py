"""Input of the tree compiler: one row of numbers for each body, and its names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from kido._core import BodyColumns, brief
from kido.description import (
    EULER_ORDERS,
    Coordinate,
    Inertia,
    JointDescription,
    JointSpec,
    JointType,
    PrimitiveType,
    RobotDescription,
)
from kido.tree._user_motion import JointMotion, UserMotion
from kido.typing import FloatArray

__all__ = [
    "AXES",
    "EULER_ORDER",
    "INERTIA",
    "NUMBERS",
    "PARENT",
    "PITCH",
    "TREE_LIMITS",
    "TYPE",
    "T_CHILD_JOINT",
    "T_PARENT_JOINT",
    "USER_DOFS",
    "USER_TYPE",
    "WEIGHS",
    "TreeRows",
    "describe_rows",
    "dof_names",
    "euler_code",
    "inertia_numbers",
    "type_code",
]

PARENT, TYPE, EULER_ORDER, WEIGHS, USER_DOFS = range(5)
"""Columns of `TreeRows.integers`."""
NUMBERS = BodyColumns.COUNT
"""Numbers in the row of a body and its joint; the slices below say what they are."""
T_PARENT_JOINT = BodyColumns.T_PARENT_JOINT
T_CHILD_JOINT = BodyColumns.T_CHILD_JOINT
AXES = BodyColumns.AXES
PITCH = BodyColumns.PITCH
INERTIA = BodyColumns.INERTIA

TREE_LIMITS = ("lower", "upper", "velocity", "effort")
"""The limits that a tree knows, one row each."""

USER_TYPE = -1
"""Code of a joint that the user's functions give."""
_PRIMITIVE_CODES = {primitive: code for code, primitive in enumerate(PrimitiveType, 1)}
_UPPER = np.triu_indices(3)


@dataclass(frozen=True, slots=True, eq=False)
class TreeRows:
    """Bodies and joints as rows, depth first.

    Attributes:
        integers: (num_bodies, 5): parent body (-1: the world), code of the joint's type, code of its Euler
            order, whether gravity acts on the body (0 or 1), number of dofs of a user joint (0 for others).
        numbers: (num_bodies, 41): offsets of the joint, axes, pitch; mass, center and moment of the body.
        limits: (4, num_dofs): lowest and highest position, largest speed, largest generalized force.
        armature: (num_dofs,): inertia of rotors as the dofs feel it.
        body_names, joint_names, dof_names: joint i carries body i.
        users: the functions of the user joints, in their order.
    """

    integers: NDArray[np.int64]
    numbers: FloatArray
    limits: FloatArray
    armature: FloatArray
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    dof_names: tuple[str, ...]
    users: tuple[JointMotion, ...] = ()

    def joint_types(self) -> list[JointType | None]:
        """The types of all joints; None for user joints."""
        return [None if code == USER_TYPE else _TYPES[code] for code in self.integers[:, TYPE].tolist()]

    def dof_counts(self) -> list[int]:
        """Number of dofs of each joint."""
        own = self.integers[:, USER_DOFS].tolist()
        kinds = self.joint_types()
        return [count if kind is None else kind.num_dofs for kind, count in zip(kinds, own, strict=True)]

    def joint_dof_ranges(self) -> list[range]:
        """Indices of the dofs of each joint."""
        counts = self.dof_counts()
        return [range(end - count, end) for end, count in zip(accumulate(counts), counts, strict=True)]

    def user_motion(self) -> UserMotion | None:
        """Motion of the user joints; None where there are none."""
        if not self.users:
            return None
        return UserMotion(self.users, [dof for kind, dof in self._joints() if kind is None])

    def _joints(self) -> Iterator[tuple[JointType | None, int]]:
        """Type and first dof of every joint."""
        dof = 0
        for kind, count in zip(self.joint_types(), self.dof_counts(), strict=True):
            yield kind, dof
            dof += count

    def limit(self, quantity: str) -> FloatArray:
        """One limit of all dofs, read-only."""
        return _shown(self.limits[TREE_LIMITS.index(quantity)])

    def shown_armature(self) -> FloatArray:
        """Armature of all dofs, read-only."""
        return _shown(self.armature)

    def coordinates(self) -> list[Coordinate]:
        """Coordinate of each dof."""
        found: list[Coordinate] = []
        for kind, count in zip(self.joint_types(), self.dof_counts(), strict=True):
            found += [Coordinate.USER] * count if kind is None else kind.spec.coordinates
        return found

    def is_prismatic(self) -> NDArray[np.bool_]:
        """True for dofs (num_dofs,) whose position is a length, False for angles."""
        return np.array([coordinate.is_prismatic for coordinate in self.coordinates()], dtype=bool)

    def sampling_box(self) -> tuple[FloatArray, FloatArray]:
        """Finite ranges to draw positions from: the limits, else as far as each coordinate's reach."""
        reach = np.array([coordinate.reach for coordinate in self.coordinates()])
        lower, upper = self.limit("lower"), self.limit("upper")
        below_upper = np.where(np.isfinite(upper), upper - reach, 0.0)
        above_lower = np.where(np.isfinite(lower), lower + reach, 0.0)
        low = np.where(np.isfinite(lower), lower, np.minimum(-reach, below_upper))
        high = np.where(np.isfinite(upper), upper, np.maximum(reach, above_lower))
        return low, high

    def rotation_dofs(self) -> Iterator[int]:
        """First dof of every rotation vector."""
        for kind, dof in self._joints():
            if kind is not None:
                yield from (dof + first for first in kind.spec.rotation_vectors)

    def content(self) -> Iterator[bytes]:
        """Everything that makes two trees equal."""
        yield repr((self.body_names, self.joint_names, self.dof_names)).encode()
        yield from (array.tobytes() for array in (self.integers, self.numbers, self.limits, self.armature))
        yield from (user.content() for user in self.users)


def _shown(row: FloatArray) -> FloatArray:
    view = row.view()
    view.flags.writeable = False
    return view


def describe_rows(description: RobotDescription) -> TreeRows:
    """The rows of a description, bodies and dofs depth first."""
    joints = description.depth_first_joints()
    index = {joint.child: i for i, joint in enumerate(joints)}
    integers = [
        (
            -1 if joint.parent is None else index[joint.parent],
            type_code(joint.type),
            euler_code(joint.euler_order),
            int(description.link(joint.child).gravity),
            0,
        )
        for joint in joints
    ]
    numbers = np.zeros((len(joints), NUMBERS))
    for row, joint in zip(numbers, joints, strict=True):
        _write_joint(row, joint)
        inertia = description.link(joint.child).inertia
        if inertia is not None:
            row[INERTIA] = inertia_numbers(inertia)
    limits = [
        [joint.limits.lower, joint.limits.upper, joint.limits.speed, joint.limits.force] for joint in joints
    ]
    return TreeRows(
        np.asarray(integers, dtype=np.int64).reshape(-1, 5),
        numbers,
        np.concatenate([np.zeros((len(TREE_LIMITS), 0)), *map(np.asarray, limits)], axis=1),
        np.concatenate([np.zeros(0), *(joint.dynamics.armature for joint in joints)]),
        tuple(joint.child for joint in joints),
        tuple(joint.name for joint in joints),
        tuple(name for joint in joints for name in dof_names(joint)),
    )


def type_code(joint_type: JointType) -> int:
    """The type of a joint in a row: a byte for each primitive joint, its code in the lower half, its axis in
    the upper half; the first is the lowest."""
    return _CODES[joint_type]


def _sequence_code(spec: JointSpec) -> int:
    parts = (_PRIMITIVE_CODES[part.type] | part.axis.value << 4 for part in spec.primitives)
    return int.from_bytes(bytes(parts), "little")


_CODES = {joint_type: _sequence_code(joint_type.spec) for joint_type in JointType}
_TYPES = {code: joint_type for joint_type, code in _CODES.items()}


def euler_code(order: str) -> int:
    """Code of an Euler order in a row: digits to base 3.

    Raises ValueError for what is no order.
    """
    if order not in EULER_ORDERS:
        raise ValueError(f"euler_order: expected one of {', '.join(EULER_ORDERS)}, got {brief(order)}")
    first, second, third = ("xyz".index(letter) for letter in order)
    return 9 * first + 3 * second + third


def inertia_numbers(inertia: Inertia) -> FloatArray:
    """Mass, center of mass, and moment (xx xy xz yy yz zz)."""
    moment = 0.5 * (inertia.moment + inertia.moment.T)
    return np.concatenate(([inertia.mass], inertia.com, moment[_UPPER]))


def _write_joint(row: FloatArray, joint: JointDescription) -> None:
    row[T_PARENT_JOINT] = joint.T_parent_joint[:3].ravel()
    row[T_CHILD_JOINT] = joint.T_child_joint[:3].ravel()
    row[AXES][: joint.axes.size] = joint.axes.ravel()
    row[PITCH] = joint.pitch


def dof_names(joint: JointDescription) -> tuple[str, ...]:
    """Names of a joint's dofs: those that are given, else those that its type makes of the joint's name."""
    if joint.dof_names is not None:
        return joint.dof_names
    return joint.type.spec.dof_names(joint.name, joint.euler_order)
