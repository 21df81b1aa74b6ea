"""Arguments of steps of differential inverse kinematics, checked and as native code has them."""

from __future__ import annotations

import math

import numpy as np

from kido.frame import Frame
from kido.ik._differential._differential_task import DifferentialTask
from kido.ik._differential._frame_tasks import FrameTask
from kido.ik._differential._limits import Rows
from kido.skeleton import BodyNode, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_positive

__all__ = [
    "require_moving",
    "rows_of",
    "stacked",
    "states",
    "step_length",
]


def step_length(dt: float | None) -> float:
    if type(dt) is float and 0.0 < dt < math.inf:  # at once: it is asked at every step
        return dt
    if dt is None:
        raise TypeError("dt: expected the length of the step [s]")
    return checked_positive("dt", dt, "s")


def states(name: str, given: ArrayLike, n: int, unit: str) -> FloatArray:
    states = frozen_array(name, given, None, unit)
    if states.ndim < 1 or states.shape[-1] != n:
        raise ValueError(f"{name}: expected shape (..., {n}) [{unit}], got {states.shape}")
    return states


def stacked(rows: list[Rows]) -> Rows:
    return (
        Rows(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))
        if rows
        else Rows(*(np.zeros(0),) * 3)
    )


def rows_of(task: DifferentialTask, target: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Targets (..., own shape) of a task as native code has them (count or 1, size)."""
    trailing = (4, 4) if isinstance(task, FrameTask) else task.native_numbers[2].shape
    numbers = frozen_array("targets", target, None)
    if numbers.ndim < len(trailing) or numbers.shape[numbers.ndim - len(trailing) :] != trailing:
        raise ValueError(f"targets: expected shape (..., {str(trailing)[1:-1]}), got {numbers.shape}")
    try:
        spread = np.broadcast_to(numbers, (*shape, *trailing))
    except ValueError:
        raise ValueError(f"targets: expected leading axes {shape} as of q, got {numbers.shape}") from None
    flat = spread.reshape(math.prod(shape), *trailing)
    if not isinstance(task, FrameTask):
        return np.ascontiguousarray(flat)
    return np.concatenate([flat[:, :3, 3], flat[:, :3, :3].swapaxes(1, 2).reshape(len(flat), 9)], axis=1)


def rides_on(frame: Frame | None, robot: Skeleton) -> bool:
    while frame is not None and not frame.is_world:
        if isinstance(frame, BodyNode):
            return frame.skeleton is robot
        frame = frame.parent_frame
    return False


def require_moving(robot: Skeleton, task: DifferentialTask) -> None:
    """Raises ValueError for frames that the robot does not move."""
    frames = [frame for frame in task.frames if frame is not None]
    if task.frames[0] is not None and not any(rides_on(frame, robot) for frame in frames):
        names = " and ".join(frame.name for frame in frames)
        raise ValueError(
            f"tasks: expected a frame that {robot.name} moves, or one that it is seen from, got {names}"
        )
