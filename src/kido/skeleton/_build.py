"""Skeletons from descriptions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kido.description import (
    JointDescription,
    LinkDescription,
    RobotDescription,
    ShapePlacement,
    SoftDescription,
    SoftSkin,
)
from kido.errors import DescriptionError
from kido.shape import Surface
from kido.skeleton import _data as numbers
from kido.skeleton._data import ACTUATOR, COLLIDABLE, GRAVITY, SkeletonData
from kido.skeleton._joints._actuator import ACTUATORS, ActuatorType
from kido.skeleton._joints._joint_kind import JointKind, joint_class
from kido.skeleton._names import FreeNames
from kido.skeleton._nodes._node_properties import ShapeProperties
from kido.skeleton._values._parts import BodyParts, SkeletonParts
from kido.tree import describe_rows

__all__ = ["build", "skins"]


class Skins:
    """Maker of skins around bodies: set by the module of soft bodies, which is built on this one."""

    attach: Callable[[Any, SoftSkin], object]


skins = Skins()

_PLAIN = Surface()


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
    names, frame_names = FreeNames(), {"frame": FreeNames(), "marker": FreeNames()}
    for part in parts:
        link = description.link(part.child)
        body = made[part.child]
        if not link.gravity:
            body._joint._write_code(GRAVITY, False)
        if link.touches_nothing:
            body._joint._write_code(COLLIDABLE, False)
        body._attach_shapes(_shapes(link, names))
        for frame in link.frames:
            kind = "marker" if frame.kind == "marker" else "frame"
            body._attach_frame(kind, frame_names[kind].take(frame.name), frame.origin)
        if link.soft is not None and (skin := _skin(link.soft)) is not None:
            skins.attach(body, skin)


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
        numbers.VELOCITY_LOWER: np.concatenate([limit.lowest_velocity for limit in limits]),
        numbers.VELOCITY_UPPER: velocity,
        numbers.ACCELERATION_LOWER: np.concatenate([limit.lowest_acceleration for limit in limits]),
        numbers.ACCELERATION_UPPER: acceleration,
        numbers.FORCE_LOWER: np.concatenate([limit.lowest_effort for limit in limits]),
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


def _skin(soft: SoftDescription | SoftSkin) -> SoftSkin | None:
    """The points; None where none can be simulated, which diagnostics of the skeleton say."""
    try:
        return soft.skin if isinstance(soft, SoftDescription) else soft
    except DescriptionError:
        return None


def _joint(part: JointDescription) -> JointKind:
    """A joint with everything but its numbers."""
    joint = joint_class(part.type)._described(sys.intern(part.name), part)
    if part.num_dofs:
        joint._keep(part.dof_names, part.mimic)
        default = None if part.mimic is None else ActuatorType.MIMIC
        actuator = default if part.actuator is None else part.actuator
        if actuator is not None:
            joint._write_code(ACTUATOR, ACTUATORS.index(actuator))
    return joint


def _shapes(link: LinkDescription, names: FreeNames) -> Iterator[tuple[str, ShapeProperties]]:
    """The shapes of a link, each with its name among all shapes."""
    counts = {"visual": 0, "collision": 0}
    for seen, touching in link.shape_pairs():
        role, placed = ("visual", seen) if seen is not None else ("collision", touching)
        assert placed is not None
        name = names.take(placed.name or f"{link.name}_{role}_{counts[role]}")
        counts[role] += 1
        yield name, _properties(placed, seen, touching)


def _properties(
    placed: ShapePlacement, seen: ShapePlacement | None, touching: ShapePlacement | None
) -> ShapeProperties:
    surface = (placed if touching is None else touching).surface
    return ShapeProperties(
        placed.origin,
        placed.shape,
        placed.material,
        seen is not None,
        touching is not None,
        _PLAIN if surface is None else surface,
    )
