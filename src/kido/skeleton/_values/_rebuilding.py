"""Skeletons from their properties."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kido.errors import NameTakenError
from kido.skeleton import _editing as editing
from kido.skeleton._joints._joint import Joint
from kido.skeleton._joints._joint_types import EulerJoint
from kido.skeleton._joints._user_joint import UserJoint
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._nodes._frame_node import FrameNode
from kido.skeleton._values._joint_properties import DOF_PROPERTIES, AddonProperties, JointProperties
from kido.skeleton._values._skeleton_properties import BodyProperties, NodeProperties, SkeletonProperties
from kido.tree import AXES, PITCH, T_CHILD_JOINT, T_PARENT_JOINT

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._nodes._node import Node
    from kido.skeleton._skeleton import Skeleton

__all__ = ["build_from", "fresh_joints", "write_body", "write_flags"]


def build_from(skeleton: Skeleton, properties: SkeletonProperties) -> None:
    """Fill an empty skeleton. Raises NameTakenError where dofs have one name, before anything changed."""
    joints = fresh_joints(properties)
    made: dict[str, BodyNode] = {}
    pairs = []
    for part, joint in zip(properties.bodies, joints, strict=True):
        body = skeleton._new_body(part.name, joint)
        made[part.name] = body
        pairs.append((body, None if part.parent is None else made[part.parent]))
        write_body(body, part)
    editing.attach_all(skeleton, pairs)
    write_flags(skeleton, properties)
    _attach_addons(skeleton, properties.addons)
    for part in properties.bodies:
        _attach(made[part.name], part)
    skeleton.reset_positions()
    skeleton.reset_velocities()
    skeleton.mimic_enforced = properties.mimic_enforced


def fresh_joints(properties: SkeletonProperties) -> list[Joint]:
    """Joints by themselves, whose dofs have different names."""
    joints = [_make_joint(body.joint) for body in properties.bodies]
    taken: set[str] = set()
    for name in itertools.chain.from_iterable(joint.dof_names for joint in joints):
        if name in taken:
            raise NameTakenError("dof", name, properties.name)
        taken.add(name)
    return joints


def _make_joint(part: JointProperties) -> Joint:
    """A joint by itself; a class of users' own is not asked how to begin one."""
    joint = part.kind.__new__(part.kind)
    Joint.__init__(joint, part.name)
    if isinstance(joint, EulerJoint):
        joint._order = part.order
    if isinstance(joint, UserJoint):
        joint._properties = part.properties
    block = joint._home()
    row = block.rows[0]
    row[T_PARENT_JOINT] = part.T_parent_joint[:3].ravel()
    row[T_CHILD_JOINT] = part.T_child_joint[:3].ravel()
    row[AXES][: part.axes.size] = part.axes.ravel()
    row[PITCH] = part.pitch
    for name, prop in DOF_PROPERTIES.items():
        block.dofs[prop.row] = getattr(part, name)
    joint._dof_names = part.dof_names
    joint._actuator = part.actuator
    joint._limits_enforced = part.limits_enforced
    joint._mimic = part.mimic
    return joint


def _attach(body: BodyNode, part: BodyProperties) -> None:
    _attach_addons(body, part.addons)
    _attach_addons(body._joint, part.joint.addons)
    for node in part.nodes:
        _attach_addons(_make_node(body, node), node.addons)


def _make_node(body: BodyNode, part: NodeProperties) -> Node:
    node = part.kind.__new__(part.kind)
    node._addons = None
    if isinstance(node, FrameNode):
        node._begin_node(part.properties, None)
        node._set_relative_pose(node.properties.transform)
    else:
        node._start(part.properties, None)
    node._enter(body, part.name)
    return node


def _attach_addons(owner: AddonManager, parts: Iterable[AddonProperties]) -> None:
    for part in parts:
        addon = part.kind.__new__(part.kind)
        addon.owner = owner
        addon._start(part.properties, None)
        owner._store(addon)


def write_flags(skeleton: Skeleton, properties: SkeletonProperties) -> None:
    """What simulation and contact do with a skeleton."""
    skeleton.mobile = properties.mobile
    skeleton.self_collision_check = properties.self_collision_check
    skeleton.adjacent_body_check = properties.adjacent_body_check


def write_body(body: BodyNode, part: BodyProperties) -> None:
    """Everything of a body itself."""
    body._write_inertia(part.inertia)
    body._gravity_mode = part.gravity_mode
    body._collidable = part.collidable
