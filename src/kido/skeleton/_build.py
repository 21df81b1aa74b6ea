"""Skeletons from descriptions."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from kido.description import JointDescription, LinkDescription, RobotDescription
from kido.skeleton import _data as numbers
from kido.skeleton._data import ACTUATOR, SkeletonData
from kido.skeleton._joints._actuator import ACTUATORS, ActuatorType
from kido.skeleton._joints._joint_kind import JointKind, joint_class
from kido.skeleton._names import FreeNames
from kido.skeleton._nodes._node_properties import ShapeProperties
from kido.skeleton._values._parts import BodyParts, SkeletonParts
from kido.tree import describe_rows

__all__ = ["build"]


def build(skeleton: SkeletonParts, description: RobotDescription) -> None:
    """Fill an empty skeleton with the links and joints of a description."""
    parts = description.depth_first_joints()
    made: dict[str, BodyParts] = {}
    pairs = []
    for part in parts:
        body = skeleton._new_body(sys.intern(part.child), _joint(part))
        made[part.child] = body
        pairs.append((body, None if part.parent is None else made[part.parent]))
    skeleton._attach_all(pairs)
    _write_numbers(skeleton._answers.data, description)
    names = FreeNames()
    for part in parts:
        made[part.child]._attach_shapes(_shapes(description.link(part.child), names))


def _write_numbers(data: SkeletonData, description: RobotDescription) -> None:
    """Numbers of all bodies and dofs at once; both stand depth first, as in the description."""
    data.rows[:] = describe_rows(description).numbers
    joints = [part for part in description.depth_first_joints() if part.num_dofs]
    if not joints:
        return
    limits = [part.limits for part in joints]
    dynamics = [part.dynamics for part in joints]
    lower = np.concatenate([limit.lower for limit in limits])
    upper = np.concatenate([limit.upper for limit in limits])
    velocity = np.concatenate([limit.velocity for limit in limits])
    acceleration = np.concatenate([limit.acceleration for limit in limits])
    effort = np.concatenate([limit.effort for limit in limits])
    start = np.clip(0.0, lower, upper)
    rows = {
        numbers.POSITION_LOWER: lower,
        numbers.POSITION_UPPER: upper,
        numbers.VELOCITY_LOWER: -velocity,
        numbers.VELOCITY_UPPER: velocity,
        numbers.ACCELERATION_LOWER: -acceleration,
        numbers.ACCELERATION_UPPER: acceleration,
        numbers.FORCE_LOWER: -effort,
        numbers.FORCE_UPPER: effort,
        numbers.INITIAL_POSITION: start,
        numbers.STIFFNESS: np.concatenate([passive.stiffness for passive in dynamics]),
        numbers.REST_POSITION: np.concatenate([passive.rest_position for passive in dynamics]),
        numbers.DAMPING: np.concatenate([passive.damping for passive in dynamics]),
        numbers.FRICTION: np.concatenate([passive.friction for passive in dynamics]),
        numbers.ARMATURE: np.concatenate([passive.armature for passive in dynamics]),
    }
    for row, values in rows.items():
        data.dofs[row] = values
    data.state[numbers.POSITION] = start


def _joint(part: JointDescription) -> JointKind:
    """A joint with everything but its numbers."""
    joint = joint_class(part.type)._described(sys.intern(part.name), part)
    if part.num_dofs:
        joint._keep(part.dof_names, part.mimic)
        if part.mimic is not None:
            joint._write_code(ACTUATOR, ACTUATORS.index(ActuatorType.MIMIC))
    return joint


def _shapes(link: LinkDescription, names: FreeNames) -> Iterator[tuple[str, ShapeProperties]]:
    """The shapes of a link, each with its name among all shapes."""
    for role, placements in (("visual", link.visuals), ("collision", link.collisions)):
        for i, placed in enumerate(placements):
            yield (
                names.take(placed.name or f"{link.name}_{role}_{i}"),
                ShapeProperties(
                    placed.origin, placed.shape, placed.material, role == "visual", role == "collision"
                ),
            )
