"""The properties of a skeleton, taken from it and put back."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from kido.skeleton._joints._joint import Joint
from kido.skeleton._joints._joint_types import EulerJoint
from kido.skeleton._joints._user_joint import UserJoint
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._numbers import COMMAND, CONSTRAINT_IMPULSE
from kido.skeleton._values._joint_properties import DOF_PROPERTIES, AddonProperties, JointProperties
from kido.skeleton._values._rebuilding import fresh_joints, write_body, write_flags
from kido.skeleton._values._skeleton_properties import BodyProperties, NodeProperties, SkeletonProperties
from kido.tree import AXES, INERTIA, PITCH

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._skeleton import Skeleton

__all__ = ["read_properties", "write_properties"]


def read_properties(skeleton: Skeleton) -> SkeletonProperties:
    """The properties that a skeleton has."""
    return SkeletonProperties(
        skeleton.name,
        map(_read_body, skeleton._bodies),
        gravity=skeleton._gravity,
        time_step=skeleton._time_step,
        mobile=skeleton.mobile,
        self_collision_check=skeleton.self_collision_check,
        adjacent_body_check=skeleton.adjacent_body_check,
        mimic_enforced=skeleton.mimic_enforced,
        addons=_read_addons(skeleton),
    )


def write_properties(skeleton: Skeleton, properties: SkeletonProperties) -> None:
    """Give a skeleton other properties.

    Raises TypeError, ValueError or NameTakenError, before anything changed.
    """
    if not isinstance(properties, SkeletonProperties):
        raise TypeError(f"properties: expected SkeletonProperties, got {type(properties).__name__}")
    own = read_properties(skeleton)
    for (mine, kind), (other, other_kind) in itertools.zip_longest(
        own.outline(), properties.outline(), fillvalue=("nothing more", None)
    ):
        if (mine, kind) != (other, other_kind):
            raise ValueError(f"properties: expected {mine}, got {other}; the structure has to be the same")
    joints = fresh_joints(properties)
    skeleton.name = properties.name
    skeleton.gravity = properties.gravity
    skeleton.time_step = properties.time_step
    write_flags(skeleton, properties)
    _write_addons(skeleton, properties.addons)
    for body, part, joint in zip(skeleton._bodies, properties.bodies, joints, strict=True):
        _write_joint(body._joint, joint)
        write_body(body, part)
        _write_attached(body, part)
    skeleton._drop_tree()
    skeleton.mimic_enforced = properties.mimic_enforced


def _read_body(body: BodyNode) -> BodyProperties:
    return BodyProperties(
        body._name,
        None if body._parent_body is None else body._parent_body._name,
        _read_joint(body._joint),
        body.inertia,
        body._gravity_mode,
        body._collidable,
        _read_addons(body),
        tuple(NodeProperties(type(n), n._node_name, n.properties, _read_addons(n)) for n in body._nodes),
    )


def _read_joint(joint: Joint) -> JointProperties:
    row = joint._home().rows[joint._row]
    num_axes = 0 if joint.type is None else joint.type.num_axes
    dofs = joint._home().dofs[:, joint._slice()]
    return JointProperties(
        type(joint),
        joint.name,
        joint.T_parent_joint,
        joint.T_child_joint,
        axes=row[AXES].reshape(2, 3)[:num_axes],
        pitch=float(row[PITCH]),
        order=joint._euler_order(),
        actuator=joint._actuator,
        limits_enforced=joint._limits_enforced,
        mimic=joint._mimic,
        dof_names=joint._dof_names,
        properties=joint.properties if isinstance(joint, UserJoint) else None,
        addons=_read_addons(joint),
        **{name: dofs[prop.row] for name, prop in DOF_PROPERTIES.items()},
    )


def _read_addons(owner: AddonManager) -> tuple[AddonProperties, ...]:
    return tuple(AddonProperties(type(addon), addon.properties) for addon in owner._all_addons())


def _write_joint(joint: Joint, fresh: Joint) -> None:
    """All but name, numbers that change in time, and addons of a fresh joint of the same class."""
    home, source, part = joint._home(), fresh._home(), joint._slice()
    home.writable_rows()[joint._row, : INERTIA.start] = source.rows[0, : INERTIA.start]
    home.writable_dofs()[:CONSTRAINT_IMPULSE, part] = source.dofs[:CONSTRAINT_IMPULSE]
    joint._dof_names = fresh._dof_names
    joint._actuator = fresh._actuator
    joint._limits_enforced = fresh._limits_enforced
    joint._mimic = fresh._mimic
    if isinstance(joint, EulerJoint) and isinstance(fresh, EulerJoint):
        joint._order = fresh._order
    if isinstance(joint, UserJoint) and isinstance(fresh, UserJoint):
        joint._properties = fresh._properties
    if not joint._actuator.takes_commands:
        joint._write_state("commands", COMMAND, np.zeros(joint.num_dofs))


def _write_attached(body: BodyNode, part: BodyProperties) -> None:
    _write_addons(body, part.addons)
    _write_addons(body._joint, part.joint.addons)
    for node, given in zip(body._nodes, part.nodes, strict=True):
        node.properties = given.properties
        _write_addons(node, given.addons)


def _write_addons(owner: AddonManager, parts: Iterable[AddonProperties]) -> None:
    for addon, part in zip(owner._all_addons(), parts, strict=True):
        addon.properties = part.properties
