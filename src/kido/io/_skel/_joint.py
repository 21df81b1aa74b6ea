"""The <joint> element: type, ends, axes, degrees of freedom, initial state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kido.description import EULER_ORDERS, ActuatorType, JointDescription, JointType
from kido.errors import UnknownNameError
from kido.io._skel._body import Body
from kido.io._skel._dofs import Dofs, read_dofs
from kido.io._skel._plane import plane_endings, read_plane
from kido.io._skel._transformation import read_transformation
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element, shown
from kido.math import adjoint, inverse_transform, so3_exp
from kido.typing import ArrayLike, FloatArray, frozen_direction

__all__ = ["Joint", "read_joint"]

_WORLD = "world"
_PITCH = 0.1
"""Pitch of a screw that has none [m]."""
_NUM_AXES = {
    JointType.REVOLUTE: 1,
    JointType.PRISMATIC: 1,
    JointType.SCREW: 1,
    JointType.UNIVERSAL: 2,
    JointType.TRANSLATIONAL2D: 2,
    JointType.EULER: 3,
    JointType.TRANSLATIONAL: 3,
    JointType.PLANAR: 3,
}
"""How many of <axis>, <axis2>, <axis3> say something of limits and passive forces."""


@dataclass(frozen=True)
class Joint:
    """A joint and where it begins: positions and velocities (num_dofs,), None where the file is silent."""

    description: JointDescription
    positions: FloatArray | None
    velocities: FloatArray | None


def read_joint(
    file: TrackedXml, element: Element, name: str, bodies: Mapping[str, Body], T_world_skeleton: FloatArray
) -> Joint:
    """The joint, which gets this name, between two of the bodies or a body and the world.

    `T_world_skeleton` (4, 4) is the pose of the skeleton [m]. Raises ModelFileError.
    """
    kind = _kind(file, element)
    parent, child = _parent(file, element, bodies), _body(file, element, "child", bodies)
    dofs = read_dofs(file, element, kind.num_dofs, _NUM_AXES.get(kind, 0))
    T_child_joint = read_transformation(file, element)
    T_parent_joint = child.pose @ T_child_joint
    if parent is not None:
        T_parent_joint = inverse_transform(parent.pose) @ T_parent_joint
    order = _order(file, element) if kind is JointType.EULER else "xyz"
    with file.at(element):
        description = JointDescription(
            name,
            kind,
            None if parent is None else parent.name,
            child.name,
            T_parent_joint,
            T_child_joint,
            _axes(file, element, kind),
            pitch=_pitch(file, element) if kind is JointType.SCREW else 0.0,
            euler_order=order,
            limits=dofs.limits(),
            dynamics=dofs.dynamics(),
            dof_names=_dof_names(file, element, kind, name, order, dofs),
            actuator=_actuator(file, element),
            line=element.sourceline,
        )
    axes = T_world_skeleton if parent is None else np.eye(4)
    velocities = dofs.initial["velocity"]
    if velocities is not None and kind is JointType.FREE:
        velocities = _twist(velocities, dofs.initial["position"], axes @ T_parent_joint, T_child_joint)
    return Joint(description, dofs.initial["position"], velocities)


def _kind(file: TrackedXml, joint: Element) -> JointType:
    text = file.text(joint, "type")
    try:
        return JointType(text)
    except ValueError:
        known = ", ".join(JointType)
        raise file.error(joint, f"type: expected one of {known}, got {shown(text)}") from None


def _actuator(file: TrackedXml, joint: Element) -> ActuatorType | None:
    text = file.attribute(joint, "actuator")
    if text is None:
        return None
    try:
        actuator = ActuatorType(text)
    except ValueError:
        known = ", ".join(ActuatorType)
        raise file.error(joint, f"actuator: expected one of {known}, got {shown(text)}") from None
    if actuator is ActuatorType.MIMIC:
        file.note(joint, "mimic", "actuator 'mimic' taken as 'force': the format names no joint to follow")
        return ActuatorType.FORCE
    return actuator


def _parent(file: TrackedXml, joint: Element, bodies: Mapping[str, Body]) -> Body | None:
    name = file.content(file.child(joint, "parent"))
    return None if name == _WORLD and name not in bodies else _body(file, joint, "parent", bodies)


def _body(file: TrackedXml, joint: Element, role: str, bodies: Mapping[str, Body]) -> Body:
    end = file.child(joint, role)
    name = file.content(end)
    if name not in bodies:
        raise file.error(end, str(UnknownNameError("body", name, bodies)))
    return bodies[name]


def _axes(file: TrackedXml, joint: Element, kind: JointType) -> ArrayLike:
    if kind.spec.orthogonal_axes:
        return read_plane(file, joint)
    return [_axis(file, joint, tag) for tag in ("axis", "axis2")[: kind.num_axes]]


def _axis(file: TrackedXml, joint: Element, tag: str) -> FloatArray:
    axis = file.child(joint, tag)
    numbers = file.numbers_of(axis, "xyz", 3)
    with file.at(axis):
        return frozen_direction("xyz", numbers)


def _pitch(file: TrackedXml, joint: Element) -> float:
    return file.number_of(file.child(joint, "axis"), "pitch", _PITCH)


def _order(file: TrackedXml, joint: Element) -> str:
    element = file.child(joint, "axis_order")
    order = file.content(element)
    if order not in EULER_ORDERS:
        raise file.error(element, f"expected one of {', '.join(EULER_ORDERS)}, got {shown(order)}")
    return order


def _dof_names(
    file: TrackedXml, joint: Element, kind: JointType, name: str, order: str, dofs: Dofs
) -> list[str] | None:
    """Names of the dofs as DART has them; None where they are kido's own."""
    own = list(kind.spec.dof_names(name, order))
    names = own.copy()
    if kind.spec.orthogonal_axes:
        names[:2] = (name + ending for ending in plane_endings(file, joint))
    for index, given in dofs.names.items():
        names[index] = given
    return None if names == own else names


def _twist(
    velocities: FloatArray,
    positions: FloatArray | None,
    T_parent_joint: FloatArray,
    T_child_joint: FloatArray,
) -> FloatArray:
    """Velocities (6,) of a free joint as kido has them, from those that DART takes in the parent's axes.

    In DART 6.17 and later, the twist of the child is diag(R^T, R^T) Ad(T_child_joint) times the velocities, R
    being the rotation of the child in the parent. In kido they are the twist of the joint's moving frame.
    """
    R = T_parent_joint[:3, :3] @ T_child_joint[:3, :3].T
    if positions is not None:
        R = T_parent_joint[:3, :3] @ so3_exp(positions[:3]) @ T_child_joint[:3, :3].T
    twist = adjoint(T_child_joint) @ velocities
    moving: FloatArray = adjoint(inverse_transform(T_child_joint)) @ np.append(twist[:3] @ R, twist[3:] @ R)
    return moving
