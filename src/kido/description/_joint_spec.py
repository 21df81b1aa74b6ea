"""Coordinates of joints: what each is, how it repeats, how it is named and sampled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

__all__ = ["Coordinate", "JointSpec"]


class Coordinate(str, Enum):
    """One position of a joint.

    * angle: rotation about an axis; a full turn leads back.
    * screw_angle: rotation about an axis, with a translation along it; a full turn leads on by the pitch.
    * length: translation along an axis.
    * rotation_vector: one of three components of a rotation vector, which repeat together.
    * free_translation: one of three components of a translation; its velocity is in axes that turn.
    * user: of a joint of the user's own; counts as an angle that does not repeat.
    """

    unit: str
    """Unit of the position, "rad" or "m"."""
    reach: float
    """Without limits, positions are drawn from -reach to reach [`unit`]."""
    is_additive: bool
    """Whether the velocity is the rate of the position, so that positions are added to; others integrate."""

    ANGLE = "angle"
    SCREW_ANGLE = "screw_angle"
    LENGTH = "length", "m", 1.0
    ROTATION_VECTOR = "rotation_vector", "rad", math.pi, False
    FREE_TRANSLATION = "free_translation", "m", 1.0, False
    USER = "user"

    def __new__(
        cls, name: str, unit: str = "rad", reach: float = math.pi, is_additive: bool = True
    ) -> Coordinate:
        """A member by its name and attributes."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.unit, member.reach, member.is_additive = unit, reach, is_additive
        return member

    def __str__(self) -> str:
        return str(self.value)

    @property
    def is_prismatic(self) -> bool:
        """Whether the position is a length [m]; else it is an angle [rad]."""
        return self.unit == "m"


@dataclass(frozen=True)
class JointSpec:
    """The coordinates of a type of joints.

    Attributes:
        coordinates: what each position is.
        endings: of the dofs' names, which begin with the joint's; None: the letters of the Euler order.
        num_axes: number of axes (num_axes, 3) that a joint has.
        orthogonal_axes: whether the axes span a plane, so that they have to be orthogonal.
    """

    coordinates: tuple[Coordinate, ...] = ()
    endings: tuple[str, ...] | None = ()
    num_axes: int = 0
    orthogonal_axes: bool = False

    @property
    def rotation_vectors(self) -> tuple[int, ...]:
        """Index of the first component of each rotation vector."""
        components = [i for i, c in enumerate(self.coordinates) if c is Coordinate.ROTATION_VECTOR]
        return tuple(components[::3])

    def cyclic_group(self, index: int) -> tuple[int, ...]:
        """The coordinates that have to turn together for a full turn of one to lead back; empty: it never
        does."""
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
