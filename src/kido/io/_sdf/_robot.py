"""The parts of a model become a robot: a tree on the world, closures, couplings, sensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, count
from pathlib import Path

import numpy as np

from kido.description import (
    Attachment,
    ClosureDescription,
    ConstraintDescription,
    ContactExclusion,
    JointDescription,
    JointState,
    JointType,
    LinkReference,
    RobotDescription,
    RobotPlacement,
    SensorDescription,
    planar_axes,
)
from kido.errors import DescriptionError
from kido.io._sdf._axis import Axis
from kido.io._sdf._coupling import couplings, resolve_mimics
from kido.io._sdf._joint import SdfJoint
from kido.io._sdf._parts import Parts
from kido.io._sdf._pose import inverse
from kido.io._sdf._scope import Scope
from kido.io._sdf._spanning_tree import CLOSURES, spanning_tree
from kido.typing import FloatArray

__all__ = ["BuiltRobot", "build_robot"]

_MOST_EXCLUDED = 100
_ROOT_TYPES = {"fixed": JointType.WELD, "free": JointType.FREE}


@dataclass(eq=False)
class BuiltRobot:
    """A robot at its place, and what a scene has of it beside."""

    placement: RobotPlacement
    constraints: list[ConstraintDescription] = field(default_factory=list)
    exclusions: list[ContactExclusion] = field(default_factory=list)
    sensors: list[SensorDescription] = field(default_factory=list)
    initial: list[JointState] = field(default_factory=list)


def build_robot(
    parts: Parts, scope: Scope, T_world_robot: FloatArray, root: str | None, source: Path | None
) -> BuiltRobot:
    """The robot of the parts, named as the scope; raises ModelFileError at what is at fault."""
    joints = [joint for joint in parts.joints if joint.gear is None]
    tree, loops = spanning_tree(joints)
    left = resolve_mimics(parts, tree, loops)
    name = scope.name
    described = [
        joint.description(
            None if joint.parent is None else parts.poses[joint.parent], parts.poses[joint.child]
        )
        for joint in tree
    ]
    constraints: list[ConstraintDescription] = [
        closure for joint in loops if (closure := _closure(parts, name, joint, T_world_robot)) is not None
    ]
    constraints += couplings(parts, name, tree, left)
    root_joints = _root_joints(parts, tree, root)
    sensors = [sensor.description(name) for sensor in parts.sensors]
    exclusions, self_collision = _self_collision(parts, name)
    if not parts.links:
        scope.item.file.note(scope.item.element, "empty", "the model has no links")
    try:
        robot = RobotDescription(name, parts.links, [*root_joints, *described], parts.diagnostics, source)
    except DescriptionError as error:
        raise _located(parts, scope, error) from error
    standing = bool(parts.links) and len(parts.standing) == len(parts.links)
    placement = RobotPlacement(robot, name, T_world_robot, mobile=not standing, self_collision=self_collision)
    return BuiltRobot(placement, constraints, exclusions, sensors, list(_initial(name, tree)))


def _root_joints(parts: Parts, tree: list[SdfJoint], root: str | None) -> list[JointDescription]:
    """Joints on the world: links that hang on no other one are free, or welded in a static model."""
    children = {joint.child for joint in tree}
    names = _free_names({joint.name for joint in tree})
    joints = []
    for link in parts.links:
        if link.name not in children:
            own = "fixed" if link.name in parts.standing else "free"
            joint_type = _ROOT_TYPES[own if root is None or own == "fixed" else root]
            pose = parts.poses[link.name]
            with parts.items[link.name].file.at(parts.items[link.name].element):
                joints.append(JointDescription(next(names), joint_type, None, link.name, pose))
    return joints


def _free_names(taken: set[str]) -> Iterator[str]:
    names = chain(["root_joint"], (f"root_joint_{number}" for number in count(2)))
    return (name for name in names if name not in taken)


def _closure(
    parts: Parts, owner: str, joint: SdfJoint, T_world_robot: FloatArray
) -> ClosureDescription | None:
    """The closure in the place of a joint that closes a loop; None where none is of its type."""
    closure_type = CLOSURES.get(joint.type)
    file, element = joint.file, joint.element
    if closure_type is None:
        file.note(element, "closure", f"left out: no closure of a loop is of type {joint.type}")
        return None
    file.note(
        element, "substituted", f"closes a loop: a {closure_type} closure of the scene, beside the robot"
    )
    if joint.axes and joint.axes[0] != Axis(joint.axes[0].direction):
        file.note(element, "ignored", "limits, dynamics, mimic: ignored in a joint that closes a loop")
    T_root_frame = joint.T_root_joint
    if joint.axes:
        T_root_frame = T_root_frame @ _onto_axis(joint.axes[0].direction)
    ends = []
    for link in (joint.parent, joint.child):
        if link is None:
            ends.append(Attachment(None, None, T_world_robot @ T_root_frame))
        else:
            ends.append(Attachment(owner, link, inverse(parts.poses[link]) @ T_root_frame))
    with file.at(element):
        return ClosureDescription(
            f"{owner}::{joint.name}", closure_type, ends[0], ends[1], line=element.sourceline
        )


def _onto_axis(direction: tuple[float, ...]) -> FloatArray:
    """Pose (4, 4) of a frame whose z axis is the direction."""
    first, second = planar_axes(direction)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([first, second, np.cross(first, second)])
    return T


def _self_collision(parts: Parts, owner: str) -> tuple[list[ContactExclusion], bool]:
    """Pairs of links that never touch, and whether any do: two do where either is self-colliding, or where
    they belong to different top models."""
    shaped = [link.name for link in parts.links if link.collisions]
    several = len({parts.models[name] for name in shaped}) > 1
    if not several and not any(name in parts.self_colliding for name in shaped):
        return [], False
    quiet = [name for name in shaped if name not in parts.self_colliding]
    if len(quiet) > _MOST_EXCLUDED:
        item = parts.items[quiet[0]]
        what = f"self_collide: {len(quiet)} links without it touch each other, as those with it"
        item.file.note(item.element, "substituted", what)
        return [], True
    pairs = ((a, b) for a, b in combinations(quiet, 2) if parts.models[a] == parts.models[b])
    return [ContactExclusion(LinkReference(owner, a), LinkReference(owner, b)) for a, b in pairs], True


def _initial(owner: str, tree: list[SdfJoint]) -> Iterator[JointState]:
    """Positions at which joints begin, where one of their axes says so."""
    for joint in tree:
        told = [axis.initial_position for axis in joint.axes]
        if any(position is not None for position in told):
            yield JointState(owner, joint.name, [position or 0.0 for position in told])


def _located(parts: Parts, scope: Scope, error: DescriptionError) -> Exception:
    """The error at the last element of the name at fault: of a repeated name, the repetition."""
    item = scope.item
    if error.kind == "link" and error.name in parts.items:
        item = parts.items[error.name]
    elif error.kind == "joint":
        item = next((j.frame.item for j in reversed(parts.joints) if j.name == error.name), item)
    return item.file.error(item.element, error.message)
