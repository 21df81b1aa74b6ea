"""Robots whose reach is known, and arms as skeletons."""

from __future__ import annotations

import numpy as np
from _arms import Arm, Array

import kido

INFINITY = np.inf


def planar(lengths: tuple[float, ...] = (0.5, 0.3), limit: float = np.pi) -> kido.Skeleton:
    """Links in the xy plane, one after the other, that turn about z; the tool is at the end."""
    robot = kido.Skeleton("planar")
    parent, at = None, 0.0
    for k, length in enumerate(lengths):
        joint = kido.RevoluteJoint(
            f"j{k}",
            (0, 0, 1),
            T_parent_joint=moved(at, 0.0, 0.0),
            position_lower_limits=-limit,
            position_upper_limits=limit,
        )
        parent, at = robot.add_body(f"l{k}", parent, joint), length
    assert parent is not None
    parent.add_end_effector("tool", (at, 0.0, 0.0))
    return robot


def gantry(size: float = 1.0) -> kido.Skeleton:
    """Three sliding joints along x, y, z, each within +-size."""
    robot = kido.Skeleton("gantry")
    parent = None
    for k, axis in enumerate(np.eye(3)):
        joint = kido.PrismaticJoint(f"j{k}", axis, position_lower_limits=-size, position_upper_limits=size)
        parent = robot.add_body(f"l{k}", parent, joint)
    assert parent is not None
    parent.add_end_effector("tool", (0.0, 0.0, 0.0))
    return robot


def skeleton_of(arm: Arm, lower: Array, upper: Array) -> kido.Skeleton:
    """A skeleton of an arm, its frames all at the base's at zero; the tool is `tool`."""
    robot = kido.Skeleton("arm")
    parent = None
    for k in range(arm.joints):
        limits = {"position_lower_limits": lower[k], "position_upper_limits": upper[k]}
        place = moved(*arm.points[k])
        kind = kido.PrismaticJoint if arm.is_prismatic and arm.is_prismatic[k] else kido.RevoluteJoint
        joint = kind(f"j{k}", arm.axes[k], T_parent_joint=place, T_child_joint=place, **limits)
        parent = robot.add_body(f"l{k}", parent, joint)
    assert parent is not None
    node = parent.add_end_effector("tool", (0.0, 0.0, 0.0))
    node.relative_transform = arm.tool
    return robot


def moved(x: float, y: float, z: float) -> Array:
    """A transform that only moves."""
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def two_arms() -> kido.Skeleton:
    """A torso that turns about z, with two planar arms of 0.3 and 0.2 m, 0.4 m apart."""
    robot = kido.Skeleton("two arms")
    torso = robot.add_body(
        "torso",
        None,
        kido.RevoluteJoint("waist", (0, 0, 1), position_lower_limits=-2, position_upper_limits=2),
    )
    for side, y in (("left", 0.2), ("right", -0.2)):
        parent, place = torso, moved(0.0, y, 0.5)
        for k, length in enumerate((0.3, 0.2)):
            joint = kido.RevoluteJoint(
                f"{side}{k}",
                (0, 0, 1),
                T_parent_joint=place,
                position_lower_limits=-2.5,
                position_upper_limits=2.5,
            )
            parent, place = robot.add_body(f"{side}{k}", parent, joint), moved(length, 0.0, 0.0)
        parent.add_end_effector(f"{side} hand", place[:3, 3])
    return robot
