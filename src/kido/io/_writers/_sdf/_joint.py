"""The <joint> element."""

from __future__ import annotations

import math

import numpy as np

from kido.description import JointDescription, JointType
from kido.io._writers._joint_losses import report_joint, report_numbers
from kido.io._writers._sdf._output import Output
from kido.io._writers._xml_text import element, leaf
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["write_joint"]

_TYPES = {
    JointType.WELD: "fixed",
    JointType.REVOLUTE: "revolute",
    JointType.PRISMATIC: "prismatic",
    JointType.SCREW: "screw",
    JointType.UNIVERSAL: "universal",
    JointType.BALL: "ball",
}
_LIMITS = ("lower", "upper", "effort", "velocity")
_AXES = ("axis", "axis2")
_LIMITLESS = 1e16
"""Limits of this size and more are none to readers of SDF."""


def write_joint(
    output: Output,
    model: Element,
    joint: JointDescription,
    names: dict[str | None, str],
    joints: dict[str, str],
) -> None:
    """Add <joint>; its type is one that SDF has. `names` and `joints` are those of links and joints there."""
    made = element(model, "joint", name=joints[joint.name], type=_TYPES[joint.type])
    if output.is_old:
        output.pose(made, joint.T_child_joint, "joint", joint.name)
    else:
        parent = "__model__" if joint.parent is None else names[joint.parent]
        output.pose(made, joint.T_parent_joint, "joint", joint.name, parent)
    leaf(made, "parent", names[joint.parent])
    leaf(made, "child", names[joint.child])
    if joint.type is JointType.SCREW:
        _write_pitch(output, made, joint)
    if joint.type is JointType.BALL:
        report_numbers(joint, (), output.losses)
        report_joint(joint, output.losses)
        return
    for k, axis in enumerate(joint.axes):
        _write_axis(output, element(made, _AXES[k]), joint, k, axis, joints)
    report_numbers(joint, (*_LIMITS, "damping", "friction", "stiffness", "rest_position"), output.losses)
    report_joint(joint, output.losses, () if output.is_old or not len(joint.axes) else ("mimic",))


def _write_pitch(output: Output, made: Element, joint: JointDescription) -> None:
    if not output.is_old:
        leaf(made, "screw_thread_pitch", joint.pitch)
    elif joint.pitch:
        leaf(made, "thread_pitch", -2.0 * math.pi / joint.pitch)
    else:
        output.losses.ignored("joint", joint.name, "a screw without pitch")


def _write_axis(
    output: Output, made: Element, joint: JointDescription, k: int, axis: FloatArray, joints: dict[str, str]
) -> None:
    leaf(made, "xyz", axis)
    if joint.mimic is not None and not output.is_old:
        mimic = element(made, "mimic", joint=joints[joint.mimic.joint], axis=_AXES[k])
        leaf(mimic, "multiplier", joint.mimic.multiplier)
        leaf(mimic, "offset", joint.mimic.offset)
        leaf(mimic, "reference", 0.0)
        if not joint.mimic.coupled and k == 0:
            output.losses.ignored("joint", joint.name, "that the joint it follows does not feel it")
    limit = element(made, "limit")
    for name in _LIMITS:
        number = float(getattr(joint.limits, name)[k])
        if math.isfinite(number):
            leaf(limit, name, number)
        if _LIMITLESS <= abs(number) < math.inf:
            how = f"the {name} limit {number:g} is none to readers of SDF, as every one of 1e16 and more"
            output.losses.substituted("joint", joint.name, how)
    dynamics = joint.dynamics
    numbers = {
        "damping": dynamics.damping[k],
        "friction": dynamics.friction[k],
        "spring_reference": dynamics.rest_position[k],
        "spring_stiffness": dynamics.stiffness[k],
    }
    if np.any(list(numbers.values())):
        part = element(made, "dynamics")
        for name, value in numbers.items():
            leaf(part, name, value)
