"""What a tree is compiled from: one row of numbers for each body, and the names that go with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido._core import BodyColumns
from kido.description import EULER_ORDERS, Inertia, JointDescription, JointType, RobotDescription
from kido.typing import FloatArray

__all__ = [
    "AXES",
    "INERTIA",
    "NUMBERS",
    "PITCH",
    "TREE_LIMITS",
    "T_CHILD_JOINT",
    "T_PARENT_JOINT",
    "TreeRows",
    "default_dof_names",
    "describe_rows",
    "dof_names",
    "euler_code",
    "inertia_numbers",
    "type_code",
]

NUMBERS = BodyColumns.COUNT
"""Numbers in the row of a body and its joint; the slices below say what they are."""
T_PARENT_JOINT = BodyColumns.T_PARENT_JOINT
T_CHILD_JOINT = BodyColumns.T_CHILD_JOINT
AXES = BodyColumns.AXES
PITCH = BodyColumns.PITCH
INERTIA = BodyColumns.INERTIA

TREE_LIMITS = ("lower", "upper", "velocity", "effort")
"""The limits that a tree knows, one row each."""

_TYPES = tuple(JointType)
_UPPER = np.triu_indices(3)

_DOF_SUFFIXES = {
    JointType.UNIVERSAL: ("_1", "_2"),
    JointType.TRANSLATIONAL2D: ("_1", "_2"),
    JointType.BALL: ("_x", "_y", "_z"),
    JointType.TRANSLATIONAL: ("_x", "_y", "_z"),
    JointType.PLANAR: ("_x", "_y", "_rot"),
    JointType.FREE: ("_rot_x", "_rot_y", "_rot_z", "_pos_x", "_pos_y", "_pos_z"),
}

_SLIDES = {
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
        integers: (num_bodies, 3): parent body (-1: the world), code of the joint's type, code of its Euler
            order.
        numbers: (num_bodies, 41): offsets of the joint, axes, pitch; mass, center and moment of the body.
        limits: (4, num_dofs): lowest and highest position, largest speed, largest generalized force.
        body_names, joint_names, dof_names: joint i carries body i.
    """

    integers: NDArray[np.int64]
    numbers: FloatArray
    limits: FloatArray
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    dof_names: tuple[str, ...]

    def joint_type(self, joint: int) -> JointType:
        """The type of a joint."""
        return _TYPES[int(self.integers[joint, 1])]

    def joint_types(self) -> list[JointType]:
        """The types of all joints."""
        return [_TYPES[code] for code in self.integers[:, 1].tolist()]

    def joint_dof_range(self, joint: int) -> range:
        """Indices of a joint's dofs."""
        counts = [kind.num_dofs for kind in self.joint_types()]
        first = sum(counts[:joint])
        return range(first, first + counts[joint])

    def limit(self, quantity: str) -> FloatArray:
        """One limit of all dofs, read-only."""
        row: FloatArray = self.limits[TREE_LIMITS.index(quantity)].view()
        row.flags.writeable = False
        return row

    def slides(self) -> NDArray[np.bool_]:
        """Which dofs have a length as position, not an angle."""
        kinds = self.joint_types()
        mask = np.zeros(sum(kind.num_dofs for kind in kinds), dtype=bool)
        first = 0
        for kind in kinds:
            mask[[first + dof for dof in _SLIDES.get(kind, ())]] = True
            first += kind.num_dofs
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
        dof = 0
        for kind in self.joint_types():
            if kind in (JointType.BALL, JointType.FREE):
                yield dof
            dof += kind.num_dofs

    def content(self) -> Iterator[bytes]:
        """Everything that makes two trees equal."""
        yield repr((self.body_names, self.joint_names, self.dof_names)).encode()
        yield from (array.tobytes() for array in (self.integers, self.numbers, self.limits))


def describe_rows(description: RobotDescription) -> TreeRows:
    """The rows of a description, bodies and dofs depth first."""
    joints = description.depth_first_joints()
    index = {joint.child: i for i, joint in enumerate(joints)}
    integers = [
        (
            -1 if joint.parent is None else index[joint.parent],
            type_code(joint.type),
            euler_code(joint.euler_order),
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
        np.asarray(integers, dtype=np.int64).reshape(-1, 3),
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
