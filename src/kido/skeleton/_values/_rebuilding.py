"""Skeletons from their properties."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from kido.errors import NameTakenError
from kido.skeleton._data import ACTUATOR, COLLIDABLE, EULER_ORDER, GRAVITY, LIMITS_ENFORCED
from kido.skeleton._joints._actuator import ACTUATORS
from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._nodes._addon import AddonManager, Extension
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._values._joint_properties import DOF_PROPERTIES, AddonProperties, JointProperties
from kido.skeleton._values._parts import BodyParts, SkeletonParts
from kido.skeleton._values._skeleton_properties import BodyProperties, NodeProperties, SkeletonProperties
from kido.tree import AXES, PITCH, T_CHILD_JOINT, T_PARENT_JOINT, euler_code

__all__ = ["build_from", "fresh_joints", "write_body", "write_flags"]


def build_from(skeleton: SkeletonParts, properties: SkeletonProperties) -> None:
    """Fill an empty skeleton. Raises NameTakenError where dofs have one name, before anything changed."""
    joints = fresh_joints(properties)
    made: dict[str, BodyParts] = {}
    pairs = []
    for part, joint in zip(properties.bodies, joints, strict=True):
        body = skeleton._new_body(part.name, joint)
        made[part.name] = body
        pairs.append((body, None if part.parent is None else made[part.parent]))
        write_body(body, part)
    skeleton._attach_all(pairs)
    write_flags(skeleton, properties)
    _attach_addons(skeleton, properties.addons)
    for part in properties.bodies:
        _attach(made[part.name], part)
    skeleton.reset_positions()
    skeleton.reset_velocities()
    skeleton.mimic_enforced = properties.mimic_enforced


def fresh_joints(properties: SkeletonProperties) -> list[JointKind]:
    """Joints by themselves, whose dofs have different names."""
    joints = [_make_joint(body.joint) for body in properties.bodies]
    taken: set[str] = set()
    for name in itertools.chain.from_iterable(joint.dof_names for joint in joints):
        if name in taken:
            raise NameTakenError("dof", name, properties.name)
        taken.add(name)
    return joints


def _make_joint(part: JointProperties) -> JointKind:
    """A joint by itself; a class of users' own is not asked how to begin one."""
    joint = part.kind.__new__(part.kind)
    joint._start_blank(part.name)
    joint._write_code(EULER_ORDER, euler_code(part.order))
    joint._write_code(ACTUATOR, ACTUATORS.index(part.actuator))
    joint._write_code(LIMITS_ENFORCED, part.limits_enforced)
    if isinstance(joint, Extension):
        joint._properties = part.properties
    block = joint._home()
    row = block.rows[0]
    row[T_PARENT_JOINT] = part.T_parent_joint[:3].ravel()
    row[T_CHILD_JOINT] = part.T_child_joint[:3].ravel()
    row[AXES][: part.axes.size] = part.axes.ravel()
    row[PITCH] = part.pitch
    for name, prop in DOF_PROPERTIES.items():
        block.dofs[prop.row] = getattr(part, name)
    joint._keep(part.dof_names, part.mimic)
    return joint


def _attach(body: BodyParts, part: BodyProperties) -> None:
    _attach_addons(body, part.addons)
    _attach_addons(body._joint, part.joint.addons)
    for node in part.nodes:
        _attach_addons(_make_node(body, node), node.addons)


def _make_node(body: BodyParts, part: NodeProperties) -> NodeKind:
    node = part.kind.__new__(part.kind)
    node._start_blank(part.properties)
    node._enter(body, part.name)
    return node


def _attach_addons(owner: AddonManager, parts: Iterable[AddonProperties]) -> None:
    for part in parts:
        addon = part.kind.__new__(part.kind)
        addon.owner = owner
        addon._start(part.properties, None)
        owner._store(addon)


def write_flags(skeleton: SkeletonParts, properties: SkeletonProperties) -> None:
    """Set the flags of simulation and contact."""
    skeleton._keep_flags(properties.mobile, properties.self_collision_check, properties.adjacent_body_check)


def write_body(body: BodyParts, part: BodyProperties) -> None:
    """Everything of a body itself."""
    body._write_inertia(part.inertia)
    body._joint._write_code(GRAVITY, part.gravity_mode)
    body._joint._write_code(COLLIDABLE, part.collidable)
