"""The <equality> element: points and poses held together, and joints that follow others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kido.description import (
    Attachment,
    ClosureDescription,
    ClosureType,
    ConstraintDescription,
    CouplingDescription,
    DofReference,
)
from kido.io._mjcf._body import Body
from kido.io._mjcf._context import Context
from kido.io._mjcf._node import Node
from kido.io._mjcf._options import node_options
from kido.io._mjcf._orientation import from_quaternion, moved_by
from kido.io._mjcf._parts import JointPart, Parts
from kido.io._mjcf._section import SectionNames, section_nodes
from kido.math import inverse_transform
from kido.typing import FloatArray

__all__ = ["read_equalities"]

_PARTS = {"name", "body1", "body2", "site1", "site2", "joint1", "joint2", "active"}
_READ = {
    "connect": {*_PARTS, "anchor"},
    "weld": {*_PARTS, "relpose", "anchor"},
    "joint": {*_PARTS, "polycoef"},
}
_POLYNOMIAL = (0.0, 1.0, 0.0, 0.0, 0.0)
_UNTOLD = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def read_equalities(contexts: Sequence[Context], parts: Parts, active: bool) -> list[ConstraintDescription]:
    """The constraints of a model; of tendons and deformable bodies there are none. Raises ModelFileError.

    None of them is active if they are not `active` in the model.
    """
    found: list[ConstraintDescription] = []
    names = SectionNames("constraints")
    kinds = dict.fromkeys(_READ, "equality")
    for node, context in section_nodes(contexts, "equality", kinds.get, parts.copies):
        name = names.take(node, context)
        read = _joint if node.tag == "joint" else _closure
        with node.file.at(node.element):
            constraint = read(node, name, context, parts)
        if constraint is not None:
            found.append(constraint if active else replace(constraint, active=False))
    return found


def _closure(node: Node, name: str, context: Context, parts: Parts) -> ClosureDescription | None:
    is_weld = node.tag == "weld"
    ends = _site_ends(node, context, parts) if node.has("site1") else _body_ends(node, context, parts)
    if ends is None:
        return None
    kind = ClosureType.WELD if is_weld else ClosureType.BALL
    options = node_options(node, _READ[node.tag])
    active = node.flag("active", True)
    return ClosureDescription(name, kind, *ends, active=active, options=options, line=node.line)


def _site_ends(node: Node, context: Context, parts: Parts) -> tuple[Attachment, Attachment] | None:
    """The frames of two sites."""
    first = parts.find("site", parts.sites, node, "site1", context)
    second = parts.find("site", parts.sites, node, "site2", context)
    if first is None or second is None:
        return None
    return (
        parts.attachment(first.body, first.T_body_site),
        parts.attachment(second.body, second.T_body_site),
    )


def _body_ends(node: Node, context: Context, parts: Parts) -> tuple[Attachment, Attachment] | None:
    """Frames that coincide where the bodies are as the file has them, or as it says."""
    first = parts.find("body", parts.bodies, node, "body1", context)
    second: Body | None = parts.bodies["world"]
    if node.has("body2"):
        second = parts.find("body", parts.bodies, node, "body2", context)
    if first is None or second is None:
        return None
    T_first_second = inverse_transform(first.T_world_body) @ second.T_world_body
    if node.tag == "connect":
        frame = moved_by(*node.floats("anchor", 3, 3))
        return parts.attachment(first, frame), parts.attachment(
            second, inverse_transform(T_first_second) @ frame
        )
    anchor = moved_by(*node.numbers("anchor", (0.0, 0.0, 0.0)))
    return (
        parts.attachment(first, _welded_pose(node, T_first_second @ anchor)),
        parts.attachment(second, anchor),
    )


def _welded_pose(node: Node, T_first_anchor: FloatArray) -> FloatArray:
    """Pose of the second body's anchor in the first body (4, 4): as it is said, or as the file has them."""
    numbers = node.numbers("relpose", _UNTOLD)
    turn = from_quaternion(numbers[3:])
    if turn is None:
        return T_first_anchor
    pose = moved_by(*numbers[:3])
    pose[:3, :3] = turn
    return pose


def _joint(node: Node, name: str, context: Context, parts: Parts) -> CouplingDescription | None:
    follower = parts.find("joint", parts.named_joints, node, "joint1", context)
    leader = None
    if node.has("joint2"):
        leader = parts.find("joint", parts.named_joints, node, "joint2", context)
        if leader is None:
            return None
    if follower is None:
        return None
    for end, joint in (("joint1", follower), ("joint2", leader)):
        if joint is not None and joint.kind not in ("slide", "hinge"):
            raise node.error(f"{end}: expected a hinge or slide, got a {joint.kind} joint", end)
    given = node.leading("polycoef", _POLYNOMIAL)
    return CouplingDescription(
        name,
        DofReference(follower.reference.owner, follower.reference.joint),
        None if leader is None else DofReference(leader.reference.owner, leader.reference.joint),
        _about_rest(given, follower, leader),
        active=node.flag("active", True),
        options=node_options(node, _READ["joint"]),
        line=node.line,
    )


def _about_rest(given: tuple[float, ...], follower: JointPart, leader: JointPart | None) -> list[float]:
    """Coefficients of positions, from those of displacements from rest: r + sum of a_k (q - s)^k."""
    if leader is None:
        return [follower.at_rest + given[0]]
    used = max((k for k, a in enumerate(given) if a), default=0) + 1
    total = np.polynomial.Polynomial(given[:used])
    if leader.at_rest:
        with np.errstate(over="ignore", invalid="ignore"):
            total = total(np.polynomial.Polynomial([-leader.at_rest, 1.0]))
    coefficients = [float(a) for a in total.coef]
    coefficients[0] += follower.at_rest
    return coefficients if len(coefficients) > 1 else [*coefficients, 0.0]
