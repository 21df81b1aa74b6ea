"""Constraints of scenes: made for a world, and described again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kido.constraint import (
    BallConstraint,
    BodyConstraint,
    Constraint,
    CylindricalConstraint,
    DistanceConstraint,
    GearConstraint,
    PolynomialConstraint,
    RevoluteConstraint,
    Softness,
    WeldConstraint,
)
from kido.description import (
    Attachment,
    ClosureDescription,
    ClosureType,
    ConstraintDescription,
    CouplingDescription,
    DofReference,
)
from kido.errors import DescriptionError, EditError
from kido.skeleton import BodyNode, DegreeOfFreedom, Skeleton

__all__ = ["describe_constraint", "make_constraint"]

Note = Callable[[str, str], None]
"""Takes a kind of diagnostic and a message."""

_SOFTNESS = ("stiffness", "damping", "frequency", "damping_ratio")
_FRAMED: dict[ClosureType, Callable[..., Constraint]] = {
    ClosureType.WELD: WeldConstraint.from_frames,
    ClosureType.BALL: BallConstraint.from_frames,
    ClosureType.REVOLUTE: RevoluteConstraint.from_frames,
    ClosureType.CYLINDRICAL: CylindricalConstraint.from_frames,
}
_CLOSURES: dict[type[Constraint], ClosureType] = {
    WeldConstraint: ClosureType.WELD,
    BallConstraint: ClosureType.BALL,
    RevoluteConstraint: ClosureType.REVOLUTE,
    CylindricalConstraint: ClosureType.CYLINDRICAL,
    DistanceConstraint: ClosureType.DISTANCE,
}


def make_constraint(
    described: ConstraintDescription, skeletons: Mapping[str, Skeleton], note: Note
) -> Constraint | None:
    """The constraint of a description between skeletons by their names; None where there can be none."""
    if not described.active:
        note("ignored", "is not active in the file: left out")
        return None
    options = dict(described.options)
    softness = _softness(options, note)
    made: Constraint | None
    try:
        if isinstance(described, ClosureDescription):
            made = _closure(described, skeletons, softness)
        else:
            made = _gear(described, skeletons, softness, options, note)
    except (EditError, TypeError, ValueError) as error:
        note("ignored", f"left out: {error}")
        return None
    for name in options:
        note("ignored", f"option {name!r} is not honoured")
    if made is not None:
        made.name = described.name
    return made


def _softness(options: dict[str, Any], note: Note) -> Softness | None:
    """The softness that options say, which are taken out of them."""
    given = {name: options.pop(name) for name in _SOFTNESS if name in options}
    try:
        return Softness(**given) if given else None
    except (TypeError, ValueError) as error:
        note("ignored", f"rigid: {error}")
        return None


def _closure(
    described: ClosureDescription, skeletons: Mapping[str, Skeleton], softness: Softness | None
) -> Constraint:
    ends = [described.first, described.second]
    if ends[0].body is None:
        ends.reverse()
    first, second = (_body(end, skeletons) for end in ends)
    assert first is not None
    one, other = (end.T_link_frame for end in ends)
    if described.type is ClosureType.DISTANCE and described.distance > 0.0:
        points = {"first_point": one[:3, 3], "second_point": other[:3, 3]}
        return DistanceConstraint(first, second, length=described.distance, softness=softness, **points)
    make = _FRAMED.get(described.type, BallConstraint.from_frames)
    return make(first, second, first_frame=one, second_frame=other, softness=softness)


def _body(end: Attachment, skeletons: Mapping[str, Skeleton]) -> BodyNode | None:
    return None if end.body is None else skeletons[end.body.owner].body(end.body.link)


def _dof(reference: DofReference, skeletons: Mapping[str, Skeleton]) -> DegreeOfFreedom:
    return skeletons[reference.owner].joint(reference.joint).dof(reference.index)


def _gear(
    described: CouplingDescription,
    skeletons: Mapping[str, Skeleton],
    softness: Softness | None,
    options: dict[str, Any],
    note: Note,
) -> Constraint | None:
    offset, *powers = described.coefficients.tolist()
    ratio, *curved = powers or [0.0]
    follower = _dof(described.follower, skeletons)
    if described.leader is None or (ratio == 0.0 and not any(curved)):
        _lock(follower, offset, note)
        return None
    leader = _dof(described.leader, skeletons)
    if any(curved):
        return PolynomialConstraint(follower, leader, described.coefficients, softness=softness)
    own = {name: options.pop(name) for name in ("max_force", "one_way") if name in options}
    return GearConstraint(follower, leader, ratio=ratio, offset=offset, softness=softness, **own)


def _lock(follower: DegreeOfFreedom, position: float, note: Note) -> None:
    """A dof that follows nobody stays where it is: its joint is locked there."""
    joint = follower.joint
    if joint.num_dofs != 1:
        note("ignored", f"left out: dof {follower.name!r} cannot be locked without others of its joint")
        return
    follower.position = position
    joint.actuator = "locked"
    note("substituted", f"joint {joint.name!r} is locked at {position:g}")


def describe_constraint(constraint: Constraint, name: str) -> ConstraintDescription:
    """The description of a constraint of a world. Raises DescriptionError where there is none for it."""
    if type(constraint) is GearConstraint:
        return _describe_gear(constraint, name)
    if type(constraint) is PolynomialConstraint:
        soft = constraint.softness
        options = {} if soft is None else _softness_options(soft.numbers)
        ends = _dof_reference(constraint.follower), _dof_reference(constraint.leader)
        return CouplingDescription(name, *ends, constraint.coefficients, options=options)
    closure = _CLOSURES.get(type(constraint))
    if closure is None or not isinstance(constraint, BodyConstraint):
        kind = type(constraint).__name__
        raise DescriptionError(f"a {kind} is in no description", "constraint", name)
    parts = constraint.components
    return ClosureDescription(
        name,
        closure,
        _attachment(constraint.first, parts.first_frame),
        _attachment(constraint.second, parts.second_frame),
        distance=0.0 if parts.length is None else parts.length,
        options=_softness_options(parts.softness),
    )


def _describe_gear(gear: GearConstraint, name: str) -> CouplingDescription:
    options: dict[str, Any] = {}
    if gear.softness is not None:
        options = _softness_options(gear.softness.numbers)
    if gear.one_way:
        options["one_way"] = True
    if gear.max_force < float("inf"):
        options["max_force"] = gear.max_force
    ends = _dof_reference(gear.follower), _dof_reference(gear.leader)
    return CouplingDescription(name, *ends, (gear.offset, gear.ratio), options=options)


def _dof_reference(dof: DegreeOfFreedom) -> DofReference:
    return DofReference(dof.skeleton.name, dof.joint.name, dof.index_in_joint)


def _softness_options(numbers: tuple[float, ...]) -> dict[str, Any]:
    return {name: number for name, number in zip(_SOFTNESS, numbers, strict=True) if number != 0.0}


def _attachment(body: BodyNode | None, T: Any) -> Attachment:
    if body is None:
        return Attachment(T_link_frame=T)
    return Attachment(body.skeleton.name, body.name, T)
