"""A seven-axis arm with shoulder, elbow and wrist."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kido.gallery._parts import (
    BLUE,
    DARK,
    ORIGIN,
    STEEL,
    WHITE,
    Vector,
    Y,
    Z,
    add_link,
    ball,
    drum,
    hinge,
    rod,
)
from kido.skeleton import BodyNode, Skeleton, WeldJoint

__all__ = ["FLANGE", "add_arm", "arm7"]


@dataclass(frozen=True)
class _Axis:
    """A joint and its link: its length along z [m]; limit and start [rad], torque [N m], mass [kg]."""

    axis: Vector
    length: float
    limit: float
    torque: float
    mass: float
    start: float


_BASE = 0.15
_AXES = (
    _Axis(Z, 0.19, 2.97, 180.0, 4.0, 0.0),
    _Axis(Y, 0.20, 2.09, 180.0, 4.0, 0.4),
    _Axis(Z, 0.20, 2.97, 110.0, 3.0, 0.0),
    _Axis(Y, 0.20, 2.09, 110.0, 2.7, 1.6),
    _Axis(Z, 0.19, 2.97, 110.0, 1.7, 0.0),
    _Axis(Y, 0.08, 2.09, 40.0, 1.8, math.pi - 2.0),
    _Axis(Z, 0.05, 3.05, 40.0, 0.3, 0.0),
)
FLANGE: Vector = (0.0, 0.0, _AXES[-1].length)
"""Position of the tool mount on the last link [m]."""


def arm7() -> Skeleton:
    """A seven-axis arm with a reach of 0.92 m, whose elbow can swing while the tool stays.

    With all positions 0 it points up. The axes of joints 1 to 3 meet in the shoulder, 0.34 m above the
    ground, those of joints 5 to 7 in the wrist; it is 0.40 m from the shoulder to the elbow, 0.39 m to the
    wrist. It starts with the tool pointing down.

    Returns:
        The skeleton: bodies "base" and "link_1" to "link_7", joints "joint_1" to "joint_7"; end effector
        "tool", whose z axis points out of the flange.
    """
    robot = Skeleton("arm7")
    add_arm(robot).add_end_effector("tool", FLANGE)
    return robot


def add_arm(robot: Skeleton) -> BodyNode:
    """Adds the arm; returns its last link."""
    top: Vector = (0.0, 0.0, _BASE)
    link = add_link(robot, "base", None, WeldJoint("mount"), 5.0, drum(ORIGIN, top, 0.09, DARK))
    for number, row in enumerate(_AXES, start=1):
        limits = (-row.limit, row.limit)
        joint = hinge(
            f"joint_{number}",
            row.axis,
            top,
            limits,
            torque=row.torque,
            speed=2.0,
            damping=0.5,
            start=row.start,
        )
        top = (0.0, 0.0, row.length)
        thickness = 0.075 - 0.005 * number
        solids = [rod(ORIGIN, top, thickness, WHITE if row.axis == Z else BLUE)]
        if number == len(_AXES):
            solids = [drum(ORIGIN, top, thickness, STEEL)]
        elif row.axis == Y:
            solids.append(ball(1.1 * thickness, material=DARK))
        link = add_link(robot, f"link_{number}", link, joint, row.mass, *solids)
    return link
