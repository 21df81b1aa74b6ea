"""Springs and dampers that joints have by a time constant and a damping ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kido.description import JointDescription, RobotDescription
from kido.io._mjcf._node import Node
from kido.io._mjcf._parts import JointPart
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["with_spring_dampers"]

_LEAST = 1e-15


def with_spring_dampers(robot: RobotDescription, parts: Mapping[str, JointPart]) -> RobotDescription:
    """The robot with stiffness and damping of those joints that say `springdamper`, by the names of joints.

    I is what resists a force on the dof alone where the file has the bodies: the inverse of its element of
    the inverse mass matrix. Stiffness is I / (time constant * damping ratio)^2 and damping 2 I / time
    constant, as MuJoCo computes them. Raises ModelFileError.
    """
    chosen = {name: part for name, part in parts.items() if part.placed.node.has("springdamper")}
    with np.errstate(all="ignore"):
        tree = Tree.from_description(robot)
        q = np.zeros(tree.num_dofs)
        for name, part in parts.items():
            q[tree.joint_dofs(name).start : tree.joint_dofs(name).stop] = part.at_rest
        resistance = _resistance(robot, tree, q)
    joints = []
    for joint in robot.joints:
        if joint.name in chosen:
            dofs = tree.joint_dofs(joint.name)
            inertia = float(resistance[dofs.start : dofs.stop].mean())
            joint = _sprung(chosen[joint.name].placed.node, joint, inertia)
        joints.append(joint)
    return replace(robot, joints=joints)


def _resistance(robot: RobotDescription, tree: Tree, q: FloatArray) -> FloatArray:
    """Inverse of the inverse mass matrix's diagonal, averaged over each joint (num_dofs,); 0 without one."""
    try:
        ease = np.diag(np.linalg.inv(tree.mass_matrix(q))).copy()
    except np.linalg.LinAlgError:
        return np.zeros(len(q))
    for joint in robot.joints:
        dofs = tree.joint_dofs(joint.name)
        ease[dofs.start : dofs.stop] = ease[dofs.start : dofs.stop].mean() if len(dofs) else 0.0
    return np.where(np.isfinite(ease) & (ease > 0.0), 1.0 / ease, 0.0)


def _sprung(node: Node, joint: JointDescription, inertia: float) -> JointDescription:
    time, ratio = node.floats("springdamper", 2, 2)
    if time <= 0.0 or ratio <= 0.0:
        return joint
    if inertia == 0.0:
        node.note("ignored", "springdamper: nothing resists the joint", "springdamper")
        return joint
    stiffness, damping = inertia / max(_LEAST, (time * ratio) ** 2), 2.0 * inertia / max(_LEAST, time)
    with node.file.at(node.element):
        return replace(joint, dynamics=replace(joint.dynamics, stiffness=stiffness, damping=damping))
