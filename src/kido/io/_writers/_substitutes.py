"""Joints written as others that are not quite the same, each with a report."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from kido.description import (
    JointDescription,
    JointLimits,
    JointType,
    LinkDescription,
    Mimic,
    RobotDescription,
)
from kido.io._writers._losses import Losses
from kido.io._writers._names import Names

__all__ = ["ball_as_euler", "screw_as_mimic"]


def ball_as_euler(robot: RobotDescription, losses: Losses) -> RobotDescription:
    """The robot with its ball joints as three turns about x, y and z."""
    joints = [_euler(joint, losses) if joint.type is JointType.BALL else joint for joint in robot.joints]
    return replace(robot, joints=joints)


def screw_as_mimic(robot: RobotDescription, losses: Losses) -> RobotDescription:
    """The robot with its screws as a turn and a translation that follows it, on a massless link between."""
    joint_names = Names(joint.name for joint in robot.joints)
    link_names = Names(link.name for link in robot.links)
    links, joints = list(robot.links), []
    for joint in robot.joints:
        if joint.type is not JointType.SCREW:
            joints.append(joint)
            continue
        turn, slide = _turn_and_slide(
            joint, link_names.new(f"{joint.name}_link"), joint_names.new(f"{joint.name}_slide")
        )
        links.append(LinkDescription(turn.child))
        joints += [turn, slide]
        how = f"a turn and a slide, {slide.name!r}, that follows it, with a massless link {turn.child!r}"
        losses.substituted("joint", joint.name, f"a screw is written as {how}")
    return replace(robot, links=links, joints=joints)


def _euler(joint: JointDescription, losses: Losses) -> JointDescription:
    how = "a ball joint is written as turns about x, y and z: other coordinates, singular at a right angle"
    losses.substituted("joint", joint.name, how)
    limits = joint.limits
    if np.isfinite([limits.lower, limits.upper]).any():
        losses.ignored("joint", joint.name, "the position limits of a ball joint")
        limits = replace(limits, lower=np.full(3, -math.inf), upper=np.full(3, math.inf))
    if joint.mimic is not None:
        losses.ignored("joint", joint.name, "the mimic of a ball joint")
    names = joint.dof_names or joint.type.spec.dof_names(joint.name, "xyz")
    return replace(joint, type=JointType.EULER, euler_order="xyz", limits=limits, mimic=None, dof_names=names)


def _turn_and_slide(
    joint: JointDescription, between: str, slide: str
) -> tuple[JointDescription, JointDescription]:
    per_radian = joint.pitch / (2.0 * math.pi)
    turn = replace(joint, type=JointType.REVOLUTE, child=between, T_child_joint=None, pitch=0.0)
    following = JointDescription(
        slide,
        JointType.PRISMATIC,
        between,
        joint.child,
        None,
        joint.T_child_joint,
        joint.axes,
        limits=JointLimits(),
        mimic=Mimic(joint.name, per_radian),
        line=joint.line,
    )
    return turn, following
