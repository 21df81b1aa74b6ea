"""Constraints of a scene, beside the joints of its robots."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from kido.description._named_values import NamedValues, Options, name_of, named_values
from kido.description._reference import Attachment, DofReference
from kido.errors import DescriptionError
from kido.values import (
    Array,
    Checked,
    Value,
    array,
    checked,
    flag,
    number,
    part,
    register,
    value,
    whole,
)

__all__ = ["ClosureDescription", "ClosureType", "ConstraintDescription", "CouplingDescription"]


@register
class ClosureType(str, Enum):
    """The motion that a closure leaves two frames, by what they keep in common.

    * weld: pose.
    * ball: origin.
    * revolute: origin and z axis; they turn about z.
    * cylindrical: the line of the z axis; they turn about it and slide along it.
    * distance: the distance of their origins.
    """

    WELD = "weld"
    BALL = "ball"
    REVOLUTE = "revolute"
    CYLINDRICAL = "cylindrical"
    DISTANCE = "distance"

    def __str__(self) -> str:
        return self.value


@value
class ClosureDescription(Value):
    """Two frames on links of any robots and objects, or on the world, held together: a loop closed.

    `distance` is that of the origins [m], of a distance closure only. `options` are what the model says of
    its softness and solver; `line` is where the model file has it.

    Raises ValueError or DescriptionError, naming the constraint.
    """

    name: str = checked(name_of("constraint"))
    type: Checked[ClosureType | str, ClosureType] = checked()
    first: Attachment = part(Attachment)
    second: Attachment = part(Attachment)
    distance: float = number(unit="m", default=0.0, kw_only=True)
    active: bool = flag(default=True, kw_only=True)
    options: Checked[Options, NamedValues] = checked(named_values, default=(), kw_only=True)
    line: int | None = whole(default=None, kw_only=True)

    def _check(self) -> None:
        first, name = self.first, self.name
        if first.body == self.second.body:
            where = "the world" if first.body is None else f"link {first.link!r} of {first.owner!r}"
            raise DescriptionError(f"expected two different links, got twice {where}", "constraint", name)
        if self.distance < 0.0:
            expected = f"distance: expected at least 0 [m], got {self.distance:g}"
            raise DescriptionError(expected, "constraint", name)
        self._assign(type=_closure_type(name, self.type))

    def references(self) -> tuple[tuple[str, Attachment], ...]:
        """The frames, by the names of their arguments."""
        return ("first", self.first), ("second", self.second)


@value
class CouplingDescription(Value):
    """A dof that follows another, as in a gear: its position is a polynomial of the leader's.

    `coefficients` (k,) are those of powers 0, 1, ... of the leader's position [rad or m]: a mimic's are
    (offset, multiplier). A leader of None has none to follow: the position is the first coefficient.

    Raises ValueError or DescriptionError, naming the constraint.
    """

    name: str = checked(name_of("constraint"))
    follower: DofReference = part(DofReference)
    leader: DofReference | None = part(DofReference, optional=True)
    coefficients: Array = array(-1, unit="rad, m", default=(0.0, 1.0))
    active: bool = flag(default=True, kw_only=True)
    options: Checked[Options, NamedValues] = checked(named_values, default=(), kw_only=True)
    line: int | None = whole(default=None, kw_only=True)

    def _check(self) -> None:
        if self.coefficients.size == 0:
            raise DescriptionError("coefficients: expected at least one, got none", "constraint", self.name)
        if self.leader == self.follower:
            what = f"dof {self.follower.index} of {self.follower.joint!r}"
            raise DescriptionError(f"expected two different dofs, got twice {what}", "constraint", self.name)

    def references(self) -> tuple[tuple[str, DofReference], ...]:
        """The dofs, by the names of their arguments."""
        own = ("follower", self.follower)
        return (own,) if self.leader is None else (own, ("leader", self.leader))


ConstraintDescription: TypeAlias = ClosureDescription | CouplingDescription
"""A constraint of a scene."""


def _closure_type(name: str, type: ClosureType | str) -> ClosureType:
    try:
        return ClosureType(type)
    except ValueError:
        known = ", ".join(ClosureType)
        raise DescriptionError(f"type: expected one of {known}, got {type!r}", "constraint", name) from None
