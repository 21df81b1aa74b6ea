"""A robot with every kind of joint, and tasks on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from kido.ik import (
    AxisAlignmentTask,
    CenterOfMassTask,
    DifferentialTask,
    FrameTask,
    LookAtTask,
    OrientationTask,
    PositionTask,
    PostureTask,
)
from kido.skeleton import BallJoint, PrismaticJoint, RevoluteJoint, Skeleton

Array = NDArray[np.float64]


def arm(rng: np.random.Generator, joints: int = 7, ball: bool = True) -> Skeleton:
    """A chain with a ball joint and a prismatic one, and a second hand."""
    robot = Skeleton("arm")
    body = None
    for i in range(joints):
        axis = rng.normal(size=3)
        if ball and i == 2:
            joint: kido.skeleton.Joint = BallJoint(f"j{i}")
        elif i == 4:
            joint = PrismaticJoint(f"j{i}", axis=axis)
        else:
            joint = RevoluteJoint(f"j{i}", axis=axis)
        joint.T_parent_joint = pose(rng.normal(size=3), rng.uniform(-0.3, 0.3, 3))
        inertia = kido.Inertia(float(rng.uniform(0.5, 2.0)), rng.uniform(-0.1, 0.1, 3), np.eye(3))
        body = robot.add_body(f"b{i}", body, joint, inertia=inertia)
    other = RevoluteJoint("other", axis=rng.normal(size=3))
    other.T_parent_joint = pose(rng.normal(size=3), rng.uniform(-0.3, 0.3, 3))
    robot.add_body("second", robot.body("b1"), other)
    robot.positions = rng.uniform(-0.5, 0.5, robot.num_dofs)
    return robot


def pose(rotation: Array, position: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec(rotation).as_matrix(), position
    return T


def near(T: Array, rng: np.random.Generator, size: float) -> Array:
    """A pose beside another one."""
    step = pose(size * rng.normal(size=3), size * rng.normal(size=3))
    out = np.array(T) @ step
    return out


Make = Callable[[Skeleton, np.random.Generator, float], DifferentialTask]


def frame(robot: Skeleton, rng: np.random.Generator, size: float) -> FrameTask:
    hand = robot.body("b6")
    return FrameTask(hand, near(hand.transform(), rng, size))


def relative(robot: Skeleton, rng: np.random.Generator, size: float) -> FrameTask:
    hand, other = robot.body("b6"), robot.body("second")
    return FrameTask(hand, near(hand.transform(relative_to=other), rng, size), relative_to=other)


def offset_frame(robot: Skeleton, rng: np.random.Generator, size: float) -> FrameTask:
    tool = kido.SimpleFrame("tool", robot.body("b6"), pose(rng.normal(size=3), rng.normal(size=3) * 0.2))
    return FrameTask(tool, near(tool.transform(), rng, size))


def seen_from_outside(robot: Skeleton, rng: np.random.Generator, size: float) -> FrameTask:
    table = kido.SimpleFrame("table", None, pose(rng.normal(size=3), rng.normal(size=3)))
    hand = robot.body("b6")
    return FrameTask(hand, near(hand.transform(relative_to=table), rng, size), relative_to=table)


def target_frame(robot: Skeleton, rng: np.random.Generator, size: float) -> FrameTask:
    hand = robot.body("b6")
    return FrameTask(hand, kido.SimpleFrame("goal", None, near(hand.transform(), rng, size)))


def position(robot: Skeleton, rng: np.random.Generator, size: float) -> PositionTask:
    hand = robot.body("b6")
    return PositionTask(hand, np.asarray(hand.transform())[:3, 3] + size * rng.normal(size=3))


def orientation(robot: Skeleton, rng: np.random.Generator, size: float) -> OrientationTask:
    hand = robot.body("b6")
    return OrientationTask(hand, near(hand.transform(), rng, size)[:3, :3])


def axis(robot: Skeleton, rng: np.random.Generator, size: float) -> AxisAlignmentTask:
    hand, a = robot.body("b6"), rng.normal(size=3)
    direction = near(hand.transform(), rng, size)[:3, :3] @ a
    return AxisAlignmentTask(hand, a, direction)


def gaze(robot: Skeleton, rng: np.random.Generator, size: float) -> LookAtTask:
    hand, a = robot.body("b6"), rng.normal(size=3)
    T = np.asarray(hand.transform())
    direction = near(T, rng, size)[:3, :3] @ (a / np.linalg.norm(a))
    return LookAtTask(hand, a, T[:3, 3] + 0.7 * direction)


def mass(robot: Skeleton, rng: np.random.Generator, size: float) -> CenterOfMassTask:
    return CenterOfMassTask(robot.com() + 0.3 * size * rng.normal(size=3))


def mass_in_hand(robot: Skeleton, rng: np.random.Generator, size: float) -> CenterOfMassTask:
    second = robot.body("second")
    at = robot.com(relative_to=second)
    return CenterOfMassTask(at + 0.3 * size * rng.normal(size=3), relative_to=second)


def posture(robot: Skeleton, rng: np.random.Generator, size: float) -> PostureTask:
    return PostureTask(robot.tree.integrate(robot.positions, size * rng.normal(size=robot.num_dofs)))


TASKS: dict[str, Make] = {
    "frame": frame,
    "relative": relative,
    "offset frame": offset_frame,
    "seen from outside": seen_from_outside,
    "target frame": target_frame,
    "position": position,
    "orientation": orientation,
    "axis": axis,
    "gaze": gaze,
    "centre of mass": mass,
    "centre of mass in a hand": mass_in_hand,
    "posture": posture,
}
