"""A robot in the words of URDF: the types of joints it has, no child offsets, one root link."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kido.description import (
    JointDescription,
    JointDynamics,
    JointLimits,
    JointType,
    LinkDescription,
    RobotDescription,
    planar_axes,
)
from kido.io._writers._losses import Losses
from kido.io._writers._names import Names
from kido.io._writers._pose_text import is_identity
from kido.io._writers._serial_joints import (
    has_child_offset,
    report_chains,
    report_frames,
    single_dofs,
    without_child_offset,
)
from kido.io._writers._substitutes import ball_as_euler, screw_as_mimic

__all__ = ["ROOT_JOINT", "urdf_tree"]

ROOT_JOINT = "root_joint"
"""Name of the weld between the world and the root link that readers add."""

_SPLIT = (JointType.UNIVERSAL, JointType.EULER, JointType.TRANSLATIONAL, JointType.TRANSLATIONAL2D)
_EXACT = 1e-15


def urdf_tree(robot: RobotDescription, losses: Losses) -> RobotDescription:
    """The robot with joints that URDF has; one joint on the world is left if it is a weld in its place.

    Else a link "world" stands for the world. What is written as something near goes to `losses`.
    """
    robot = ball_as_euler(robot, losses)
    leaders = {joint.mimic.joint for joint in robot.joints if joint.mimic is not None}
    plain = (JointLimits().for_dofs(3), JointDynamics().for_dofs(3))

    def is_split(joint: JointDescription) -> bool:
        if joint.type is not JointType.PLANAR:
            return joint.type in _SPLIT
        coupled = joint.mimic is not None or joint.name in leaders
        return coupled or (joint.limits, joint.dynamics) != plain or joint.dof_names is not None

    divided = single_dofs(robot, is_split)
    report_chains(divided, losses)
    robot = screw_as_mimic(divided.robot, losses)
    joints = [_planar(joint) if joint.type is JointType.PLANAR else joint for joint in robot.joints]
    robot = replace(robot, joints=joints)
    own = without_child_offset(robot, has_child_offset)
    report_frames(robot, own, losses)
    return _rooted(own)


def _planar(joint: JointDescription) -> JointDescription:
    """The same joint with the axes that follow from the normal, which is all that URDF says."""
    normal = np.cross(joint.axes[0], joint.axes[1])
    if np.abs(planar_axes(normal) - joint.axes).max() <= _EXACT:
        return joint
    turn = np.eye(4)
    turn[:3, :3] = np.column_stack([joint.axes[0], joint.axes[1], normal])
    return replace(
        joint,
        T_parent_joint=joint.T_parent_joint @ turn,
        T_child_joint=joint.T_child_joint @ turn,
        axes=planar_axes((0.0, 0.0, 1.0)),
    )


def _rooted(robot: RobotDescription) -> RobotDescription:
    roots = robot.root_joints
    if not robot.links or (len(roots) == 1 and _is_plain(roots[0])):
        return robot
    world = Names(link.name for link in robot.links).new("world")
    joints = [replace(joint, parent=world) if joint.parent is None else joint for joint in robot.joints]
    root = JointDescription(Names(joint.name for joint in joints).new(ROOT_JOINT), "weld", None, world)
    links = [LinkDescription(world), *robot.links]
    return RobotDescription(robot.name, links, [root, *joints], robot.diagnostics, robot.source)


def _is_plain(joint: JointDescription) -> bool:
    """Whether a joint on the world is the one that readers add."""
    return (
        joint.type is JointType.WELD
        and joint.name == ROOT_JOINT
        and is_identity(joint.T_parent_joint)
        and is_identity(joint.T_child_joint)
    )
