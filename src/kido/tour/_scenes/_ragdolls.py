"""Ragdolls that fall down stairs."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.shape import Box
from kido.skeleton import ActuatorType, FreeJoint, Joint, ShapeNode, Skeleton
from kido.tour._parts import fixed, material, rainbow
from kido.tour._stage import Stage
from kido.view import Orbit
from kido.world import World

__all__ = ["ragdolls"]

_COUNT = 4
_STEPS, _RISE, _DEPTH, _WIDTH = 6, 0.2, 0.42, 2.6
_DAMPING = 1.5
"""Of all joints [N m s/rad]."""
_GREY = material("stone", 0.72, 0.72, 0.70)


def ragdolls() -> Stage:
    """Four humanoids with nothing but damping in their joints, and joint limits that hold."""
    dolls = [_doll(i) for i in range(_COUNT)]
    stairs = [
        fixed(
            f"step {i}",
            Box((_DEPTH, _WIDTH, _RISE * (i + 1))),
            (-_DEPTH * i, 0.0, 0.5 * _RISE * (i + 1)),
            _GREY,
        )
        for i in range(_STEPS)
    ]
    world = World([gallery.ground(), *stairs, *dolls], time_step=2e-3)
    return Stage(what=world, camera=Orbit(35.0, 20.0, 1.1), picture_time=1.5)


def _doll(index: int) -> Skeleton:
    made = gallery.humanoid(compound_joints=True)
    made.name = f"doll {index + 1}"
    for joint in made.joints:
        if not isinstance(joint, FreeJoint):
            _loosen(joint)
    shirt = rainbow((index + 0.5) / _COUNT)
    for name in ("torso", "left_upper_arm", "right_upper_arm"):
        for node in made.body(name).nodes(ShapeNode):
            node.material = shirt
    made.self_collision_check = True
    turned = 0.6 * (index % 3 - 1.0)
    y = (index - 0.5 * (_COUNT - 1)) * 0.62
    x, z = -_DEPTH * (_STEPS - 1.8) + 0.12 * (index % 2), _RISE * _STEPS + 0.78 + 0.3 * index
    made.joint("root").positions = [0.0, 0.3 + 0.25 * index, turned, x, y, z]
    made.joint("root").velocities = np.array([0.4 * (index - 1.5), 1.5, 0.0, 1.3, 0.0, 0.0])
    return made


def _loosen(joint: Joint) -> None:
    joint.actuator = ActuatorType.PASSIVE
    joint.damping = _DAMPING
