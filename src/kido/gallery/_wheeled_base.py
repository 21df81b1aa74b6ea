"""A mobile base on two driven wheels and a caster."""

from __future__ import annotations

from typing import Literal

from kido.gallery._parts import (
    BLUE,
    DARK,
    ORIGIN,
    RUBBER,
    STEEL,
    Vector,
    Y,
    Z,
    add_link,
    block,
    drum,
    hinge,
    rod,
)
from kido.skeleton import ActuatorType, BodyNode, FreeJoint, Joint, PlanarJoint, Skeleton

__all__ = ["wheeled_base"]

_RADIUS = 0.1  # [m]
_TRACK = 0.4
_CASTER_RADIUS = 0.05
_CASTER = (-0.15, 0.0, 0.03)
_TRAIL = (-0.03, 0.0, _CASTER_RADIUS - _RADIUS - _CASTER[2])


def wheeled_base(root: Literal["planar", "free"] = "planar") -> Skeleton:
    """A base with differential drive: wheels of 0.1 m radius, 0.4 m apart, and a swivel caster behind them.

    Its origin is in the middle between the wheels. Wheels turn with positive velocities where it rolls
    forward. That they roll and do not slip is up to contacts or to the user: forward speed r (right + left) /
    2, turning r (right - left) / track.

    Args:
        root: how the base moves: in the plane of the ground, or freely.

    Returns:
        The skeleton: bodies "base", "left_wheel", "right_wheel", "caster_fork", "caster_wheel"; joints
        "root", "left_drive", "right_drive", and, without motors, "caster_swivel" and "caster_axle".

    Raises:
        ValueError: another root.
    """
    robot = Skeleton("wheeled_base")
    chassis = (
        block((0.45, 0.30, 0.14), (-0.02, 0.0, 0.10), BLUE),
        drum((0.1, 0.0, 0.17), (0.1, 0.0, 0.21), 0.04, DARK),
    )
    base = add_link(robot, "base", None, _root(root), 12.0, *chassis)
    base.add_end_effector("lidar", (0.1, 0.0, 0.19))
    for side, name in ((1.0, "left"), (-1.0, "right")):
        axle = hinge(
            f"{name}_drive", Y, (0.0, side * _TRACK / 2.0, 0.0), torque=10.0, speed=15.0, damping=0.02
        )
        tire = drum((0.0, -0.02, 0.0), (0.0, 0.02, 0.0), _RADIUS, RUBBER)
        add_link(robot, f"{name}_wheel", base, axle, 1.0, tire)
    _add_caster(robot, base)
    return robot


def _root(kind: str) -> Joint:
    if kind == "planar":
        return PlanarJoint("root", T_parent_joint=(0.0, 0.0, _RADIUS))
    if kind != "free":
        raise ValueError(f"root: expected 'planar' or 'free', got {kind!r}")
    joint = FreeJoint("root", initial_positions=(0.0, 0.0, 0.0, 0.0, 0.0, _RADIUS))
    joint.reset_positions()
    return joint


def _add_caster(robot: Skeleton, base: BodyNode) -> None:
    swivel = hinge("caster_swivel", Z, _CASTER, damping=0.005)
    axle = hinge("caster_axle", Y, _TRAIL, damping=0.001)
    swivel.actuator = axle.actuator = ActuatorType.PASSIVE
    fork = add_link(robot, "caster_fork", base, swivel, 0.2, rod(ORIGIN, _TRAIL, 0.012, STEEL))
    tire: tuple[Vector, Vector] = ((0.0, -0.012, 0.0), (0.0, 0.012, 0.0))
    add_link(robot, "caster_wheel", fork, axle, 0.3, drum(*tire, _CASTER_RADIUS, RUBBER))
