"""The properties of a skeleton, taken from it and put back."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from kido.skeleton._data import ACTUATOR, COMMAND, CONSTRAINT_IMPULSE, EULER_ORDER, LIMITS_ENFORCED
from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._mimic import find_followers
from kido.skeleton._nodes._addon import AddonManager, Extension
from kido.skeleton._values._joint_properties import DOF_PROPERTIES, AddonProperties, JointProperties
from kido.skeleton._values._parts import BodyParts, SkeletonParts
from kido.skeleton._values._rebuilding import fresh_joints, write_body, write_flags
from kido.skeleton._values._skeleton_properties import BodyProperties, NodeProperties, SkeletonProperties
from kido.tree import AXES, INERTIA, PITCH

__all__ = ["read_joint", "read_properties", "write_properties"]


def read_properties(skeleton: SkeletonParts) -> SkeletonProperties:
    """The properties that a skeleton has."""
    return SkeletonProperties(
        skeleton.name,
        map(_read_body, skeleton.bodies),
        gravity=skeleton.gravity,
        time_step=skeleton.time_step,
        mobile=skeleton.mobile,
        self_collision_check=skeleton.self_collision_check,
        adjacent_body_check=skeleton.adjacent_body_check,
        mimic_enforced=skeleton.mimic_enforced,
        addons=_read_addons(skeleton),
    )


def write_properties(skeleton: SkeletonParts, properties: SkeletonProperties) -> None:
    """Give a skeleton other properties.

    Raises TypeError, ValueError, NameTakenError or EditError, before anything changed.
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
    if properties.mimic_enforced:
        find_followers(joint._as_mimic() for joint in joints)
    skeleton._keep_constants(properties.name, properties.gravity, properties.time_step)
    write_flags(skeleton, properties)
    _write_addons(skeleton, properties.addons)
    for body, part, joint in zip(skeleton.bodies, properties.bodies, joints, strict=True):
        _write_joint(body._joint, joint)
        write_body(body, part)
        _write_attached(body, part)
    skeleton._drop_tree()
    skeleton.mimic_enforced = properties.mimic_enforced


def _read_body(body: BodyParts) -> BodyProperties:
    return BodyProperties(
        body._name,
        None if body._parent_body is None else body._parent_body._name,
        read_joint(body._joint),
        body.inertia,
        body.gravity_mode,
        body.collidable,
        _read_addons(body),
        tuple(NodeProperties(type(n), n._node_name, n.properties, _read_addons(n)) for n in body._nodes),
    )


def read_joint(joint: JointKind) -> JointProperties:
    """The properties that a joint has."""
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
        limits_enforced=bool(joint._code(LIMITS_ENFORCED)),
        mimic=joint._mimic,
        dof_names=joint._dof_names,
        properties=joint.properties if isinstance(joint, Extension) else None,
        addons=_read_addons(joint),
        **{name: dofs[prop.row] for name, prop in DOF_PROPERTIES.items()},
    )


def _read_addons(owner: AddonManager) -> tuple[AddonProperties, ...]:
    return tuple(AddonProperties(type(addon), addon.properties) for addon in owner._all_addons())


def _write_joint(joint: JointKind, fresh: JointKind) -> None:
    """All but name, numbers that change in time, and addons of a fresh joint of the same class."""
    home, source, part = joint._home(), fresh._home(), joint._slice()
    home.writable_rows()[joint._row, : INERTIA.start] = source.rows[0, : INERTIA.start]
    home.writable_dofs()[:CONSTRAINT_IMPULSE, part] = source.dofs[:CONSTRAINT_IMPULSE]
    joint._keep(fresh._dof_names, fresh._mimic)
    for column in (EULER_ORDER, ACTUATOR, LIMITS_ENFORCED):
        joint._write_code(column, fresh._code(column))
    if isinstance(joint, Extension) and isinstance(fresh, Extension):
        joint._properties = fresh._properties
    if not joint._actuator.takes_commands:
        joint._write_state("commands", COMMAND, np.zeros(joint.num_dofs))


def _write_attached(body: BodyParts, part: BodyProperties) -> None:
    _write_addons(body, part.addons)
    _write_addons(body._joint, part.joint.addons)
    for node, given in zip(body._nodes, part.nodes, strict=True):
        node.properties = given.properties
        _write_addons(node, given.addons)


def _write_addons(owner: AddonManager, parts: Iterable[AddonProperties]) -> None:
    for addon, part in zip(owner._all_addons(), parts, strict=True):
        addon.properties = part.properties
