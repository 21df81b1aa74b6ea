"""Joints that follow others: mimics and gearboxes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from kido.description import CouplingDescription, DofReference, JointType, Mimic
from kido.io._sdf._axis import MimicRule
from kido.io._sdf._joint import SdfJoint
from kido.io._sdf._parts import Parts
from kido.io._xml import shown
from kido.typing import FloatArray

__all__ = ["AxisMimic", "couplings", "resolve_mimics"]

JointsByEnds: TypeAlias = dict[frozenset[str | None], list[SdfJoint]]
"""The joints of a tree by the two links of each."""

_PARALLEL = 1e-6


class AxisMimic(NamedTuple):
    """An axis of a joint that follows an axis of another one, where one of them has two."""

    joint: SdfJoint
    axis: int
    leader: SdfJoint
    rule: MimicRule


def resolve_mimics(parts: Parts, tree: list[SdfJoint], loops: list[SdfJoint]) -> list[AxisMimic]:
    """Give joints of one dof their `mimic`; those of others are returned. What cannot follow is reported."""
    known = {joint.name: joint for joint in tree}
    cut = {joint.name for joint in loops}
    left = []
    for joint in tree:
        prefix = joint.name[: len(joint.name) - len(joint.frame.name)]
        for number, axis in enumerate(joint.axes):
            rule = axis.mimic
            if rule is None:
                continue
            leader = known.get(prefix + rule.joint)
            why = _why_not(leader, rule, prefix + rule.joint in cut)
            if leader is None or why:
                joint.file.note(rule.element, "mimic", f"left out: {why}")
            elif len(joint.axes) == len(leader.axes) == 1:
                joint.mimic = Mimic(leader.name, rule.multiplier, _offset(rule))
            else:
                left.append(AxisMimic(joint, number, leader, rule))
    return left


def couplings(
    parts: Parts, owner: str, tree: list[SdfJoint], mimics: list[AxisMimic]
) -> Iterator[CouplingDescription]:
    """Couplings of dofs: mimics of joints with two axes, and gearboxes."""
    for joint, axis, leader, rule in mimics:
        followed = DofReference(owner, leader.name, rule.leader_axis)
        name = f"{owner}::{joint.name}::{'axis2' if axis else 'axis'}"
        with joint.file.at(rule.element):
            yield CouplingDescription(
                name,
                DofReference(owner, joint.name, axis),
                followed,
                (_offset(rule), rule.multiplier),
                line=rule.element.sourceline,
            )
    by_ends: JointsByEnds = {}
    for joint in tree:
        by_ends.setdefault(frozenset((joint.parent, joint.child)), []).append(joint)
    for joint in parts.joints:
        if joint.gear is not None:
            coupling = _gearbox(owner, by_ends, joint)
            if coupling is not None:
                yield coupling


def _offset(rule: MimicRule) -> float:
    return rule.offset - rule.multiplier * rule.reference


def _why_not(leader: SdfJoint | None, rule: MimicRule, is_cut: bool) -> str:
    if leader is None:
        what = "closes a loop" if is_cut else "is not there"
        return f"the joint {shown(rule.joint)} {what}"
    if rule.leader_axis >= len(leader.axes):
        return f"the joint {shown(rule.joint)}, of type {leader.type}, has no such axis"
    return ""


def _gearbox(owner: str, by_ends: JointsByEnds, joint: SdfJoint) -> CouplingDescription | None:
    """The coupling of two revolute joints on the reference body: angle_2 = -ratio * angle_1."""
    gear = joint.gear
    if gear is None:
        return None
    turning = []
    for link, axis in zip((joint.parent, joint.child), joint.axes, strict=True):
        own = joint.T_root_joint[:3, :3] @ np.array(axis.direction)
        joints = by_ends.get(frozenset((link, gear.reference)), [])
        turning.append(_turning(joints, link, own))
    if None in turning:
        joint.file.note(
            joint.element,
            "ignored",
            "a gearbox is read where revolute joints about its axes join both links to its reference body",
        )
        return None
    (leader, sign_1), (follower, sign_2) = (one for one in turning if one is not None)
    with joint.file.at(joint.element):
        return CouplingDescription(
            f"{owner}::{joint.name}",
            DofReference(owner, follower.name),
            DofReference(owner, leader.name),
            (0.0, -gear.ratio * sign_1 * sign_2),
            line=joint.element.sourceline,
        )


def _turning(joints: list[SdfJoint], link: str | None, axis: FloatArray) -> tuple[SdfJoint, float] | None:
    """The joint that turns a link about an axis on the reference body, and the sign of its angle."""
    for joint in joints:
        if joint.type is not JointType.REVOLUTE:
            continue
        own = joint.T_root_joint[:3, :3] @ np.array(joint.axes[0].direction)
        cosine = float(own @ axis) / float(np.linalg.norm(own) * np.linalg.norm(axis))
        if abs(cosine) > 1.0 - _PARALLEL:
            forward = 1.0 if joint.child == link else -1.0
            return joint, forward * (1.0 if cosine > 0.0 else -1.0)
    return None
