"""A humanoid that follows the mouse."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.ik import CenterOfMass, InverseKinematics, LookAt, WholeBodyIK
from kido.skeleton import Skeleton
from kido.tour._stage import Stage
from kido.view import DEFAULT_LAYERS, Layer, Orbit, Viewer

__all__ = ["humanoid"]

_REACH = np.array([0.18, 0.22, 0.52])
"""How far the left hand goes for the picture [m]."""


def humanoid() -> Stage:
    """Feet on the ground, the center of mass over them, hands at their targets, eyes on the left hand."""
    robot = gallery.humanoid()
    robot.positions = {"left_elbow": -1.1, "right_elbow": -1.1}
    feet = [_module(robot, f"{side}_foot", 0) for side in ("left", "right")]
    _balance(robot, np.mean([foot.transform()[:3, 3] for foot in feet], axis=0))
    hands = [_module(robot, f"{side}_hand", 2) for side in ("left", "right")]
    gaze = _module(robot, "gaze", 3)
    gaze.error_method = LookAt()
    gaze.target = hands[0].target
    whole = WholeBodyIK(robot)

    def panel(viewer: Viewer) -> None:
        viewer.follow(whole, gizmos=False)
        for hand in hands:
            viewer.add_gizmo(hand.target, size=0.2)

    def pose() -> None:
        hands[0].target.relative_translation = hands[0].target.relative_translation + _REACH
        whole.solve_and_apply()

    layers = (*DEFAULT_LAYERS, Layer.SUPPORT)
    return Stage(what=robot, camera=Orbit(38.0, 14.0), layers=layers, panel=panel, pose=pose)


def _module(robot: Skeleton, effector: str, level: int) -> InverseKinematics:
    module = InverseKinematics.of(robot.end_effector(effector))
    module.hierarchy_level = level
    module.use_whole_body()
    return module


def _balance(robot: Skeleton, middle: np.ndarray) -> None:
    """Keep the center of mass over a point (3,) [m] between the feet."""
    module = InverseKinematics.of(robot.body("pelvis"))
    module.hierarchy_level = 1
    module.dofs = robot.dofs
    module.error_method = CenterOfMass(linear_weights=(1.0, 1.0, 0.0))
    module.target.set_translation(np.add(middle, (0.03, 0.0, 0.0)))
