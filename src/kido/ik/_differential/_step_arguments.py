"""Arguments of steps of differential inverse kinematics, checked and as native code has them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from kido.frame import Frame
from kido.ik._carrier import carrier_of
from kido.ik._differential._differential_task import DifferentialTask
from kido.ik._differential._frame_tasks import AxisAlignmentTask, FrameTask
from kido.ik._differential._limits import Rows
from kido.math import as_transform_matrix
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_positive

__all__ = [
    "require_moving",
    "rows_of",
    "stacked",
    "states",
    "step_length",
    "target_as",
    "targets_of",
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
    """Targets (..., own shape) of a task as native code has them (count, size)."""
    if not isinstance(task, FrameTask):
        flat = targets_of(target, shape, task.native_numbers[2].shape)
        if isinstance(task, AxisAlignmentTask) and not flat.any(axis=1).all():
            raise ValueError("targets: expected directions other than zero")
        return np.ascontiguousarray(flat)
    flat = targets_of(as_transform_matrix(target, "targets"), shape, (4, 4))
    return np.concatenate([flat[:, :3, 3], flat[:, :3, :3].swapaxes(1, 2).reshape(len(flat), 9)], axis=1)


def targets_of(target: ArrayLike, shape: tuple[int, ...], trailing: tuple[int, ...]) -> FloatArray:
    """Targets (..., own shape) one after the other (count, own shape), for states of a shape.

    Raises TypeError or ValueError naming `targets`.
    """
    numbers = frozen_array("targets", target, None)
    if numbers.ndim < len(trailing) or numbers.shape[numbers.ndim - len(trailing) :] != trailing:
        raise ValueError(f"targets: expected shape (..., {str(trailing)[1:-1]}), got {numbers.shape}")
    try:
        spread = np.broadcast_to(numbers, (*shape, *trailing))
    except ValueError:
        raise ValueError(f"targets: expected leading axes {shape} as of q, got {numbers.shape}") from None
    return spread.reshape(math.prod(shape), *trailing)


def rides_on(frame: Frame | None, robot: Skeleton) -> bool:
    carrier = None if frame is None else carrier_of(frame)
    return carrier is not None and carrier.skeleton is robot


def require_moving(robot: Skeleton, task: DifferentialTask) -> None:
    """Raises ValueError for frames that the robot does not move."""
    frames = [frame for frame in task.frames if frame is not None]
    if task.frames[0] is not None and not any(rides_on(frame, robot) for frame in frames):
        names = " and ".join(frame.name for frame in frames)
        raise ValueError(
            f"tasks: expected a frame that {robot.name} moves, or one that it is seen from, got {names}"
        )


@contextmanager
def target_as(task: Any, target: FloatArray) -> Iterator[None]:
    """A task with another target, for as long as it lasts."""
    own = np.array(task.target)
    task.target = target
    try:
        yield
    finally:
        task.target = own
