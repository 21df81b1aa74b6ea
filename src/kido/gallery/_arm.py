"""A six-axis industrial arm."""

from __future__ import annotations

import math

from kido.gallery._parts import DARK, ORANGE, ORIGIN, STEEL, X, Y, Z, add_link, drum, hinge, rod
from kido.skeleton import Skeleton, WeldJoint

__all__ = ["arm"]

_SHOULDER = 0.2  # [m] above the waist
_UPPER_ARM = 0.4
_FOREARM = 0.4
_TOOL = 0.1


def arm() -> Skeleton:
    """A six-axis arm with a reach of 0.9 m and a spherical wrist.

    With all positions 0 the upper arm points up and the forearm along x. The first three joints ("waist", "shoulder",
    "elbow") place the center of the wrist, on which the axes of the other three ("wrist_roll", "wrist_pitch",
    "flange_roll") meet. It starts with the tool pointing down.

    Returns:
        The skeleton: bodies "base", "turret", "upper_arm", "forearm", "wrist", "pitch", "flange"; end effector "tool",
        whose x axis points out of the flange.
    """
    robot = Skeleton("arm")
    base = add_link(robot, "base", None, WeldJoint("mount"), 6.0, drum(ORIGIN, (0.0, 0.0, 0.1), 0.1, DARK))
    waist = hinge("waist", Z, (0.0, 0.0, 0.1), (-2.97, 2.97), torque=200.0, speed=3.0, damping=2.0)
    column = drum(ORIGIN, (0.0, 0.0, _SHOULDER), 0.07, ORANGE)
    turret = add_link(robot, "turret", base, waist, 7.0, column, _knuckle(_SHOULDER, 0.09))
    shoulder = hinge(
        "shoulder", Y, (0.0, 0.0, _SHOULDER), (-1.9, 1.9), torque=200.0, speed=3.0, damping=2.0
    )
    strut = rod(ORIGIN, (0.0, 0.0, _UPPER_ARM), 0.06, ORANGE)
    upper_arm = add_link(robot, "upper_arm", turret, shoulder, 6.0, strut)
    elbow = hinge("elbow", Y, (0.0, 0.0, _UPPER_ARM), (-2.6, 2.6), torque=120.0, speed=3.0, damping=1.0)
    tube = drum(ORIGIN, (_FOREARM / 2, 0.0, 0.0), 0.05, ORANGE)
    forearm = add_link(robot, "forearm", upper_arm, elbow, 3.5, _knuckle(0.0, 0.07), tube)
    _add_wrist(robot)
    assert forearm.child_bodies
    return robot
