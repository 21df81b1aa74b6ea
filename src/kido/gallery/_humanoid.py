"""A humanoid robot of the size of a small human."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kido.description import ShapePlacement
from kido.gallery._parts import (
    BLUE,
    DARK,
    ORIGIN,
    RUBBER,
    STEEL,
    Vector,
    X,
    Y,
    Z,
    add_link,
    ball,
    block,
    hinge,
    rod,
)
from kido.skeleton import BallJoint, BodyNode, FreeJoint, Joint, Skeleton, Support, UniversalJoint

__all__ = ["humanoid"]

_HIP_HEIGHT = 0.06  # [m] of the pelvis above the hips
_THIGH = _SHIN = 0.34
_ANKLE = 0.08
_UPPER_ARM, _FOREARM = 0.26, 0.22
_KNEE_BEND = 0.4  # [rad]
_MOTOR_MASS = 0.5  # [kg]
_SOLE = ((-0.07, -0.045), (0.13, -0.045), (0.13, 0.045), (-0.07, 0.045))
_PALM = ((-0.02, -0.03), (0.02, -0.03), (0.02, 0.03), (-0.02, 0.03))


@dataclass(frozen=True)
class _Motor:
    """One axis of a joint: limits and start [rad], torque [N m]."""

    name: str
    axis: Vector
    lower: float
    upper: float
    torque: float
    start: float = 0.0

    def on_side(self, side: float) -> _Motor:
        """As it is on the left (side = 1), or mirrored."""
        if side > 0.0 or self.axis == Y:
            return self
        return _Motor(self.name, self.axis, -self.upper, -self.lower, self.torque, -self.start)


_WAIST = (_Motor("yaw", Z, -1.5, 1.5, 90.0), _Motor("pitch", Y, -0.5, 0.9, 90.0))
_NECK = (_Motor("yaw", Z, -1.5, 1.5, 8.0), _Motor("pitch", Y, -0.8, 0.8, 8.0))
_HIP = (
    _Motor("yaw", Z, -0.7, 1.0, 80.0),
    _Motor("roll", X, -0.4, 0.9, 120.0),
    _Motor("pitch", Y, -2.0, 0.9, 120.0, -_KNEE_BEND / 2.0),
)
_KNEE = (_Motor("pitch", Y, 0.0, 2.4, 150.0, _KNEE_BEND),)
_ANKLE_AXES = (
    _Motor("pitch", Y, -0.9, 0.7, 80.0, -_KNEE_BEND / 2.0),
    _Motor("roll", X, -0.5, 0.5, 40.0),
)
_SHOULDER = (
    _Motor("pitch", Y, -3.0, 1.2, 40.0),
    _Motor("roll", X, -0.2, 2.6, 40.0, 0.15),
    _Motor("yaw", Z, -1.5, 1.5, 25.0),
)
_ELBOW = (_Motor("pitch", Y, -2.5, 0.0, 25.0, -0.3),)
_WRIST = (
    _Motor("yaw", Z, -1.5, 1.5, 10.0),
    _Motor("roll", X, -0.8, 0.8, 8.0),
    _Motor("pitch", Y, -1.0, 1.0, 8.0),
)


def humanoid(*, compound_joints: bool = False) -> Skeleton:
    """A humanoid robot, 1.54 m tall, with 30 motors and a free root. It stands with its knees a little bent.

    Args:
        compound_joints: whether joints with several axes are ball and universal joints, as the hip of a
            human, and not hinges one after the other. Limits of a ball joint are those of its rotation
            vector.

    Returns:
        The skeleton: bodies "pelvis", "torso", "head", and on each side "left_thigh", "left_shin",
        "left_foot", "left_upper_arm", "left_forearm", "left_hand". End effectors "left_foot" and "right_foot"
        under the ankles on the soles, with a `Support` that is active, "left_hand" and "right_hand" with one
        that is not, and "gaze", whose x axis points where the camera looks.
    """
    builder = _Builder(Skeleton("humanoid"), compound_joints)
    height = _ANKLE + (_THIGH + _SHIN) * math.cos(_KNEE_BEND / 2.0) + _HIP_HEIGHT
    root = FreeJoint("root", initial_positions=(0.0, 0.0, 0.0, 0.0, 0.0, height))
    root.reset_positions()
    solids = block((0.16, 0.24, 0.12), material=BLUE), ball(0.07, (0.0, 0.0, 0.08), DARK)
    pelvis = add_link(builder.robot, "pelvis", None, root, 7.0, *solids)
    chest = (
        block((0.17, 0.28, 0.30), (0.0, 0.0, 0.25)),
        rod((0.0, -0.05, 0.06), (0.0, 0.05, 0.06), 0.06, DARK),
    )
    torso = builder.limb("torso", "waist", pelvis, _WAIST, (0.0, 0.0, 0.10), 12.0, *chest)
    skull = ball(0.09, (0.0, 0.0, 0.10)), block((0.03, 0.11, 0.04), (0.085, 0.0, 0.11), DARK)
    head = builder.limb("head", "neck", torso, _NECK, (0.0, 0.0, 0.44), 2.5, *skull)
    head.add_end_effector("gaze", (0.1, 0.0, 0.11))
    for side, name in ((1.0, "left"), (-1.0, "right")):
        _add_leg(builder, name, side, pelvis)
        _add_arm(builder, name, side, torso)
    return builder.robot


def _add_leg(builder: _Builder, name: str, side: float, pelvis: BodyNode) -> None:
    knee, ankle = (0.0, 0.0, -_THIGH), (0.0, 0.0, -_SHIN)
    hip = [motor.on_side(side) for motor in _HIP]
    thigh = builder.limb(
        f"{name}_thigh",
        f"{name}_hip",
        pelvis,
        hip,
        (0.0, 0.09 * side, -_HIP_HEIGHT),
        4.0,
        rod(ORIGIN, knee, 0.055),
    )
    shin = builder.limb(
        f"{name}_shin", f"{name}_knee", thigh, _KNEE, knee, 2.5, rod(ORIGIN, ankle, 0.045, BLUE)
    )
    sole = block((0.20, 0.09, 0.03), (0.03, 0.0, 0.015 - _ANKLE), RUBBER)
    instep = rod((0.0, 0.0, -0.03), (0.05, 0.0, -0.04), 0.03, STEEL)
    axes = [motor.on_side(side) for motor in _ANKLE_AXES]
    foot = builder.limb(f"{name}_foot", f"{name}_ankle", shin, axes, ankle, 1.0, sole, instep)
    effector = foot.add_end_effector(f"{name}_foot", (0.0, 0.0, -_ANKLE))
    effector.create_addon(Support, [(x, y, 0.0) for x, y in _SOLE], active=True)


def _add_arm(builder: _Builder, name: str, side: float, torso: BodyNode) -> None:
    elbow, wrist = (0.0, 0.0, -_UPPER_ARM), (0.0, 0.0, -_FOREARM)
    shoulder = [motor.on_side(side) for motor in _SHOULDER]
    upper_arm = builder.limb(
        f"{name}_upper_arm",
        f"{name}_shoulder",
        torso,
        shoulder,
        (0.0, 0.20 * side, 0.36),
        1.6,
        rod(ORIGIN, elbow, 0.04),
    )
    forearm = builder.limb(
        f"{name}_forearm", f"{name}_elbow", upper_arm, _ELBOW, elbow, 1.1, rod(ORIGIN, wrist, 0.033, BLUE)
    )
    axes = [motor.on_side(side) for motor in _WRIST]
    palm = block((0.05, 0.025, 0.10), (0.0, 0.0, -0.08), DARK)
    hand = builder.limb(f"{name}_hand", f"{name}_wrist", forearm, axes, wrist, 0.5, palm)
    effector = hand.add_end_effector(f"{name}_hand", (0.0, 0.0, -0.13))
    effector.create_addon(Support, [(x, y, 0.0) for x, y in _PALM])


@dataclass(frozen=True)
class _Builder:
    """The robot, and whether its joints with several axes are one joint each."""

    robot: Skeleton
    compound: bool

    def limb(
        self,
        name: str,
        joint_name: str,
        parent: BodyNode,
        motors: Sequence[_Motor],
        at: Vector,
        mass: float,
        *solids: ShapePlacement,
    ) -> BodyNode:
        """Adds a body carried by motors whose axes meet in a point of the parent."""
        if self.compound and len(motors) > 1:
            total = mass + _MOTOR_MASS * (len(motors) - 1)
            return add_link(self.robot, name, parent, _compound(joint_name, motors, at), total, *solids)
        for motor in motors[:-1]:
            joint = _single(f"{joint_name}_{motor.name}", motor, at)
            housing = ball(0.035, material=DARK)
            parent = add_link(self.robot, f"{joint.name}_link", parent, joint, _MOTOR_MASS, housing)
            at = ORIGIN
        last = joint_name if len(motors) == 1 else f"{joint_name}_{motors[-1].name}"
        return add_link(self.robot, name, parent, _single(last, motors[-1], at), mass, *solids)


def _single(name: str, motor: _Motor, at: Vector) -> Joint:
    return hinge(
        name,
        motor.axis,
        at,
        (motor.lower, motor.upper),
        torque=motor.torque,
        speed=10.0,
        damping=0.5,
        start=motor.start,
    )


def _compound(name: str, motors: Sequence[_Motor], at: Vector) -> Joint:
    """A ball joint for three axes, a universal joint for two."""
    if len(motors) == 2:
        joint: Joint = UniversalJoint(name, motors[0].axis, motors[1].axis, T_parent_joint=at)
    else:
        joint = BallJoint(name, T_parent_joint=at)
        motors = sorted(motors, key=lambda motor: motor.axis, reverse=True)  # x, y, z
    torques = [motor.torque for motor in motors]
    joint.set_position_limits([motor.lower for motor in motors], [motor.upper for motor in motors])
    joint.force_lower_limits, joint.force_upper_limits = [-torque for torque in torques], torques
    joint.velocity_lower_limits, joint.velocity_upper_limits = -10.0, 10.0
    joint.damping = 0.5
    joint.initial_positions = [motor.start for motor in motors]
    joint.reset_positions()
    return joint
