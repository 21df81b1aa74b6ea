"""Inverse kinematics of a humanoid that takes a box: what it reaches, how fast, and what it looks like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from examples.demo.box import make_box, make_stand
from examples.demo.carrying import CarryStep, carry
from examples.demo.humanoid import Humanoid
from examples.demo.scene import SIZE, Scene, draw_scenes
from examples.demo.stance import standing
from kido.cli import print_pairs, print_table
from kido.description import RobotDescription
from kido.skeleton import FreeJoint, Skeleton
from kido.typing import FloatArray

__all__ = ["show_whole_body_ik"]

_WANTED = {
    "left_sole": "flat on the floor",
    "right_sole": "flat on the floor",
    "balance": "center of mass above the feet",
    "left_palm": "on a side of the box",
    "right_palm": "on a side of the box",
    "eye": "looks at the box",
    "posture": "wished: at ease",
}
_CAMERA = ((2.6, 1.7, 1.5), (0.12, 0.02, 0.64), (0.0, 0.0, 1.0))


def show_whole_body_ik(
    console: Console,
    robot: RobotDescription,
    humanoid: Humanoid,
    picture: Path,
    size: tuple[int, int] = SIZE,
) -> list[Path]:
    """Let a humanoid reach for a box, lift it and turn with it; print and draw how.

    The feet stand and the body balances, hands take the box, eyes look at it, and the posture is what these
    leave free.
    """
    skeleton, box = standing(robot, humanoid), make_box()
    steps = list(carry(skeleton, humanoid, box))
    _print_tasks(console, robot, steps)
    _print_motion(console, steps)
    panel = size[0] // 2, size[1]
    return draw_scenes(console, picture, list(_scenes(skeleton, box, steps)), panel)


def _print_tasks(console: Console, robot: RobotDescription, steps: Sequence[CarryStep]) -> None:
    tasks = zip(*(step.result.tasks for step in steps), strict=True)
    rows = (
        (
            str(task[0].level),
            task[0].node,
            _WANTED[task[0].node],
            _largest([at.angular_error for at in task]),
            _largest([at.linear_error for at in task]),
        )
        for task in tasks
    )
    numbers = ("largest error [rad]", "[m]")
    title = f"Whole-body inverse kinematics of {robot.name}, each level in what those before it leave free"
    print_table(console, title, ("level", "task", "wanted", *numbers), rows, numbers=numbers)


def _largest(errors: Sequence[float]) -> str:
    """Nothing where all are zero: those of angles or lengths that a task does not have."""
    return f"{max(errors):.1e}" if any(errors) else ""


def _print_motion(console: Console, steps: Sequence[CarryStep]) -> None:
    stages = ", ".join(dict.fromkeys(step.stage for step in steps))
    solved = sum(step.result.success for step in steps)
    margin, change = min(step.margin for step in steps), max(step.change for step in steps)
    usual, slow = np.percentile([step.seconds for step in steps], (50, 95)) * 1e3
    pairs = [
        ("the whole way", f"{solved} of {len(steps)} poses reached: {stages}"),
        ("balance", f"center of mass at least {margin * 1e3:.0f} mm inside the support polygon"),
        ("largest change", f"{change:.3f} rad or m from a pose to the next"),
        ("one call", f"{usual:.2f} ms, median of {len(steps)}; 95% within {slow:.2f} ms"),
    ]
    print_pairs(console, pairs)


def _scenes(skeleton: Skeleton, box: Skeleton, steps: Sequence[CarryStep]) -> Iterator[Scene]:
    """The end of each stage: the gaze, the center of mass above the floor, and the support polygon."""
    for stage, step in {step.stage: step for step in steps}.items():
        robot, load = skeleton.clone(f"{skeleton.name}, {stage}"), box.clone(f"{box.name}, {stage}")
        robot.positions = step.result.positions
        load.positions = FreeJoint.positions_of(step.T_world_box)
        sight = np.stack([robot.end_effector("eye").transform()[:3, 3], step.T_world_box[:3, 3]])
        yield Scene(
            [robot, load, make_stand()], lines=[sight, _plumb_line(robot), _outline(robot)], camera=_CAMERA
        )


def _plumb_line(robot: Skeleton) -> FloatArray:
    """From the center of mass to the floor (2, 3) [m]."""
    return np.stack([robot.com(), robot.com() * (1.0, 1.0, 0.0)])


def _outline(robot: Skeleton) -> FloatArray:
    """The closed support polygon (k, 3) on the floor [m]."""
    corners = robot.support_polygon @ robot.support_axes
    return np.concatenate([corners, corners[:1]])
