"""A quadruped robot of the size of a dog."""

from __future__ import annotations

import math

from kido.gallery._parts import (
    BLUE,
    DARK,
    ORIGIN,
    RUBBER,
    WHITE,
    Vector,
    X,
    Y,
    add_link,
    ball,
    block,
    drum,
    hinge,
    rod,
)
from kido.skeleton import BodyNode, FreeJoint, Skeleton, Support

__all__ = ["quadruped"]

_THIGH = _SHIN = 0.21  # [m]
_FOOT = 0.02
_HIP_PITCH = 0.8  # [rad]


def quadruped() -> Skeleton:
    """A quadruped robot of 13 kg with 12 motors and a free root. It stands with its feet under its hips.

    Returns:
        The skeleton: bodies "trunk", and for each leg, as "front_left": "front_left_hip", "front_left_thigh",
        "front_left_shin"; joints "front_left_abduction", "front_left_hip_pitch", "front_left_knee". An end
        effector for each leg, as "front_left_foot", stands in the middle of its ball foot, with a `Support`
        of that point, active.
    """
    robot = Skeleton("quadruped")
    height = _FOOT + (_THIGH + _SHIN) * math.cos(_HIP_PITCH)
    root = FreeJoint("root", initial_positions=(0.0, 0.0, 0.0, 0.0, 0.0, height))
    root.reset_positions()
    nose = block((0.04, 0.10, 0.06), (0.21, 0.0, 0.01), DARK)
    tail = block((0.04, 0.10, 0.06), (-0.21, 0.0, 0.01), DARK)
    trunk = add_link(robot, "trunk", None, root, 6.6, block((0.38, 0.10, 0.11), material=WHITE), nose, tail)
    for end, x in (("front", 0.19), ("rear", -0.19)):
        for side, y in (("left", 1.0), ("right", -1.0)):
            _add_leg(robot, f"{end}_{side}", trunk, (x, 0.05 * y, 0.0), y)
    return robot


def _add_leg(robot: Skeleton, name: str, trunk: BodyNode, at: Vector, side: float) -> None:
    lower, upper = (-0.8, 0.8)
    abduction = hinge(f"{name}_abduction", X, at, (lower, upper), torque=24.0, speed=30.0, damping=0.05)
    motor = drum((0.0, 0.0, 0.0), (0.0, 0.05 * side, 0.0), 0.045, DARK)
    hip = add_link(robot, f"{name}_hip", trunk, abduction, 0.6, motor)
    pitch = hinge(
        f"{name}_hip_pitch",
        Y,
        (0.0, 0.085 * side, 0.0),
        (-1.0, 3.0),
        torque=24.0,
        speed=30.0,
        damping=0.05,
        start=_HIP_PITCH,
    )
    thigh = add_link(robot, f"{name}_thigh", hip, pitch, 0.85, rod(ORIGIN, (0.0, 0.0, -_THIGH), 0.022, BLUE))
    knee = hinge(
        f"{name}_knee",
        Y,
        (0.0, 0.0, -_THIGH),
        (-2.7, -0.6),
        torque=36.0,
        speed=20.0,
        damping=0.05,
        start=-2.0 * _HIP_PITCH,
    )
    end: Vector = (0.0, 0.0, -_SHIN)
    foot = ball(_FOOT, end, RUBBER)
    shin = add_link(robot, f"{name}_shin", thigh, knee, 0.15, rod(ORIGIN, end, 0.012, WHITE), foot)
    effector = shin.add_end_effector(f"{name}_foot", end)
    effector.create_addon(Support, [ORIGIN], active=True)
