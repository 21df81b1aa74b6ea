"""The bodies of a robot: links with the joints that move them, of empty links between joints only these."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kido.description import JointDescription, JointType, LinkDescription, RobotDescription
from kido.io._writers._mjcf._rest import moved_by
from kido.io._writers._pose_text import inverse
from kido.typing import FloatArray

__all__ = ["PlannedBody", "planned_bodies"]

_SLIDES = frozenset((JointType.PRISMATIC, JointType.TRANSLATIONAL, JointType.TRANSLATIONAL2D))
_CHAINED = _SLIDES | {
    JointType.REVOLUTE,
    JointType.SCREW,
    JointType.UNIVERSAL,
    JointType.EULER,
    JointType.PLANAR,
}

Chain = tuple[JointDescription, ...]


@dataclass(frozen=True, eq=False)
class PlannedBody:
    """A body on `parent` (None: the world), at `T_parent_body` (4, 4) where all joints are at rest [m].

    `joints` move it one after the other; the `T_child_joint` of each is in the body's frame there. Links that
    had been between them are `left_out`.
    """

    link: LinkDescription
    joints: Chain
    parent: str | None
    T_parent_body: FloatArray
    left_out: tuple[str, ...] = ()


def planned_bodies(
    robot: RobotDescription, kept: Container[str], rest: Mapping[str, float]
) -> list[PlannedBody]:
    """The bodies of a robot, parents first, where some joints are at `rest` by their names.

    MuJoCo refuses bodies that move without a mass, but has several joints on one body: empty links between
    two joints become none, but for those whose names are `kept`.
    """
    children: dict[str | None, list[JointDescription]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    waiting: dict[str | None, Chain] = {}
    bodies = []
    for joint in robot.depth_first_joints():
        chain = (*waiting.get(joint.parent, ()), joint)
        link = robot.link(joint.child)
        if link.name not in kept and _is_empty(link) and _goes_on(chain, children.get(link.name, [])):
            waiting[link.name] = chain
        else:
            bodies.append(_body(link, chain, rest))
    return bodies


def _is_empty(link: LinkDescription) -> bool:
    massless = link.inertia is None or link.inertia.is_massless
    return (
        massless
        and link.gravity
        and link.soft is None
        and not (link.visuals or link.collisions or link.frames)
    )


def _goes_on(chain: Chain, following: list[JointDescription]) -> bool:
    """Whether the one joint that follows can be on the same body."""
    if len(following) != 1 or chain[-1].type not in _CHAINED:
        return False
    only_slides = all(joint.type in _SLIDES for joint in chain)
    return following[0].type in _CHAINED or (only_slides and following[0].type is JointType.BALL)


def _body(link: LinkDescription, chain: Chain, rest: Mapping[str, float]) -> PlannedBody:
    T, joints = np.eye(4), []
    for joint in reversed(chain):
        joints.append(
            joint if joint is chain[-1] else replace(joint, T_child_joint=inverse(T) @ joint.T_child_joint)
        )
        T = inverse(joint.T_child_joint) @ T
        if joint.name in rest:
            T = moved_by(joint, rest[joint.name]) @ T
        T = joint.T_parent_joint @ T
    left_out = tuple(joint.child for joint in chain[:-1])
    return PlannedBody(link, tuple(reversed(joints)), chain[0].parent, T, left_out)
