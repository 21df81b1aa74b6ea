"""Specification of a joint type: a sequence of primitive joints, and the coordinates that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from kido.description._joint_coordinate import Coordinate

__all__ = ["JointAxis", "JointSpec", "Primitive", "PrimitiveType"]

_ROTATION_VECTOR = (Coordinate.ROTATION_VECTOR,) * 3


class PrimitiveType(Enum):
    """A joint that is no sequence of others; its value says what its coordinates are.

    * REVOLUTE, PRISMATIC, SCREW: rotation about, translation along the axis, or both.
    * BALL: any rotation.
    * FREE: any rotation and translation.
    """

    REVOLUTE = (Coordinate.ANGLE,)
    PRISMATIC = (Coordinate.LENGTH,)
    SCREW = (Coordinate.SCREW_ANGLE,)
    BALL = _ROTATION_VECTOR
    FREE = (*_ROTATION_VECTOR, *(Coordinate.FREE_TRANSLATION,) * 3)


class JointAxis(Enum):
    """The axis of a primitive joint, in the frame that the ones before it have moved.

    * FIRST, SECOND: an axis of the joint; NORMAL: the cross product of both.
    * X, Y, Z: an axis of the frame.
    * EULER_FIRST, EULER_SECOND, EULER_THIRD: the axis of the frame that the Euler order names.
    """

    FIRST = 0
    SECOND = 1
    NORMAL = 2
    X = 3
    Y = 4
    Z = 5
    EULER_FIRST = 6
    EULER_SECOND = 7
    EULER_THIRD = 8


@dataclass(frozen=True)
class Primitive:
    """A primitive joint and its axis."""

    type: PrimitiveType
    axis: JointAxis = JointAxis.Z


@dataclass(frozen=True)
class JointSpec:
    """A joint type as a sequence of primitive joints: T(q) = T_1(q_1) T_2(q_2) ...

    Attributes:
        primitives: the primitive joints that move the child, parent first; at most seven.
        endings: of the dofs' names, which begin with the joint's; None: the letters of the Euler order.
        orthogonal_axes: whether the two axes span a plane, so that they have to be orthogonal.
    """

    primitives: tuple[Primitive, ...] = ()
    endings: tuple[str, ...] | None = ()
    orthogonal_axes: bool = False

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Coordinate of each position."""
        return tuple(coordinate for part in self.primitives for coordinate in part.type.value)

    @cached_property
    def num_axes(self) -> int:
        """Number of axes (num_axes, 3) that a joint has."""
        chosen = {part.axis for part in self.primitives}
        return 2 if chosen & {JointAxis.SECOND, JointAxis.NORMAL} else int(JointAxis.FIRST in chosen)

    @cached_property
    def rotation_vectors(self) -> tuple[int, ...]:
        """Index of the first component of each rotation vector."""
        components = [i for i, c in enumerate(self.coordinates) if c is Coordinate.ROTATION_VECTOR]
        return tuple(components[::3])

    def cyclic_group(self, index: int) -> tuple[int, ...]:
        """Indices of the coordinates that repeat together with this one after a full turn; empty if it never
        repeats."""
        coordinate = self.coordinates[index]
        if coordinate is Coordinate.ANGLE:
            return (index,)
        if coordinate is Coordinate.ROTATION_VECTOR:
            first = max(start for start in self.rotation_vectors if start <= index)
            return (first, first + 1, first + 2)
        return ()

    def dof_names(self, joint: str, euler_order: str) -> tuple[str, ...]:
        """Names of the dofs of a joint: its own with an ending, as DART has them."""
        endings = _euler_endings(euler_order) if self.endings is None else self.endings
        return tuple(joint + ending for ending in endings)


def _euler_endings(order: str) -> tuple[str, ...]:
    last = f"_{order[2]}2" if order[2] == order[0] else f"_{order[2]}"
    return f"_{order[0]}", f"_{order[1]}", last
