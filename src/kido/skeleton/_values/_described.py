"""The description of a skeleton as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kido.description import (
    ActuatorType,
    Diagnostic,
    FrameDescription,
    JointDescription,
    JointDynamics,
    JointLimits,
    LinkDescription,
    Mimic,
    RobotDescription,
    ShapePlacement,
)
from kido.errors import DescriptionError
from kido.shape import Surface
from kido.skeleton._data import LIMITS_ENFORCED
from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._nodes._node_properties import MarkerProperties, ShapeProperties
from kido.skeleton._nodes._skin_properties import SkinProperties
from kido.skeleton._values._joint_properties import JointProperties
from kido.skeleton._values._parts import BodyParts, SkeletonParts
from kido.skeleton._values._properties_access import read_joint

__all__ = ["NEVER", "Masks", "describe"]

Masks = Mapping[int, tuple[int, int]]
"""Categories of shapes and what they collide with, by the `id` of the node."""

_NOT_KEPT = ("limit_stiffness", "limit_damping", "limit_frequency", "limit_damping_ratio")
_PLAIN = Surface()
NEVER = (0, 0)
"""Category and what it collides with of a shape that touches nothing."""


def describe(skeleton: SkeletonParts, diagnostics: tuple[Diagnostic, ...], masks: Masks) -> RobotDescription:
    """A skeleton as a description, whose diagnostics end with what descriptions do not hold.

    Raises DescriptionError naming a joint of a user's own class, whose motion no description holds.
    """
    lost: list[Diagnostic] = []
    names = {body._joint.name for body in skeleton.bodies}
    _note_addons(skeleton, "skeleton", skeleton.name, lost)
    links = [_link(body, masks, lost) for body in skeleton.bodies]
    joints = [_joint(body, names, lost) for body in skeleton.bodies]
    return RobotDescription(skeleton.name, links, joints, (*diagnostics, *lost))


# ---- links


def _link(body: BodyParts, masks: Masks, lost: list[Diagnostic]) -> LinkDescription:
    _note_addons(body, "link", body._name, lost)
    if not body.collidable:
        masks = {id(node): NEVER for node in body._nodes}
    shapes = [node for node in body._nodes if type(node.properties) is ShapeProperties]
    skin = next((n.properties.skin for n in body._nodes if isinstance(n.properties, SkinProperties)), None)
    inertia = body.inertia if skin is None else body.core_inertia
    return LinkDescription(
        body._name,
        None if inertia.is_massless and not inertia.com.any() else inertia,
        [_look(node) for node in shapes if node.properties.visual],
        [_shape(node, masks) for node in shapes if node.properties.collision],
        frames=list(_frames(body, lost)),
        gravity=body.gravity_mode,
        soft=skin,
    )


def _look(node: NodeKind) -> ShapePlacement:
    """A shape as it is seen; what others feel of it is said where it touches."""
    placed = _shape(node, {})
    return replace(placed, surface=None) if node.properties.collision else placed


def _shape(node: NodeKind, masks: Masks) -> ShapePlacement:
    properties = node.properties
    moved = node._moved_to()
    category, collides_with = masks.get(id(node), (1, 0xFFFFFFFF))
    return ShapePlacement(
        node._node_name,
        properties.shape,
        properties.transform if moved is None else moved,
        properties.material,
        surface=None if properties.surface == _PLAIN else properties.surface,
        category=category,
        collides_with=collides_with,
    )


def _frames(body: BodyParts, lost: list[Diagnostic]) -> Iterator[FrameDescription]:
    """Nodes with a place that are no shapes; what they have beside it is noted."""
    for node in body._nodes:
        properties = node.properties
        if isinstance(properties, SkinProperties):
            _note_skin(properties, node, lost)
            continue
        if isinstance(properties, ShapeProperties):
            if not (properties.visual or properties.collision):
                _note(lost, node._node_name, "shape", "is neither seen nor touched: not in the description")
            continue
        _note_addons(node, type(node).__name__, node._node_name, lost)
        if not node._has_place:
            kind = type(node).__name__
            _note(lost, node._node_name, kind, "has no place on its body: not in the description")
            continue
        moved = node._moved_to()
        is_marker = isinstance(properties, MarkerProperties)
        if not is_marker and type(node).__name__ != "FrameNode":
            _note(lost, node._node_name, type(node).__name__, "is a frame in the description")
        yield FrameDescription(
            node._node_name,
            properties.transform if moved is None else moved,
            "marker" if is_marker else "frame",
        )


def _note_skin(properties: SkinProperties, node: NodeKind, lost: list[Diagnostic]) -> None:
    """Note what descriptions do not hold of a soft skin."""
    if properties.material is not None or properties.surface != _PLAIN:
        _note(lost, node._node_name, "soft skin", "its material and surface are not in the description")
    if not (properties.visual and properties.collision):
        _note(lost, node._node_name, "soft skin", "is seen and touched in the description")


# ---- joints


def _joint(body: BodyParts, names: set[str], lost: list[Diagnostic]) -> JointDescription:
    joint = body._joint
    if joint.type is None:
        raise DescriptionError(
            f"a {type(joint).__name__} moves as its own class says, which no description holds; "
            "kido.save to a file .json keeps it",
            "joint",
            joint.name,
        )
    _note_addons(joint, "joint", joint.name, lost)
    own = read_joint(joint)
    return JointDescription(
        joint.name,
        joint.type,
        None if body._parent_body is None else body._parent_body._name,
        body._name,
        own.T_parent_joint,
        own.T_child_joint,
        own.axes,
        pitch=own.pitch,
        euler_order=own.order,
        limits=_limits(joint, own, lost),
        dynamics=JointDynamics(
            own.damping, own.coulomb_friction, own.spring_stiffness, own.rest_positions, own.armature
        ),
        mimic=_mimic(own, names, lost),
        dof_names=own.dof_names,
        actuator=_actuator(own),
    )


def _limits(joint: JointKind, own: JointProperties, lost: list[Diagnostic]) -> JointLimits:
    if own.position_lower_limits.size and not joint._code(LIMITS_ENFORCED):
        _note(lost, own.name, "joint", "its limits hold in the description: `limits_enforced` is not in it")
    for name in _NOT_KEPT:
        if getattr(own, name).any():
            _note(lost, own.name, "joint", f"{name}: not in the description")
    bounds: dict[str, Any] = {}
    for name, described in (("velocity", "velocity"), ("force", "effort"), ("acceleration", "acceleration")):
        lower, upper = getattr(own, f"{name}_lower_limits"), getattr(own, f"{name}_upper_limits")
        if (upper < 0.0).any():
            text = f"{name} limits {lower.tolist()} to {upper.tolist()}: the upper ones become at least zero"
            _note(lost, own.name, "joint", text, "substituted")
        bounds[described] = np.maximum(upper, 0.0)
        bounds[f"{described}_lower"] = lower if (lower != -upper).any() else None
    return JointLimits(own.position_lower_limits, own.position_upper_limits, **bounds)


def _mimic(own: JointProperties, names: set[str], lost: list[Diagnostic]) -> Mimic | None:
    if own.mimic is not None and own.mimic.joint not in names:
        _note(lost, own.name, "joint", f"follows nobody: there is no joint {own.mimic.joint!r}")
        return None
    return own.mimic


def _actuator(own: JointProperties) -> ActuatorType | None:
    """None where it is what the builder takes without a word."""
    standing = ActuatorType.FORCE if own.mimic is None else ActuatorType.MIMIC
    return None if own.actuator is standing or own.kind.num_dofs == 0 else own.actuator


# ---- notes


def _note_addons(owner: AddonManager, kind: str, name: str, lost: list[Diagnostic]) -> None:
    for addon in owner._all_addons():
        _note(lost, name, kind, f"its {type(addon).__name__} is not in the description")


def _note(lost: list[Diagnostic], name: str, kind: str, message: str, what: str = "ignored") -> None:
    lost.append(Diagnostic(f"{kind} {name!r}: {message}", None, None, what, name))
