"""Coordinates of joints: angle, length, component of a rotation vector."""

from __future__ import annotations

import math
from enum import Enum

__all__ = ["Coordinate"]


class Coordinate(str, Enum):
    """One position of a joint.

    * angle: rotation about an axis; a full turn leads back.
    * screw_angle: rotation about an axis, with a translation along it; a full turn leads on by the pitch.
    * length: translation along an axis.
    * rotation_vector: one of three components of a rotation vector, which repeat together.
    * free_translation: one of three components of a translation; its velocity is in axes that rotate.
    * user: of a joint of the user's own; counts as an angle that does not repeat.
    """

    unit: str
    """Unit of the position, "rad" or "m"."""
    reach: float
    """Without limits, positions are drawn from -reach to reach [`unit`]."""
    is_additive: bool
    """True if the velocity is the time derivative of the position; else positions integrate on the group."""

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
        """True if the position is a length [m], False if it is an angle [rad]."""
        return self.unit == "m"
