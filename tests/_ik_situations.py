"""Inverse kinematics modules in every situation that their parts have to know: kinds of joints, points beside
the node, targets and reference frames that move. Each call makes a fresh one, in a generic posture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from _robots import loaded
from kido import InverseKinematics, gallery

Array = NDArray[np.float64]


def pose_of(rotation_vector: object = (0.0, 0.0, 0.0), position: object = (0.0, 0.0, 0.0)) -> Array:
    """A pose (4, 4) by its rotation vector (3,) [rad] and position (3,) [m]."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(np.asarray(rotation_vector, dtype=float)).as_matrix()
    T[:3, 3] = position
    return T


def _stand(robot: kido.Skeleton, seed: int, most: float = 0.6) -> None:
    """Put a robot somewhere between its limits, by up to `most` [rad, m] from where it is."""
    away = np.random.default_rng(seed).uniform(-most, most, robot.num_dofs)
    lower, upper = robot.position_lower_limits, robot.position_upper_limits
    robot.positions = np.clip(robot.positions + away, lower + 0.05, upper - 0.05)


def _chain(*joints: kido.Joint, seed: int = 3) -> kido.Skeleton:
    """Bodies of different masses on joints that are placed at random, an end effector `hand` at the end."""
    rng = np.random.default_rng(seed)
    chain, body = kido.Skeleton("chain"), None
    for i, joint in enumerate(joints):
        joint.T_parent_joint = pose_of(rng.uniform(-1.0, 1.0, 3), rng.uniform(-0.3, 0.3, 3))
        inertia = kido.Inertia(mass=1.0 + 0.5 * i, com=rng.uniform(-0.1, 0.1, 3))
        body = chain.add_body(f"body{i}", body, joint, inertia=inertia)
    assert body is not None
    body.add_end_effector("hand", pose_of((0.3, -0.5, 0.8), (0.1, 0.05, 0.2)))
    return chain


_humanoid = cache(gallery.humanoid)


def panda() -> InverseKinematics:
    robot = loaded("panda_description/urdf/panda.urdf").clone()
    ik = InverseKinematics.of(robot.body("panda_hand"))
    ik.positions = [0.3, -0.5, 0.4, -1.9, 0.6, 1.7, -0.3]
    return ik


def free_humanoid() -> InverseKinematics:
    robot = _humanoid().clone()
    _stand(robot, 1, 0.3)
    ik = InverseKinematics.of(robot.end_effector("right_hand"))
    ik.use_whole_body()
    return ik


def ball_joints() -> InverseKinematics:
    robot = _chain(kido.BallJoint("shoulder"), kido.RevoluteJoint("elbow"), kido.BallJoint("wrist"))
    _stand(robot, 2)
    return InverseKinematics.of(robot.end_effector("hand"))


def sliding_joints() -> InverseKinematics:
    robot = _chain(
        kido.PlanarJoint("base"),
        kido.PrismaticJoint("lift", axis=(0.0, 0.0, 1.0)),
        kido.ScrewJoint("screw", axis=(1.0, 0.0, 0.0), pitch=0.1),
        kido.UniversalJoint("wrist"),
        kido.RevoluteJoint("last", axis=(0.0, 0.6, 0.8)),
    )
    _stand(robot, 4)
    return InverseKinematics.of(robot.body("body4"))


def point_beside() -> InverseKinematics:
    robot = gallery.arm7()
    _stand(robot, 5)
    ik = InverseKinematics.of(robot.end_effector("tool"))
    ik.offset = (0.05, -0.1, 0.15)
    ik.reference_frame = kido.SimpleFrame("tilted", transform=pose_of((0.4, 0.9, -0.7), (1.0, 2.0, 3.0)))
    return ik


def _two_arms() -> kido.Skeleton:
    robot = kido.Skeleton("two arms")
    base = robot.add_body("base", joint=kido.FreeJoint("root"))
    axes = np.random.default_rng(6).normal(size=(2, 6, 3))
    for side, y, directions in (("left", 0.2, axes[0]), ("right", -0.2, axes[1])):
        body, offset = base, (0.0, y, 0.3)
        for i, axis in enumerate(directions):
            joint = kido.RevoluteJoint(
                f"{side}{i}", axis=axis / np.linalg.norm(axis), T_parent_joint=pose_of(position=offset)
            )
            body = robot.add_body(f"{side} body{i}", body, joint)
            offset = (0.2, 0.0, 0.05)
        body.add_end_effector(side, pose_of((0.2, 0.1, 0.3), (0.1, 0.0, 0.0)))
    _stand(robot, 7)
    return robot


def moving_target() -> InverseKinematics:
    robot = _two_arms()
    ik = InverseKinematics.of(robot.end_effector("left"))
    ik.dofs = robot.dofs
    ik.target = kido.SimpleFrame("held", robot.end_effector("right"), pose_of((0.3, 0.2, 0.1), (0.1, 0, 0)))
    return ik


def moving_reference() -> InverseKinematics:
    robot = _two_arms()
    ik = InverseKinematics.of(robot.end_effector("left"))
    ik.dofs = robot.dofs
    ik.reference_frame = robot.body("left body2")
    return ik


SITUATIONS: dict[str, Callable[[], InverseKinematics]] = {
    build.__name__: build
    for build in (
        panda,
        free_humanoid,
        ball_joints,
        sliding_joints,
        point_beside,
        moving_target,
        moving_reference,
    )
}
