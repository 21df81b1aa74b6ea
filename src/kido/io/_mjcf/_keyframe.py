"""The <keyframe> element: named states, in the coordinates of kido's joints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from kido.description import JointState, NamedState
from kido.io._mjcf._actuator import ActuatorReader
from kido.io._mjcf._context import Context
from kido.io._mjcf._node import Node
from kido.io._mjcf._orientation import from_quaternion, moved_by
from kido.io._mjcf._parts import JointPart, Parts
from kido.io._xml import shown
from kido.math import inverse_transform, so3_log
from kido.typing import FloatArray

__all__ = ["read_states", "state_at_rest"]

_NUM_POSITIONS = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
_NUM_VELOCITIES = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}
_AT_REST = "rest"


def read_states(context: Context, parts: Parts, drives: ActuatorReader) -> list[NamedState]:
    """The keyframes of a model; raises ModelFileError.

    Positions of a free joint are a rotation vector and a translation from where the file has the body, its
    velocities angular and linear in axes of the body.
    """
    found: list[NamedState] = []
    taken: set[str] = set()
    for section in context.root.iterfind("keyframe"):
        for element in section.iterfind("key"):
            node = context.node(element, "key")
            names = (f"key{len(found)}" + (f"_{k}" if k else "") for k in count())
            name = element.get("name") or next(free for free in names if free not in taken)
            if name in taken:
                raise node.error(f"name: two keyframes are named {shown(name)}", "name")
            taken.add(name)
            with node.file.at(element):
                found.append(_state(node, name, parts, drives))
    return found


def state_at_rest(parts: Parts, states: Sequence[NamedState]) -> NamedState | None:
    """The state in which bodies are as the file has them; None where that is at zero of all joints."""
    joints = [
        JointState(joint.reference.owner, joint.reference.joint, [joint.at_rest])
        for joint in parts.joints
        if joint.at_rest
    ]
    if not joints:
        return None
    taken = {state.name for state in states}
    names = (_AT_REST + (f"_{k}" if k else "") for k in count())
    return NamedState(next(free for free in names if free not in taken), joints)


def _state(node: Node, name: str, parts: Parts, drives: ActuatorReader) -> NamedState:
    positions = _split(node, "qpos", parts.joints, _NUM_POSITIONS)
    velocities = _split(node, "qvel", parts.joints, _NUM_VELOCITIES)
    commands = _commands(node, parts, drives)
    states = []
    for k, joint in enumerate(parts.joints):
        place = positions[k] if positions is not None else None
        q, rotation = _positions(node, joint, place)
        v = None if velocities is None else _velocities(joint, velocities[k], rotation)
        command = commands.get(joint.placed.name)
        if positions is None and not joint.at_rest:
            q = None
        if q is None and v is None and command is None:
            continue
        states.append(
            JointState(
                joint.reference.owner, joint.reference.joint, q, v, None if command is None else [command]
            )
        )
    return NamedState(name, states, node.number("time", 0.0))


def _split(
    node: Node, attribute: str, joints: Sequence[JointPart], sizes: dict[str, int]
) -> list[FloatArray] | None:
    """The numbers of each joint; None where there are none. Raises ModelFileError."""
    if not node.has(attribute):
        return None
    counts = [sizes[joint.kind] for joint in joints]
    numbers = np.array(node.floats(attribute, sum(counts), sum(counts)))
    return np.split(numbers, np.cumsum(counts)[:-1]) if counts else []


def _positions(
    node: Node, joint: JointPart, numbers: FloatArray | None
) -> tuple[FloatArray | None, FloatArray]:
    """Positions of a joint, and its rotation from the world or its body (3, 3)."""
    if joint.kind in ("slide", "hinge"):
        return (np.array([joint.at_rest]) if numbers is None else numbers), np.eye(3)
    if numbers is None:
        turn = joint.body.T_world_body[:3, :3] if joint.kind == "free" else np.eye(3)
        return None, turn
    rotation = from_quaternion(numbers[-4:])
    if rotation is None:
        raise node.error(f"qpos: expected no zero quaternion for {joint.placed.name!r}", "qpos")
    if joint.kind == "ball":
        return np.array(so3_log(rotation)), rotation
    pose = moved_by(*numbers[:3])
    pose[:3, :3] = rotation
    moved = inverse_transform(joint.body.T_world_body) @ pose
    return np.concatenate([so3_log(moved[:3, :3]), moved[:3, 3]]), rotation


def _velocities(joint: JointPart, numbers: FloatArray, rotation: FloatArray) -> FloatArray:
    if joint.kind != "free":
        return numbers
    return np.concatenate([numbers[3:], rotation.T @ numbers[:3]])


def _commands(node: Node, parts: Parts, drives: ActuatorReader) -> dict[str, float]:
    """Commands of joints that kido drives as the model does, by their names."""
    actuators = drives.actuators
    if not node.has("ctrl"):
        return {}
    numbers = node.floats("ctrl", len(actuators), len(actuators))
    commands = {}
    for number, actuator in zip(numbers, actuators, strict=True):
        named = actuator.node.get("joint")
        joint = None
        if named is not None:
            name = actuator.context.prefix + named
            joint = parts.named_joints.get(name + actuator.node.suffix, parts.named_joints.get(name))
        ratio = None if joint is None else drives.command_of(actuator, joint)
        if ratio is not None and joint is not None:
            commands[joint.placed.name] = ratio * number
        elif number:
            node.note("ignored", f"ctrl: of {actuator.name!r}, which drives no joint of kido", "ctrl")
    return commands
