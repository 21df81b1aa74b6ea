"""A gripper with two parallel fingers."""

from __future__ import annotations

from kido.description import Mimic
from kido.gallery._parts import DARK, RUBBER, STEEL, Vector, add_link, block, slide
from kido.skeleton import ActuatorType, Skeleton, WeldJoint

__all__ = ["gripper"]

_HALF_STROKE = 0.04  # [m]


def gripper() -> Skeleton:
    """A gripper whose two fingers open up to 0.08 m. It starts open.

    Its z axis points to what it grasps. The right finger follows the left one: a mimic joint.
    `move_to` with a fresh weld joint mounts body "gripper" on an arm.

    Returns:
        The skeleton: bodies "gripper", "left_finger", "right_finger", joints "gripper_mount", "left_slide"
        and "right_slide", whose positions are the distances from the middle; end effector "grasp" between the
        tips.
    """
    robot = Skeleton("gripper")
    housing = block((0.06, 0.18, 0.07), (0.0, 0.0, 0.035), DARK)
    body = add_link(robot, "gripper", None, WeldJoint("gripper_mount"), 0.7, housing)
    for side, name in ((1.0, "left"), (-1.0, "right")):
        axis: Vector = (0.0, side, 0.0)
        at: Vector = (0.0, 0.0, 0.07)
        joint = slide(
            f"{name}_slide",
            axis,
            at,
            (0.0, _HALF_STROKE),
            force=70.0,
            speed=0.1,
            damping=5.0,
            start=_HALF_STROKE,
        )
        finger = block((0.02, 0.015, 0.06), (0.0, 0.0095 * side, 0.03), STEEL)
        pad = block((0.02, 0.002, 0.025), (0.0, 0.001 * side, 0.0475), RUBBER)
        add_link(robot, f"{name}_finger", body, joint, 0.06, finger, pad)
    follower = robot.joint("right_slide")
    follower.mimic = Mimic("left_slide")
    follower.actuator = ActuatorType.MIMIC
    robot.mimic_enforced = True
    body.add_end_effector("grasp", (0.0, 0.0, 0.1175))
    return robot
