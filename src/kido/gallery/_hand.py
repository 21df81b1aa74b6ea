"""A seven-axis arm with a hand of three fingers."""

from __future__ import annotations

from kido.description import Material
from kido.gallery._arm7 import FLANGE, add_arm
from kido.gallery._parts import DARK, ORANGE, ORIGIN, WHITE, Vector, add_link, block, hinge, rod
from kido.skeleton import BodyNode, Skeleton, WeldJoint

__all__ = ["hand"]

_PHALANGES = (("proximal", 0.05, 0.06), ("middle", 0.035, 0.04), ("distal", 0.025, 0.03))
"""Name, length [m] and mass [kg]."""


def hand() -> Skeleton:
    """A seven-axis arm and a palm with three fingers of three links: 16 dofs, 16 moving links.

    The palm's z axis points to what it grasps. Thumb and fingers face each other across x and close with
    positive angles.

    Returns:
        The skeleton: the bodies of `arm7`, "palm", and "proximal", "middle" and "distal" links of "thumb",
        "index" and "ring", as "thumb_proximal"; end effectors "grasp" on the palm, and "thumb_tip",
        "index_tip" and "ring_tip".
    """
    robot = Skeleton("hand")
    mount = WeldJoint("palm_mount", T_parent_joint=FLANGE)
    slab = block((0.08, 0.1, 0.05), (0.0, 0.0, 0.025), DARK)
    palm = add_link(robot, "palm", add_arm(robot), mount, 0.5, slab)
    palm.add_end_effector("grasp", (0.0, 0.0, 0.1))
    _add_finger(robot, palm, "thumb", (-0.035, 0.0, 0.05), (0.0, 1.0, 0.0))
    _add_finger(robot, palm, "index", (0.035, 0.03, 0.05), (0.0, -1.0, 0.0))
    _add_finger(robot, palm, "ring", (0.035, -0.03, 0.05), (0.0, -1.0, 0.0))
    return robot


def _add_finger(robot: Skeleton, palm: BodyNode, finger: str, at: Vector, axis: Vector) -> None:
    link = palm
    for name, length, mass in _PHALANGES:
        joint = hinge(
            f"{finger}_{name}_joint", axis, at, (-0.2, 1.6), torque=1.5, speed=6.0, damping=0.01, start=0.1
        )
        at = (0.0, 0.0, length)
        link = add_link(robot, f"{finger}_{name}", link, joint, mass, rod(ORIGIN, at, 0.009, _color(name)))
    link.add_end_effector(f"{finger}_tip", at)


def _color(phalanx: str) -> Material:
    return ORANGE if phalanx == "distal" else WHITE
