"""A robot that follows targets, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kido.frame import Frame
from kido.ik._differential._parameters import DifferentialIKParameters
from kido.ik._differential._scaled_step import (
    DifferentialIKResult,
    DifferentialIKStatus,
    differential_ik,
)
from kido.skeleton import Skeleton
from kido.typing import TransformLike
from kido.values import checked_items

__all__ = ["DifferentialIKIntegrator", "StatusChange"]


class StatusChange(NamedTuple):
    """A step with another status than the one before: when [s], and which."""

    time: float
    status: DifferentialIKStatus


class DifferentialIKIntegrator:
    """Moves a robot, step by step, so that one frame or several follow their targets.

    Each step asks `differential_ik` where the robot stands, and moves it by what it says for `time_step`.
    Where there is no solution the robot stands still; where it is stuck it moves by what is left.

    Attributes:
        parameters: of every step; they may be changed between steps.
        changes: the steps whose status was another one than that of the step before.
    """

    __slots__ = ("_frames", "_relative_to", "_result", "_robot", "_single", "_steps", "changes", "parameters")

    def __init__(
        self,
        robot: Skeleton,
        frame: Frame | Sequence[Frame],
        parameters: DifferentialIKParameters,
        *,
        relative_to: Frame | None = None,
    ) -> None:
        """A robot, and the frames that follow; `relative_to`: from where targets are seen, None: the world.

        Raises TypeError or ValueError naming the argument.
        """
        if not isinstance(robot, Skeleton):
            raise TypeError(f"robot: expected a Skeleton, got {type(robot).__name__}")
        if not isinstance(parameters, DifferentialIKParameters):
            got = type(parameters).__name__
            raise TypeError(f"parameters: expected DifferentialIKParameters, got {got}")
        if relative_to is not None and not isinstance(relative_to, Frame):
            raise TypeError(f"relative_to: expected a Frame, got {type(relative_to).__name__}")
        self._robot = robot
        self._single = isinstance(frame, Frame)
        self._frames: tuple[Frame, ...] = (
            (frame,) if isinstance(frame, Frame) else checked_items("frame", Frame, frame)
        )
        self._relative_to = relative_to
        self._result: DifferentialIKResult | None = None
        self._steps = 0
        self.parameters = parameters
        self.changes: tuple[StatusChange, ...] = ()

    @property
    def robot(self) -> Skeleton:
        """The robot that is moved."""
        return self._robot

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames that follow."""
        return self._frames

    @property
    def steps(self) -> int:
        """Number of steps made."""
        return self._steps

    @property
    def result(self) -> DifferentialIKResult | None:
        """Result of the last step; None before the first."""
        return self._result

    def step(self, target: TransformLike | Sequence[TransformLike]) -> DifferentialIKResult:
        """Move the robot by one step towards a pose (4, 4) [m], or with a velocity (6,) [rad/s, m/s].

        Args:
            target: of the frame; of several, a sequence with one for each. Positions and velocities of the
                robot are written.

        Raises:
            TypeError, ValueError: another kind or shape; then nothing has moved.
        """
        frames = self._frames[0] if self._single else self._frames
        result = differential_ik(self._robot, frames, target, self.parameters, relative_to=self._relative_to)  # type: ignore[arg-type]
        v = np.zeros(self._robot.num_dofs) if result.velocities is None else result.velocities
        self._robot.positions = self._robot.tree.integrate(
            self._robot.positions, v, self.parameters.time_step
        )
        self._robot.velocities = v
        before = None if self._result is None else self._result.status
        if result.status is not before:
            time = self._steps * self.parameters.time_step
            self.changes = (*self.changes, StatusChange(time, result.status))
        self._steps += 1
        self._result = result
        return result
