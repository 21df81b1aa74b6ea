"""What a tree is compiled from: one row of numbers for each body, and the names that go with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.description import EULER_ORDERS, Inertia, JointDescription, JointType, RobotDescription
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
    "default_dof_names",
    "describe_rows",
    "dof_names",
    "euler_code",
    "inertia_numbers",
    "type_code",
]

PARENT, TYPE, EULER_ORDER, WEIGHS, USER_DOFS = range(5)
"""Columns of `TreeRows.integers`."""
NUMBERS = 41
"""Numbers in the row of a body and its joint; the slices below say what they are."""
T_PARENT_JOINT = slice(0, 12)
T_CHILD_JOINT = slice(12, 24)
AXES = slice(24, 30)
PITCH = 30
INERTIA = slice(31, 41)

TREE_LIMITS = ("lower", "upper", "velocity", "effort")
"""The limits that a tree knows, one row each."""

_TYPES = tuple(JointType)
USER_TYPE = len(_TYPES)
"""Code of a joint that the user's functions give."""
_UPPER = np.triu_indices(3)

_DOF_SUFFIXES = {
    JointType.UNIVERSAL: ("_1", "_2"),
    JointType.TRANSLATIONAL2D: ("_1", "_2"),
    JointType.BALL: ("_x", "_y", "_z"),
    JointType.TRANSLATIONAL: ("_x", "_y", "_z"),
    JointType.PLANAR: ("_x", "_y", "_rot"),
    JointType.FREE: ("_rot_x", "_rot_y", "_rot_z", "_pos_x", "_pos_y", "_pos_z"),
}

_SLIDES: dict[JointType | None, tuple[int, ...]] = {
    JointType.PRISMATIC: (0,),
    JointType.TRANSLATIONAL2D: (0, 1),
    JointType.TRANSLATIONAL: (0, 1, 2),
    JointType.PLANAR: (0, 1),
    JointType.FREE: (3, 4, 5),
}
"""Dofs of each type whose position is a length."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeRows:
    """Bodies and joints as rows, depth first.

    Attributes:
        integers: (num_bodies, 5): parent body (-1: the world), code of the joint's type, code of its Euler
            order, whether gravity acts on the body (0 or 1), number of dofs of a user joint (0 for others).
        numbers: (num_bodies, 41): offsets of the joint, axes, pitch; mass, center and moment of the body.
        limits: (4, num_dofs): lowest and highest position, largest speed, largest generalized force.
        body_names, joint_names, dof_names: joint i carries body i.
        users: the functions of the user joints, in their order.
    """

    integers: NDArray[np.int64]
    numbers: FloatArray
    limits: FloatArray
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    dof_names: tuple[str, ...]
    users: tuple[JointMotion, ...] = ()

    def joint_types(self) -> list[JointType | None]:
        """The types of all joints; None for user joints."""
        return [None if code == USER_TYPE else _TYPES[code] for code in self.integers[:, TYPE].tolist()]

    def dof_counts(self) -> list[int]:
        """How many dofs each joint has."""
        own = self.integers[:, USER_DOFS].tolist()
        kinds = self.joint_types()
        return [count if kind is None else kind.num_dofs for kind, count in zip(kinds, own, strict=True)]

    def joint_dof_range(self, joint: int) -> range:
        """Indices of a joint's dofs."""
        counts = self.dof_counts()
        first = sum(counts[:joint])
        return range(first, first + counts[joint])

    def user_motion(self) -> UserMotion | None:
        """What gives the motion of the user joints; None where there are none."""
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
        row: FloatArray = self.limits[TREE_LIMITS.index(quantity)].view()
        row.flags.writeable = False
        return row

    def slides(self) -> NDArray[np.bool_]:
        """Which dofs have a length as position, not an angle; those of user joints count as angles."""
        mask = np.zeros(sum(self.dof_counts()), dtype=bool)
        for kind, first in self._joints():
            mask[[first + dof for dof in _SLIDES.get(kind, ())]] = True
        return mask

    def sampling_box(self) -> tuple[FloatArray, FloatArray]:
        """Finite ranges to draw positions from: the limits, else [-pi, pi] or [-1, 1]."""
        reach = np.where(self.slides(), 1.0, np.pi)
        lower, upper = self.limit("lower"), self.limit("upper")
        below_upper = np.where(np.isfinite(upper), upper - reach, 0.0)
        above_lower = np.where(np.isfinite(lower), lower + reach, 0.0)
        low = np.where(np.isfinite(lower), lower, np.minimum(-reach, below_upper))
        high = np.where(np.isfinite(upper), upper, np.maximum(reach, above_lower))
        return low, high

    def rotation_dofs(self) -> Iterator[int]:
        """First dof of every rotation vector."""
        for kind, dof in self._joints():
            if kind in (JointType.BALL, JointType.FREE):
                yield dof

    def content(self) -> Iterator[bytes]:
        """Everything that makes two trees equal."""
        yield repr((self.body_names, self.joint_names, self.dof_names)).encode()
        yield from (array.tobytes() for array in (self.integers, self.numbers, self.limits))
        yield from (user.content() for user in self.users)


def describe_rows(description: RobotDescription) -> TreeRows:
    """The rows of a description, bodies and dofs depth first."""
    joints = description.depth_first_joints()
    index = {joint.child: i for i, joint in enumerate(joints)}
    integers = [
        (
            -1 if joint.parent is None else index[joint.parent],
            type_code(joint.type),
            euler_code(joint.euler_order),
            1,
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
    limits = [[getattr(joint.limits, name) for name in TREE_LIMITS] for joint in joints]
    return TreeRows(
        np.asarray(integers, dtype=np.int64).reshape(-1, 5),
        numbers,
        np.concatenate([np.zeros((len(TREE_LIMITS), 0)), *map(np.asarray, limits)], axis=1),
        tuple(joint.child for joint in joints),
        tuple(joint.name for joint in joints),
        tuple(name for joint in joints for name in dof_names(joint)),
    )


def type_code(joint_type: JointType) -> int:
    """How a row writes the type of a joint."""
    return _TYPES.index(joint_type)


def euler_code(order: str) -> int:
    """How a row writes an Euler order: digits to base 3.

    Raises ValueError for what is no order.
    """
    if order not in EULER_ORDERS:
        raise ValueError(f"euler_order: expected one of {', '.join(EULER_ORDERS)}, got {order!r}")
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
    """Names of a joint's dofs: its own name for one, with DART's suffixes for several."""
    if joint.dof_names is not None:
        return joint.dof_names
    return default_dof_names(joint.name, joint.type, joint.euler_order)


def default_dof_names(name: str, joint_type: JointType, euler_order: str) -> tuple[str, ...]:
    """Names that the dofs of a joint have where none are given."""
    if joint_type.num_dofs <= 1:
        return (name,) * joint_type.num_dofs
    if joint_type is JointType.EULER:
        letters = list(euler_order)
        letters[2] += "2" if letters[2] == letters[0] else ""
        return tuple(f"{name}_{letter}" for letter in letters)
    return tuple(name + suffix for suffix in _DOF_SUFFIXES[joint_type])
