"""A humanoid that stands: feet flat on the floor, center of mass above them, joints near a posture."""

from __future__ import annotations

import numpy as np

from examples.demo.humanoid import SIDES, Humanoid
from kido.description import RobotDescription
from kido.ik import CenterOfMass, InverseKinematics, Posture, WholeBodyIK
from kido.math import so3_exp
from kido.skeleton import EndEffector, Skeleton, Support
from kido.typing import FloatArray

__all__ = ["balance_margin", "pose", "standing", "task"]

_ARM_WEIGHT = 0.3
"""What a joint of an arm counts in the posture; those of legs and waist count 1 [-]."""


def standing(robot: RobotDescription, humanoid: Humanoid) -> Skeleton:
    """The humanoid on its feet, with the tasks that keep it there.

    Its soles, palms, balance and posture are end effectors. Those of the soles have supports and, as that of
    the balance, a task in level 0; the posture is wished, in level 3.
    """
    skeleton = Skeleton.from_description(robot)
    soles = _add_soles_and_palms(skeleton, humanoid)
    skeleton.positions = humanoid.posture
    (root,) = skeleton.root_bodies
    root.parent_joint.positions = [0.0, 0.0, 0.0, 0.0, 0.0, -min(sole.transform()[2, 3] for sole in soles)]
    for sole in soles:
        place = sole.transform()[:2, 3]
        task(sole, 0).target.set_transform(pose(0.0, (*place, 0.0)))
    balance = task(root.add_end_effector("balance"), 0)
    balance.error_method = CenterOfMass(linear_weights=(1.0, 1.0, 0.0))  # its height is free
    balance.target.set_translation((*skeleton.support_centroid, 0.0))
    rest = task(root.add_end_effector("posture"), 3)
    rest.error_method = _posture(skeleton, humanoid)
    WholeBodyIK(skeleton).solve_and_apply()
    return skeleton


def task(node: EndEffector, level: int) -> InverseKinematics:
    """The module of a node, in a level of priority, for which all joints may move."""
    module = InverseKinematics.of(node)
    module.dofs = node.skeleton.dofs
    module.hierarchy_level = level
    return module


def balance_margin(skeleton: Skeleton) -> float:
    """How far the center of mass is within the support polygon, seen along gravity [m]; negative: outside."""
    corners = skeleton.support_polygon
    edges = np.roll(corners, -1, axis=0) - corners
    to_com = skeleton.support_axes @ skeleton.com() - corners
    inward = edges[:, 0] * to_com[:, 1] - edges[:, 1] * to_com[:, 0]
    return float((inward / np.linalg.norm(edges, axis=1)).min())


def pose(yaw: float, position: tuple[float, float, float]) -> FloatArray:
    """A pose (4, 4) by a turn about the vertical [rad] and a position [m]."""
    T = np.eye(4)
    T[:3, :3] = so3_exp((0.0, 0.0, yaw))
    T[:3, 3] = position
    return T


def _add_soles_and_palms(skeleton: Skeleton, humanoid: Humanoid) -> list[EndEffector]:
    """Make them, and return the soles."""
    soles = []
    corners = [(x, y, 0.0) for x, y in humanoid.corners]
    for (side, sign), foot, hand in zip(SIDES, humanoid.feet, humanoid.hands, strict=True):
        sole = skeleton.body(foot).add_end_effector(f"{side}_sole", (0.0, 0.0, humanoid.sole))
        sole.create_addon(Support, corners, active=True)
        x, y, z = humanoid.palm
        skeleton.body(hand).add_end_effector(f"{side}_palm", pose(sign * humanoid.cup, (x, sign * y, z)))
        soles.append(sole)
    return soles


def _posture(skeleton: Skeleton, humanoid: Humanoid) -> Posture:
    arms = {dof for hand in humanoid.hands for dof in skeleton.body(hand).chain_dofs}
    joints = skeleton.dofs[6:]  # without the root, which goes first
    return Posture(
        [humanoid.posture.get(dof.name, 0.0) for dof in joints],
        [dof.name for dof in joints],
        weights=[_ARM_WEIGHT if dof in arms else 1.0 for dof in joints],
    )
