"""A six-axis industrial arm."""

from __future__ import annotations

import math

from kido.gallery._parts import DARK, ORANGE, ORIGIN, STEEL, WHITE, X, Y, Z, add_link, ball, drum, hinge, rod
from kido.skeleton import BodyNode, Skeleton, WeldJoint

__all__ = ["arm"]

_WAIST = (0.0, 0.0, 0.12)
_SHOULDER = (0.0, 0.0, 0.2)
_ELBOW = (0.0, 0.0, 0.4)
_WRIST_ROLL = (0.2, 0.0, 0.0)
_WRIST = (0.2, 0.0, 0.0)
_TOOL = (0.1, 0.0, 0.0)


def arm() -> Skeleton:
    """A six-axis arm with a reach of 0.9 m and a spherical wrist.

    With all positions 0 the upper arm points up and the forearm along x. The first three joints ("waist",
    "shoulder", "elbow") place the center of the wrist, in which the axes of the other three ("wrist_roll",
    "wrist_pitch", "flange_roll") meet. It starts with the tool pointing down.

    Returns:
        The skeleton: bodies "base", "turret", "upper_arm", "forearm", "wrist", "pitch", "flange"; end
        effector "tool", whose x axis points out of the flange.
    """
    robot = Skeleton("arm")
    base = add_link(robot, "base", None, WeldJoint("mount"), 6.0, drum(ORIGIN, _WAIST, 0.1, DARK))
    waist = hinge("waist", Z, _WAIST, (-2.97, 2.97), torque=200.0, speed=3.0, damping=2.0)
    column = drum(ORIGIN, _SHOULDER, 0.07, ORANGE)
    knuckle = drum((0.0, -0.09, 0.2), (0.0, 0.09, 0.2), 0.07, DARK)
    turret = add_link(robot, "turret", base, waist, 7.0, column, knuckle)
    shoulder = hinge("shoulder", Y, _SHOULDER, (-1.9, 1.9), torque=200.0, speed=3.0, damping=2.0)
    upper_arm = add_link(robot, "upper_arm", turret, shoulder, 6.0, rod(ORIGIN, _ELBOW, 0.06, ORANGE))
    elbow = hinge("elbow", Y, _ELBOW, (-2.6, 2.6), torque=120.0, speed=3.0, damping=1.0)
    knuckle = drum((0.0, -0.07, 0.0), (0.0, 0.07, 0.0), 0.06, DARK)
    forearm = add_link(
        robot, "forearm", upper_arm, elbow, 3.5, knuckle, drum(ORIGIN, _WRIST_ROLL, 0.05, ORANGE)
    )
    _add_wrist(robot, forearm)
    return robot


def _add_wrist(robot: Skeleton, forearm: BodyNode) -> None:
    roll = hinge("wrist_roll", X, _WRIST_ROLL, (-3.3, 3.3), torque=30.0, speed=6.0, damping=0.3)
    wrist = add_link(robot, "wrist", forearm, roll, 1.5, drum(ORIGIN, _WRIST, 0.04, WHITE))
    pitch = hinge(
        "wrist_pitch", Y, _WRIST, (-2.1, 2.1), torque=30.0, speed=6.0, damping=0.3, start=math.pi / 2
    )
    cross = add_link(robot, "pitch", wrist, pitch, 0.8, ball(0.045, material=DARK))
    turn = hinge("flange_roll", X, ORIGIN, (-6.28, 6.28), torque=20.0, speed=8.0, damping=0.2)
    flange = add_link(robot, "flange", cross, turn, 0.4, drum((0.05, 0.0, 0.0), _TOOL, 0.035, STEEL))
    flange.add_end_effector("tool", _TOOL)
