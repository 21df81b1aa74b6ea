"""Constraints of a scene, beside the joints of its robots."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from kido.description._named_values import NamedValues, Options, checked_name
from kido.description._reference import Attachment, DofReference
from kido.errors import DescriptionError
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value, register, value

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

    name: str
    type: ClosureType
    first: Attachment
    second: Attachment
    distance: float
    active: bool
    options: NamedValues
    line: int | None

    def __init__(
        self,
        name: str,
        type: ClosureType | str,
        first: Attachment,
        second: Attachment,
        *,
        distance: float = 0.0,
        active: bool = True,
        options: Options = (),
        line: int | None = None,
    ) -> None:
        checked_name("constraint", name)
        if first.body == second.body:
            where = "the world" if first.body is None else f"link {first.link!r} of {first.owner!r}"
            raise DescriptionError(f"expected two different links, got twice {where}", "constraint", name)
        length = float(frozen_array("distance", distance, (), "m"))
        if length < 0.0:
            raise DescriptionError(f"distance: expected at least 0 [m], got {length:g}", "constraint", name)
        self._assign(
            name=name,
            type=_closure_type(name, type),
            first=first,
            second=second,
            distance=length,
            active=bool(active),
            options=NamedValues(options),
            line=line,
        )

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

    name: str
    follower: DofReference
    leader: DofReference | None
    coefficients: FloatArray
    active: bool
    options: NamedValues
    line: int | None

    def __init__(
        self,
        name: str,
        follower: DofReference,
        leader: DofReference | None,
        coefficients: ArrayLike = (0.0, 1.0),
        *,
        active: bool = True,
        options: Options = (),
        line: int | None = None,
    ) -> None:
        checked_name("constraint", name)
        powers = frozen_array("coefficients", coefficients, (-1,), "rad, m")
        if powers.size == 0:
            raise DescriptionError("coefficients: expected at least one, got none", "constraint", name)
        if leader == follower:
            what = f"dof {follower.index} of {follower.joint!r}"
            raise DescriptionError(f"expected two different dofs, got twice {what}", "constraint", name)
        self._assign(
            name=name,
            follower=follower,
            leader=leader,
            coefficients=powers,
            active=bool(active),
            options=NamedValues(options),
            line=line,
        )

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
