"""The <keyframe> element: named states as positions and velocities of all joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kido.description import JointState, NamedState
from kido.io._writers._mjcf._output import Output, WrittenJoint
from kido.io._writers._xml_text import element, numbers
from kido.math import matrix_to_quaternion, so3_exp
from kido.typing import FloatArray

__all__ = ["write_states"]

_AT_REST = "rest"
_VELOCITIES = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}


def write_states(output: Output) -> None:
    """Add a key for each named state."""
    scene = output.scene
    said = output.rest.state
    for state in scene.states:
        if state is said and not state.joints:
            said = None  # at rest where the file has all bodies: a keyframe like others
        if state is said:
            if state.name != _AT_REST:
                how = f"it is where the file has its bodies, which readers call {_AT_REST!r}"
                output.losses.equivalent("state", state.name, how)
            continue
        made = element(output.section("keyframe"), "key", name=state.name)
        if state.time:
            made.set("time", numbers((state.time,)))
        told = {(joint.owner, joint.joint): joint for joint in state.joints}
        made.set("qpos", numbers(_positions(output, told)))
        if any(joint.velocities is not None for joint in state.joints):
            made.set("qvel", numbers(_velocities(output, told)))
        _report_commands(output, state)
    if scene.initial_state is not None and said is None:
        output.losses.ignored("scene", scene.name, f"that it begins in the state {scene.initial_state!r}")
        if output.rest.positions:
            how = f"its positions of hinges and slides are those of the state {_AT_REST!r}"
            output.losses.equivalent("scene", scene.name, how)


def _positions(output: Output, told: dict[tuple[str, str], JointState]) -> list[float]:
    return [x for joint in output.joints for x in _position(joint, _of(told, joint, "positions"))]


def _of(told: dict[tuple[str, str], JointState], joint: WrittenJoint, what: str) -> FloatArray:
    """Numbers of the dofs of a joint; zeros where the state does not tell them."""
    state = told.get((joint.owner, joint.joint))
    given = None if state is None else getattr(state, what)
    return np.zeros(len(joint.dofs)) if given is None else np.asarray(given)[list(joint.dofs)]


def _position(joint: WrittenJoint, q: FloatArray) -> Iterator[float]:
    if joint.type in ("slide", "hinge"):
        yield joint.ratio * float(q[0])
        return
    rotation = so3_exp(q[:3])
    if joint.T_world_body is not None:
        T = joint.T_world_body
        yield from (T[:3, :3] @ q[3:] + T[:3, 3]).tolist()
        rotation = T[:3, :3] @ rotation
    x, y, z, w = matrix_to_quaternion(rotation).tolist()
    yield from (w, x, y, z)


def _velocities(output: Output, told: dict[tuple[str, str], JointState]) -> list[float]:
    found: list[float] = []
    for joint in output.joints:
        v = _of(told, joint, "velocities")
        if joint.type == "free" and joint.T_world_body is not None:
            q = _of(told, joint, "positions")
            turn = joint.T_world_body[:3, :3] @ so3_exp(q[:3])
            found += [*(turn @ v[3:]).tolist(), *v[:3].tolist()]
        else:
            found += (joint.ratio * v[: _VELOCITIES[joint.type]]).tolist()
    return found


def _report_commands(output: Output, state: NamedState) -> None:
    for joint in state.joints:
        if joint.commands is not None and np.any(joint.commands):
            output.losses.ignored("state", state.name, f"the command of joint {joint.joint!r}")
