"""The <actuator> element: what drives joints, kept as it is, and what of it kido's joints can do."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kido.description import (
    ActuatorDescription,
    ActuatorType,
    Attachment,
    JointReference,
)
from kido.io._mjcf._context import Context
from kido.io._mjcf._joint import Drive
from kido.io._mjcf._node import Node
from kido.io._mjcf._options import node_options
from kido.io._mjcf._parts import JointPart, Parts
from kido.io._mjcf._schema import ACTUATORS
from kido.io._mjcf._section import Copies, SectionNames, section_nodes

__all__ = ["Actuator", "ActuatorReader"]

_TARGETS = ("joint", "jointinparent", "site", "body", "tendon", "cranksite")
_NAMED = {"name", "class", "joint", "jointinparent", "site", "body", "gear", "ctrlrange", "ctrllimited"}
_KEPT_ELSEWHERE = {*_NAMED, "forcerange", "forcelimited"}
_UNUSED = ("armature", "damping", "delay")


class Actuator:
    """One actuator: its element, and the name and type of what it acts on."""

    def __init__(self, node: Node, context: Context, name: str) -> None:
        self.node = node
        self.context = context
        self.name = name
        self.type = node.tag
        self.target = next((target for target in _TARGETS if node.has(target)), None)

    @property
    def gear(self) -> tuple[float, ...]:
        """Ratios of the force on the target to that of the actuator."""
        return self.node.floats("gear", 1, 6) if self.node.has("gear") else (1.0,)

    def range(self, what: str) -> tuple[float, float] | None:
        """Limits of "ctrl" or "force"; None if there are none."""
        node, name = self.node, f"{what}range"
        if not node.limited(f"{what}limited", name, self.context.compiler.autolimits):
            return None
        low, high = node.floats(name, 2, 2)
        if low > high:
            raise node.error(f"{name}: expected lower <= upper, got {low:g} and {high:g}", name)
        return low, high

    @property
    def motor_gain(self) -> float | None:
        """Force by command, where the actuator is a motor: nothing but a factor."""
        node = self.node
        if self.type == "motor":
            return 1.0
        if self.type != "general":
            return None
        plain = {"gaintype": "fixed", "biastype": "none", "dyntype": "none"}
        if any(node.get(name) not in (None, word) for name, word in plain.items()):
            return None
        return node.floats("gainprm", 1)[0] if node.has("gainprm") else 1.0


class ActuatorReader:
    """Reads the actuators of a model and of those that are attached to it."""

    def __init__(self, contexts: Sequence[Context], joint_names: set[str], copies: Copies) -> None:
        names = SectionNames("actuators")
        nodes = section_nodes(contexts, "actuator", {tag: tag for tag in ACTUATORS}.get, copies)
        self._all = [Actuator(node, context, names.take(node, context)) for node, context in nodes]
        self._by_joint: dict[str, list[Actuator]] = {}
        for actuator in self._all:
            if actuator.target in ("joint", "jointinparent"):
                joint = actuator.context.prefix + actuator.node.text(actuator.target)
                joint = joint + actuator.node.suffix if joint not in joint_names else joint
                if joint in joint_names:
                    self._by_joint.setdefault(joint, []).append(actuator)

    @property
    def actuators(self) -> list[Actuator]:
        """All of them, in the order of their commands in keyframes."""
        return self._all

    def drive(self, joint: str, kind: str) -> Drive:
        """Drive that the actuators of a joint make, as far as kido's joints can do that."""
        actuators = self._by_joint.get(joint, [])
        if not actuators or kind not in ("slide", "hinge"):
            for actuator in actuators:
                actuator.node.note("ignored", f"kept, but drives no {kind} joint of kido by itself")
            return Drive()
        if len(actuators) > 1:
            for actuator in actuators:
                what = f"kept, but does not drive {joint!r} by itself: the joint has several actuators"
                actuator.node.note("ignored", what)
            return Drive()
        return _drive(actuators[0])

    def command_of(self, actuator: Actuator, joint: JointPart) -> float | None:
        """Command of a joint by that of its only actuator; None where kido has no such drive."""
        name = joint.placed.name
        if joint.kind not in ("slide", "hinge") or len(self._by_joint.get(name, ())) != 1:
            return None
        ratio = actuator.gear[0]
        if actuator.motor_gain is not None:
            return actuator.motor_gain * ratio
        if actuator.type == "velocity" and ratio:
            return 1.0 / ratio
        return None

    def describe(self, parts: Parts) -> list[ActuatorDescription]:
        """The actuators as they are; those whose target is not there are left out. Raises ModelFileError."""
        found = (self._described(actuator, parts) for actuator in self._all)
        return [each for each in found if each is not None]

    def _described(self, actuator: Actuator, parts: Parts) -> ActuatorDescription | None:
        node = actuator.node
        joint, place = None, None
        if actuator.target is None:
            if actuator.type != "plugin":
                raise node.error("expected a joint, site, body or tendon, got none")
        elif actuator.target not in ("tendon", "cranksite"):
            found = _target(actuator, parts)
            if found is None:
                return None
            joint, place = found
        if joint is None:
            node.note("ignored", f"kept, but acts on no joint: {actuator.target or 'plugin'}")
        if place is None and joint is None and actuator.target == "body":
            return None
        for name in _UNUSED:
            if node.has(name):
                node.note("ignored", f"{name} of an actuator: not honoured", name)
        with node.file.at(node.element):
            return ActuatorDescription(
                actuator.name,
                actuator.type,
                joint,
                place,
                gear=actuator.gear,
                command_range=actuator.range("ctrl"),
                force_range=actuator.range("force"),
                options=node_options(node, _KEPT_ELSEWHERE),
                line=node.line,
            )


def _target(actuator: Actuator, parts: Parts) -> tuple[JointReference | None, Attachment | None] | None:
    """The joint or place that an actuator acts on; None, with a diagnostic, where it was not found."""
    node, target, context = actuator.node, actuator.target, actuator.context
    assert target is not None  # asked before
    if target in ("joint", "jointinparent"):
        joint = parts.find("joint", parts.named_joints, node, target, context)
        return None if joint is None else (joint.reference, None)
    if target == "site":
        site = parts.find("site", parts.sites, node, target, context)
        return None if site is None else (None, parts.attachment(site.body, site.T_body_site))
    body = parts.find("body", parts.bodies, node, target, context)
    return None if body is None else (None, parts.attachment(body))


def _drive(actuator: Actuator) -> Drive:
    node, gain = actuator.node, actuator.motor_gain
    low, high = actuator.range("force") or (-math.inf, math.inf)
    commands = actuator.range("ctrl")
    if gain is not None and commands is not None:
        ends = sorted(gain * command for command in commands)
        low, high = max(low, ends[0]), min(high, ends[1])
    ratio = actuator.gear[0]
    forces = (ratio * low, ratio * high) if ratio else (0.0, 0.0)
    forces = min(forces), max(forces)
    if gain is not None:
        return Drive(forces, ActuatorType.FORCE)
    if actuator.type == "velocity":
        what = "a servo, which reaches its velocity within the limits of force whatever kv is"
        node.note("substituted", f"the joint is driven by {what}")
        return Drive(forces, ActuatorType.SERVO)
    node.note("ignored", f"kept, but kido's joints have no drive of type {actuator.type!r}")
    return Drive(forces)
