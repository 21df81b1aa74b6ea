"""The <equality> and <contact> elements: constraints, exclusions, pairs."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from kido.description import (
    ClosureDescription,
    ClosureType,
    CouplingDescription,
    JointDescription,
    NamedValues,
    RobotPlacement,
)
from kido.io._writers._mjcf._output import Output
from kido.io._writers._xml_text import element, numbers
from kido.io._xml import Element

__all__ = ["write_contacts", "write_equalities", "write_options"]

_TAGS = {ClosureType.WELD: "weld", ClosureType.BALL: "connect"}
_SOLVER = ("solref", "solimp")
_EQUALITY_OPTIONS = {"weld": (*_SOLVER, "torquescale"), "connect": _SOLVER, "joint": _SOLVER}
_PAIR_OPTIONS = (*_SOLVER, "condim", "friction", "solreffriction", "gap", "margin")
_MOST_COEFFICIENTS = 5
_ARM = 1.0
"""Distance of the two points that hold an axis [m]."""


def write_equalities(output: Output) -> None:
    """Add constraints of a scene, and mimics of its robots."""
    for constraint in output.scene.constraints:
        if isinstance(constraint, CouplingDescription):
            _write_coupling(output, constraint)
        else:
            _write_closure(output, constraint)
    for placed in output.scene.robots:
        for joint in placed.robot.joints:
            if joint.mimic is not None:
                _write_mimic(output, placed, joint)


def write_contacts(output: Output) -> None:
    """Add exclusions and pairs with parameters of their own."""
    for exclusion in output.scene.exclusions:
        first, second = (output.bodies[end.owner, end.link] for _, end in exclusion.references())
        element(output.section("contact"), "exclude", body1=first, body2=second)
    for pair in output.scene.contact_pairs:
        geoms = [output.geoms.get(end) for _, end in pair.references()]
        if None in geoms:
            output.losses.left_out("contact pair", pair.name, "one of its shapes is not written")
            continue
        made = element(output.section("contact"), "pair", name=pair.name, geom1=geoms[0], geom2=geoms[1])
        write_options(output, made, "contact pair", pair.name, pair.options, _PAIR_OPTIONS)


def write_options(
    output: Output, made: Element, kind: str, name: str, options: NamedValues, known: Collection[str]
) -> None:
    """Set options that are attributes of an element; others are reported."""
    for option, value in options.items():
        if option not in known:
            output.losses.ignored(kind, name, f"its option {option!r}")
        elif isinstance(value, str):
            made.set(option, value)
        elif isinstance(value, bool):
            made.set(option, "true" if value else "false")
        else:
            made.set(option, numbers(value if isinstance(value, tuple) else (value,)))


def _write_closure(output: Output, closure: ClosureDescription) -> None:
    if closure.type in _TAGS:
        _write_held(output, closure, _TAGS[closure.type], closure.name, 0.0)
    elif closure.type is ClosureType.REVOLUTE:
        _write_held(output, closure, "connect", closure.name, 0.0)
        axis = output.names_of("constraint").new(f"{closure.name}_axis")
        _write_held(output, closure, "connect", axis, _ARM)
        how = f"an axis is held by two points of it: {closure.name!r} and {axis!r}"
        output.losses.substituted("constraint", closure.name, how)
    else:
        output.losses.left_out(
            "constraint", closure.name, f"MJCF has no {closure.type} constraint of two frames"
        )


def _write_held(output: Output, closure: ClosureDescription, tag: str, name: str, along: float) -> None:
    """Add one constraint of the points at a distance along the z axes of both frames."""
    shift = np.eye(4)
    shift[2, 3] = along
    sites = []
    for number, (_, end) in enumerate(closure.references(), 1):
        place = type(end)(end.owner, end.link, end.T_link_frame @ shift)
        sites.append(output.site(place, f"{name}_{number}"))
    made = element(output.section("equality"), tag, name=name, site1=sites[0], site2=sites[1])
    if not closure.active:
        made.set("active", "false")
    write_options(output, made, "constraint", closure.name, closure.options, _EQUALITY_OPTIONS[tag])


def _write_coupling(output: Output, coupling: CouplingDescription) -> None:
    follower, leader = coupling.follower, coupling.leader
    name = output.scalar(follower.owner, follower.joint, follower.index)
    other = None if leader is None else output.scalar(leader.owner, leader.joint, leader.index)
    ends = (follower.owner, follower.joint), None if leader is None else (leader.owner, leader.joint)
    coefficients = output.rest.polynomial(coupling.coefficients.tolist(), *ends)
    if name is None or (leader is not None and other is None):
        output.losses.left_out("constraint", coupling.name, "MJCF couples joints of one dof only")
        return
    if len(coefficients) > _MOST_COEFFICIENTS:
        output.losses.left_out("constraint", coupling.name, "MJCF has polynomials up to the fourth power")
        return
    padded = [*coefficients, *[0.0] * (_MOST_COEFFICIENTS - len(coefficients))]
    made = element(output.section("equality"), "joint", name=coupling.name, joint1=name, joint2=other)
    made.set("polycoef", numbers(padded))
    if not coupling.active:
        made.set("active", "false")
    write_options(output, made, "constraint", coupling.name, coupling.options, _EQUALITY_OPTIONS["joint"])


def _write_mimic(output: Output, placed: RobotPlacement, joint: JointDescription) -> None:
    mimic = joint.mimic
    if mimic is None:
        return
    pairs = [
        (output.scalar(placed.name, joint.name, k), output.scalar(placed.name, mimic.joint, k))
        for k in range(joint.num_dofs)
    ]
    if any(None in pair for pair in pairs):
        output.losses.ignored("joint", joint.name, f"that it follows {mimic.joint!r}")
        return
    named: list[str] = []
    for follower, leader in pairs:
        name = output.names_of("constraint").new(f"{follower}_mimic")
        made = element(output.section("equality"), "joint", name=name, joint1=follower, joint2=leader)
        named.append(repr(name))
        ends = (placed.name, joint.name), (placed.name, mimic.joint)
        offset, multiplier = output.rest.polynomial([mimic.offset, mimic.multiplier], *ends)
        made.set("polycoef", numbers((offset, multiplier, 0.0, 0.0, 0.0)))
    how = f"that it follows {mimic.joint!r} is written as a constraint beside the joints: {', '.join(named)}"
    output.losses.substituted("joint", joint.name, how)
