"""The <joint> element."""

from __future__ import annotations

import math
import sys

import numpy as np

from kido.description import JointDescription, JointType
from kido.io._writers._joint_losses import report_joint, report_numbers
from kido.io._writers._losses import Losses
from kido.io._writers._urdf._link import write_origin
from kido.io._writers._xml_text import element
from kido.io._xml import Element

__all__ = ["write_joint"]

_TYPES = {
    JointType.WELD: "fixed",
    JointType.REVOLUTE: "revolute",
    JointType.PRISMATIC: "prismatic",
    JointType.FREE: "floating",
    JointType.PLANAR: "planar",
}
_LIMITS = ("lower", "upper", "velocity", "effort")
_DYNAMICS = ("damping", "friction")
_NO_LIMIT = sys.float_info.max


def write_joint(robot: Element, joint: JointDescription, losses: Losses) -> None:
    """Add <joint>; its type is one that URDF has, and its child's frame is its own."""
    made = element(robot, "joint", name=joint.name, type=_type(joint))
    write_origin(made, joint.T_parent_joint, losses, "joint", joint.name)
    element(made, "parent", link=joint.parent)
    element(made, "child", link=joint.child)
    if joint.type is JointType.PLANAR:
        element(made, "axis", xyz=np.cross(joint.axes[0], joint.axes[1]))
    elif len(joint.axes):
        element(made, "axis", xyz=joint.axes[0])
    has = (*_write_limits(made, joint), *_write_dynamics(made, joint))
    report_numbers(joint, has, losses)
    _write_rest(made, joint, losses)


def _type(joint: JointDescription) -> str:
    if joint.type is JointType.REVOLUTE and _has_no_range(joint):
        return "continuous"
    return _TYPES[joint.type]


def _has_no_range(joint: JointDescription) -> bool:
    return not np.isfinite([joint.limits.lower, joint.limits.upper]).any()


def _write_limits(made: Element, joint: JointDescription) -> tuple[str, ...]:
    """Add <limit>; the names of the numbers that are said."""
    if joint.num_dofs != 1:
        return ()
    limits = joint.limits
    continuous = made.get("type") == "continuous"
    if not (continuous and math.isinf(limits.velocity[0]) and math.isinf(limits.effort[0])):
        names = _LIMITS[2:] if continuous else _LIMITS
        numbers = {name: float(getattr(limits, name)[0]) for name in names}
        element(made, "limit", **{name: min(max(x, -_NO_LIMIT), _NO_LIMIT) for name, x in numbers.items()})
    return _LIMITS


def _write_dynamics(made: Element, joint: JointDescription) -> tuple[str, ...]:
    """Add <dynamics>, which is of all dofs alike; the names of the numbers that are said."""
    dynamics = joint.dynamics
    values = [np.unique(getattr(dynamics, name)) for name in _DYNAMICS]
    if any(len(numbers) > 1 for numbers in values):
        return ()
    if dynamics.damping.any() or dynamics.friction.any():
        element(made, "dynamics", damping=values[0][0], friction=values[1][0])
    return _DYNAMICS


def _write_rest(made: Element, joint: JointDescription, losses: Losses) -> None:
    mimic, calibration, safety = joint.mimic, joint.calibration, joint.safety
    report_joint(joint, losses, ("mimic", "calibration", "safety"))
    if mimic is not None:
        element(made, "mimic", joint=mimic.joint, multiplier=mimic.multiplier, offset=mimic.offset)
        if not mimic.coupled:
            losses.ignored("joint", joint.name, "that the joint it follows does not feel it")
    if calibration is not None:
        element(made, "calibration", rising=calibration.rising, falling=calibration.falling)
    if safety is not None:
        element(made, "safety_controller", **safety._values())
