"""An arm whose base slides along a track."""

from __future__ import annotations

import time

import numpy as np

from kido import gallery
from kido.ik import InverseKinematics
from kido.shape import Box
from kido.skeleton import PrismaticJoint, ShapeNode, Skeleton, WeldJoint
from kido.tour._parts import DARK, STEEL
from kido.tour._stage import Stage
from kido.typing import FloatArray
from kido.view import Orbit, Viewer

__all__ = ["arm_on_track"]

_LENGTH, _TOP = 3.0, 0.12
"""Of the track, and its height [m]."""
_PERIOD = 9.0
"""Of the target's way [s]."""
_DOWN = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))


def arm_on_track() -> Stage:
    """The tool follows a target, by eight joints: one more than the arm has, two more than it needs."""
    robot = _arm_on_carriage()
    ik = InverseKinematics.of(robot.end_effector("tool"))
    ik.use_whole_body()
    ik.target.set_transform(_target(0.0))
    ik.solve_and_apply()
    drawn = np.array([_target(t)[:3, 3] for t in np.linspace(0.0, _PERIOD, 181)])

    def panel(viewer: Viewer) -> None:
        viewer.follow(ik)
        viewer.trajectories = [drawn]
        drive = viewer.add_checkbox("follow the line", True)
        begin = time.perf_counter()

        @viewer.on_frame
        def move() -> None:
            if drive.value and not any(gizmo.held for gizmo in viewer.gizmos):
                ik.target.set_transform(_target(time.perf_counter() - begin))

    def pose() -> None:
        for moment in np.linspace(0.0, 0.17 * _PERIOD, 60):
            ik.target.set_transform(_target(float(moment)))
            robot.positions = _all(robot, ik)

    return Stage(what=robot, camera=Orbit(40.0, 24.0), panel=panel, pose=pose, drawn=(drawn,))


def _all(robot: Skeleton, ik: InverseKinematics) -> FloatArray:
    ik.positions = ik.track(largest_change=0.3).positions
    return robot.positions


def _target(moment: float) -> FloatArray:
    """Pose (4, 4) of the tool on an eight that is longer than the arm reaches [m]."""
    phase = 2.0 * np.pi * moment / _PERIOD
    T = np.eye(4)
    T[:3, :3] = _DOWN
    T[:3, 3] = 0.52 + 0.08 * np.sin(2.0 * phase), 1.1 * np.sin(phase), 0.45 + 0.22 * np.sin(2.0 * phase)
    return T


def _arm_on_carriage() -> Skeleton:
    robot = Skeleton("arm_on_track")
    track = robot.add_body("track", joint=WeldJoint("floor"))
    for side in (-0.13, 0.13):
        rail = Box((0.05, _LENGTH, 0.06))
        ShapeNode(track, f"rail {side}", rail, (side, 0.0, 0.03), material=STEEL)
    joint = PrismaticJoint("slide", (0.0, 1.0, 0.0), T_parent_joint=(0.0, 0.0, 0.06))
    joint.set_position_limits(-0.5 * _LENGTH + 0.2, 0.5 * _LENGTH - 0.2)
    carriage = robot.add_body("carriage", track, joint)
    ShapeNode(carriage, "carriage", Box((0.36, 0.30, 0.06)), (0.0, 0.0, 0.03), material=DARK)
    arm = gallery.arm7()
    base = arm.body("base")
    base.move_to(carriage, joint=WeldJoint("mount", T_parent_joint=(0.0, 0.0, _TOP - 0.06)))
    return robot
