"""The <joint> element: type, ends, axes, degrees of freedom, initial state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kido.description import EULER_ORDERS, ActuatorType, JointDescription, JointType
from kido.errors import UnknownNameError
from kido.io._skel._body import Body
from kido.io._skel._dofs import Dofs, read_dofs
from kido.io._skel._names import UniqueNames
from kido.io._skel._plane import plane_endings, read_plane
from kido.io._skel._transformation import read_transformation
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element, shown
from kido.math import adjoint, inverse_transform, so3_exp
from kido.typing import ArrayLike, FloatArray, frozen_direction

__all__ = ["Joint", "JointReader"]

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


class JointReader:
    """Reads the joints of one skeleton, between its bodies and the world.

    `T_world_skeleton` (4, 4) is the pose of the skeleton [m].
    """

    def __init__(self, file: TrackedXml, bodies: Mapping[str, Body], T_world_skeleton: FloatArray) -> None:
        self._file = file
        self._bodies = bodies
        self._T_world_skeleton = T_world_skeleton
        self._dof_names = UniqueNames(file)

    def read(self, element: Element, name: str) -> Joint:
        """The joint, which gets this name; raises ModelFileError."""
        file = self._file
        kind = _kind(file, element)
        parent, child = self._parent(element), self._body(element, "child")
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
                dof_names=self._names(element, name, kind, order, dofs),
                actuator=_actuator(file, element),
                line=element.sourceline,
            )
        return Joint(description, dofs.initial["position"], self._velocities(description, dofs))

    def _parent(self, joint: Element) -> Body | None:
        name = self._file.content(self._file.child(joint, "parent"))
        return None if name == _WORLD and name not in self._bodies else self._body(joint, "parent")

    def _body(self, joint: Element, role: str) -> Body:
        end = self._file.child(joint, role)
        name = self._file.content(end)
        if name not in self._bodies:
            raise self._file.error(end, str(UnknownNameError("body", name, self._bodies)))
        return self._bodies[name]

    def _names(
        self, joint: Element, name: str, kind: JointType, order: str, dofs: Dofs
    ) -> tuple[str, ...] | None:
        """Names of the dofs as DART has them, unique in the skeleton; None where they are kido's own."""
        own = kind.spec.dof_names(name, order)
        names = list(own)
        if kind.spec.orthogonal_axes:
            names[:2] = (name + ending for ending in plane_endings(self._file, joint))
        for index, given in dofs.names.items():
            names[index] = given
        unique = tuple(map(self._dof_names.free, names))
        for wanted, free in zip(names, unique, strict=True):
            if wanted != free:
                self._file.note(joint, "name", f"dof {wanted!r}: name taken before, becomes {free!r}")
        return None if unique == own else unique

    def _velocities(self, joint: JointDescription, dofs: Dofs) -> FloatArray | None:
        velocities = dofs.initial["velocity"]
        if velocities is None or joint.type is not JointType.FREE:
            return velocities
        axes = self._T_world_skeleton if joint.parent is None else np.eye(4)
        T_parent_joint = axes @ joint.T_parent_joint
        return _twist(velocities, dofs.initial["position"], T_parent_joint, joint.T_child_joint)


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
