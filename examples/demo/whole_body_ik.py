"""Inverse kinematics of a humanoid that takes a box: feet, hands and eyes in levels of priority."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from rich.console import Console

from examples.demo.humanoid import Humanoid
from examples.demo.scene import SIZE, draw_scene
from kido.cli import print_pairs, print_table
from kido.description import Material, RobotDescription
from kido.ik import HierarchyResult, InverseKinematics, LookAt, WholeBodyIK
from kido.math import so3_exp
from kido.shape import Box
from kido.skeleton import Skeleton, WeldJoint
from kido.typing import FloatArray

__all__ = ["box_tasks", "crouching", "show_whole_body_ik"]

_BOX = Box((0.18, 0.22, 0.14))
_BOX_PLACE, _BOX_TURN = (0.36, -0.12, 0.52), -0.45
_CARDBOARD = Material("cardboard", (0.85, 0.6, 0.35, 1.0))
_HAND = 0.025
"""Half the thickness of a hand [m]."""
_STEP = 0.08
"""Distance of each foot from the middle, to the front or back [m]."""
_REPEATS = 25


def show_whole_body_ik(
    console: Console,
    robot: RobotDescription,
    humanoid: Humanoid,
    picture: Path,
    size: tuple[int, int] = SIZE,
) -> list[Path]:
    """Find a pose in which feet stand, hands take a box and eyes look at it; print and draw it."""
    skeleton = crouching(robot, humanoid)
    *others, gaze = box_tasks(skeleton, humanoid)
    whole = WholeBodyIK(skeleton)
    result, seconds = _timed(whole)
    gaze.active = False
    _, shorter = _timed(whole)
    _print_result(console, robot, result)
    pairs = [
        ("outcome", result.message),
        (
            "one call",
            f"{seconds * 1e3:.2f} ms, median of {_REPEATS}; {shorter * 1e3:.2f} ms without the gaze",
        ),
    ]
    print_pairs(console, pairs)
    skeleton.positions = result.positions
    frames = [module.target for module in others]
    sight = np.stack([gaze.transform()[:3, 3], gaze.target.transform()[:3, 3]])
    return draw_scene(console, picture, [skeleton, _box()], frames, [sight], size)


def crouching(robot: RobotDescription, humanoid: Humanoid) -> Skeleton:
    """The humanoid with bent knees, its feet on the floor."""
    skeleton = Skeleton.from_description(robot)
    skeleton.positions = humanoid.crouch
    lowest = min(skeleton.body(foot).transform()[2, 3] for foot in humanoid.feet)
    (root,) = skeleton.root_bodies
    root.parent_joint.positions = [0.0, 0.0, 0.0, 0.0, 0.0, humanoid.sole - lowest]
    return skeleton


def box_tasks(skeleton: Skeleton, humanoid: Humanoid) -> list[InverseKinematics]:
    """Modules of the feet in level 0, of the hands in level 1 and of the eye in level 2, targets in place."""
    T_world_box = _box_pose()
    tasks = []
    for side, foot in zip((1.0, -1.0), humanoid.feet, strict=True):
        T = np.eye(4)
        T[:3, 3] = skeleton.body(foot).transform()[:3, 3] + (side * _STEP, 0.0, 0.0)
        T[2, 3] = humanoid.sole
        tasks.append(_task(skeleton, foot, 0, T))
    for side, hand in zip((1.0, -1.0), humanoid.hands, strict=True):
        T = T_world_box.copy()
        T[:3, 3] += T[:3, 1] * side * (0.5 * _BOX.size[1] + _HAND)
        task = _task(skeleton, hand, 1, T)
        task.offset = (humanoid.palm, 0.0, 0.0)
        tasks.append(task)
    gaze = _task(skeleton, humanoid.eye, 2, T_world_box)
    gaze.error_method = LookAt((1.0, 0.0, 0.0))
    return [*tasks, gaze]


def _task(skeleton: Skeleton, body: str, level: int, T_world_target: FloatArray) -> InverseKinematics:
    module = InverseKinematics.of(skeleton.body(body))
    module.use_whole_body()
    module.hierarchy_level = level
    module.target.set_transform(T_world_target)
    return module


def _timed(whole: WholeBodyIK) -> tuple[HierarchyResult, float]:
    """What a hierarchy gives, and how long that takes [s]."""
    seconds = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        result = whole.solve()
        seconds.append(time.perf_counter() - start)
    return result, float(np.median(seconds))


def _print_result(console: Console, robot: RobotDescription, result: HierarchyResult) -> None:
    wanted = ("flat on the floor", "at a side of the box", "looks at the box")
    rows = (
        (
            str(task.level),
            task.node,
            wanted[task.level],
            f"{task.angular_error:.1e}",
            "" if task.level == 2 else f"{task.linear_error:.1e}",
        )
        for task in result.tasks
    )
    numbers = ("error [rad]", "error [m]")
    title = f"Whole-body inverse kinematics of {robot.name}, each level in what those before it leave free"
    print_table(console, title, ("level", "body", "wanted", *numbers), rows, numbers=numbers)


def _box_pose() -> FloatArray:
    T = np.eye(4)
    T[:3, :3] = so3_exp([0.0, 0.0, _BOX_TURN])
    T[:3, 3] = _BOX_PLACE
    return T


def _box() -> Skeleton:
    box = Skeleton("box")
    body = box.add_body("box", joint=WeldJoint("place"))
    body.parent_joint.T_parent_joint = _box_pose()
    body.add_shape_node(_BOX, name="box", material=_CARDBOARD)
    return box
