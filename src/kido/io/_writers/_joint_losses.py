"""Numbers of joints that a format does not have."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from kido.description import JointDescription, JointDynamics, JointLimits
from kido.io._writers._losses import Losses, shown_numbers

__all__ = ["report_joint", "report_numbers"]


def report_numbers(joint: JointDescription, has: Container[str], losses: Losses) -> None:
    """Report limits and dynamics that are not as usual, but for what the format `has`."""
    usual = (JointLimits().for_dofs(joint.num_dofs), JointDynamics().for_dofs(joint.num_dofs))
    for part, plain in zip((joint.limits, joint.dynamics), usual, strict=True):
        for name, numbers in part._values().items():
            if name not in has and not np.array_equal(numbers, getattr(plain, name)):
                what = f"{_WORDS.get(name, name)} {shown_numbers(numbers)}"
                losses.ignored("joint", joint.name, what)


def report_joint(joint: JointDescription, losses: Losses, has: Container[str] = ()) -> None:
    """Report names of dofs, actuator, calibration and safety, but for what the format `has`."""
    usual = joint.type.spec.dof_names(joint.name, joint.euler_order)
    if "dof_names" not in has and joint.dof_names not in (None, usual):
        losses.ignored("joint", joint.name, f"names of its dofs, {', '.join(joint.dof_names or ())},")
    if "actuator" not in has and joint.actuator is not None:
        losses.ignored("joint", joint.name, f"the actuator type {joint.actuator}")
    if "calibration" not in has and joint.calibration is not None:
        losses.ignored("joint", joint.name, "its calibration")
    if "safety" not in has and joint.safety is not None:
        losses.ignored("joint", joint.name, "its safety controller")
    if "mimic" not in has and joint.mimic is not None:
        losses.ignored("joint", joint.name, f"that it follows {joint.mimic.joint!r}")


_WORDS = {
    "velocity_lower": "the lower velocity limit",
    "effort_lower": "the lower effort limit",
    "acceleration_lower": "the lower acceleration limit",
    "lower": "the lower limit",
    "upper": "the upper limit",
    "velocity": "the velocity limit",
    "effort": "the effort limit",
    "acceleration": "the acceleration limit",
    "rest_position": "the rest position",
}
