"""The <joint> elements of a body: one or several, which stand for one joint of a scene."""

from __future__ import annotations

import math

import numpy as np

from kido.description import ActuatorType, JointDescription, JointType
from kido.io._writers._joint_losses import report_joint, report_numbers
from kido.io._writers._mjcf._output import Output, WrittenJoint
from kido.io._writers._names import Names
from kido.io._writers._serial_joints import dof_joints, report_chain
from kido.io._writers._xml_text import element, numbers
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["JointWriter"]

_TYPES = {JointType.REVOLUTE: "hinge", JointType.PRISMATIC: "slide"}
_SAID = (
    "lower",
    "upper",
    "effort",
    "effort_lower",
    "damping",
    "friction",
    "stiffness",
    "rest_position",
    "armature",
)
_UNIFORM = ("damping", "friction", "stiffness", "armature")
_ATTRIBUTES = {
    "damping": "damping",
    "friction": "frictionloss",
    "stiffness": "stiffness",
    "armature": "armature",
}


class JointWriter:
    """Writes the joints of one file."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def write(self, body: Element, owner: str, joint: JointDescription, T_world_body: FloatArray) -> None:
        """Add the joints of a body; it is at `T_world_body` (4, 4), all positions being zero [m]."""
        match joint.type:
            case JointType.WELD:
                return
            case JointType.FREE if joint.parent is None:
                self._free(body, owner, joint, T_world_body)
            case JointType.FREE:
                self._inner_free(body, owner, joint)
            case JointType.BALL:
                self._ball(body, owner, joint, joint.name, (0, 1, 2))
            case JointType.SCREW:
                self._screw(body, owner, joint)
            case _:
                self._dofs(body, owner, joint)
        self._report(joint)

    def _free(self, body: Element, owner: str, joint: JointDescription, T: FloatArray) -> None:
        name = self._output.name("joint", joint.name, owner)
        said = _uniform(joint)
        tag = "joint" if said else "freejoint"
        element(body, tag, name=name, type="free" if said else None, **said)
        self._keep(name, "free", owner, joint, tuple(range(6)), T)

    def _inner_free(self, body: Element, owner: str, joint: JointDescription) -> None:
        names = joint.dof_names or joint.type.spec.dof_names(joint.name, joint.euler_order)
        for k, axis in enumerate(np.eye(3)):
            name = self._output.name("joint", names[3 + k], owner)
            self._scalar(body, joint, "slide", name, axis)
            self._keep(name, "slide", owner, joint, (3 + k,))
        self._ball(body, owner, joint, joint.name, (0, 1, 2))
        how = "a free joint within a robot is written as three slides and a ball: other velocities"
        self._output.losses.substituted("joint", joint.name, how)

    def _ball(
        self, body: Element, owner: str, joint: JointDescription, wanted: str, dofs: tuple[int, ...]
    ) -> None:
        name = self._output.name("joint", wanted, owner)
        said = _uniform(joint)
        element(body, "joint", name=name, type="ball", pos=_anchor(joint), **said)
        self._keep(name, "ball", owner, joint, dofs)

    def _screw(self, body: Element, owner: str, joint: JointDescription) -> None:
        per_radian = joint.pitch / (2.0 * math.pi)
        self._dofs(body, owner, joint)
        turn = self._output.joints[-1].name
        name = self._output.name("joint", f"{joint.name}_slide", owner)
        self._scalar(body, joint, "slide", name, joint.axes[0])
        self._keep(name, "slide", owner, joint, (0,), None, per_radian)
        coefficients = numbers((0.0, per_radian, 0.0, 0.0, 0.0))
        held = self._output.names_of("constraint").new(f"{name}_mimic")
        section = self._output.section("equality")
        element(section, "joint", name=held, joint1=name, joint2=turn, polycoef=coefficients)
        how = f"a screw is written as a hinge and a slide, {name!r}, that follows it by {held!r}"
        self._output.losses.substituted("joint", joint.name, how)

    def _dofs(self, body: Element, owner: str, joint: JointDescription) -> None:
        parts = dof_joints(joint, Names())
        if len(parts) > 1:
            report_chain(joint.name, [part.name for part in parts], self._output.losses)
        for k, part in enumerate(parts):
            name = self._output.name("joint", part.name, owner)
            kind = _TYPES.get(part.type, "hinge")
            made = self._scalar(body, joint, kind, name, part.axes[0])
            self._numbers(made, part)
            at_rest = self._output.rest.positions.get((owner, joint.name))
            if at_rest is not None:
                made.set("ref", numbers((at_rest,)))
            self._keep(name, kind, owner, joint, (k,))

    def _scalar(
        self, body: Element, joint: JointDescription, kind: str, name: str, axis: FloatArray
    ) -> Element:
        turned = joint.T_child_joint[:3, :3] @ axis
        return element(
            body, "joint", name=name, type=kind, pos=_anchor(joint) if kind == "hinge" else None, axis=turned
        )

    def _numbers(self, made: Element, part: JointDescription) -> None:
        limits, dynamics = part.limits, part.dynamics
        low, high = float(limits.lower[0]), float(limits.upper[0])
        if math.isfinite(low) or math.isfinite(high):
            self._range(made, part, low, high)
        weakest, strongest = float(limits.lowest_effort[0]), float(limits.effort[0])
        if math.isfinite(weakest) and math.isfinite(strongest):
            made.set("actuatorfrcrange", numbers((weakest, strongest)))
        elif math.isfinite(weakest) or math.isfinite(strongest):
            self._output.losses.ignored("joint", part.name, "a limit of force in one direction only")
        for name, attribute in _ATTRIBUTES.items():
            value = getattr(dynamics, name)
            if value.any():
                made.set(attribute, numbers(value))
        if dynamics.rest_position.any():
            made.set("springref", numbers(dynamics.rest_position))

    def _range(self, made: Element, part: JointDescription, low: float, high: float) -> None:
        if low == high:
            how = f"both position limits are {low:g}, which MuJoCo refuses: they are not written"
            self._output.losses.substituted("joint", part.name, how)
            return
        if not (math.isfinite(low) and math.isfinite(high)):
            how = f"a position limit on one side only: {_FAR:g} stands for the other"
            self._output.losses.substituted("joint", part.name, how)
        made.set("range", numbers((max(low, -_FAR), min(high, _FAR))))

    def _keep(
        self,
        name: str,
        kind: str,
        owner: str,
        joint: JointDescription,
        dofs: tuple[int, ...],
        T: FloatArray | None = None,
        ratio: float = 1.0,
    ) -> None:
        self._output.joints.append(WrittenJoint(name, kind, owner, joint.name, dofs, ratio, T))

    def _report(self, joint: JointDescription) -> None:
        losses = self._output.losses
        single = joint.type not in (JointType.FREE, JointType.BALL)
        has = _SAID if single else tuple(name for name in _UNIFORM if _is_uniform(joint, name))
        report_numbers(joint, has, losses)
        spoken = (ActuatorType.FORCE, ActuatorType.MIMIC)
        driven = any(
            a.joint is not None and a.joint.joint == joint.name for a in self._output.scene.actuators
        )
        known = ("mimic", "actuator") if driven or joint.actuator in (None, *spoken) else ("mimic",)
        report_joint(joint, losses, (*known, "dof_names") if joint.num_dofs > 1 and single else known)


_FAR = 1e10
"""Position [rad or m] that stands for no limit on one side."""


def _anchor(joint: JointDescription) -> FloatArray | None:
    position = joint.T_child_joint[:3, 3]
    return position if position.any() else None


def _is_uniform(joint: JointDescription, name: str) -> bool:
    return len(np.unique(getattr(joint.dynamics, name))) <= 1


def _uniform(joint: JointDescription) -> dict[str, float]:
    """Dynamics that all dofs of a joint have alike, as attributes."""
    return {
        _ATTRIBUTES[name]: float(getattr(joint.dynamics, name)[0])
        for name in _UNIFORM
        if _is_uniform(joint, name) and getattr(joint.dynamics, name).any()
    }
