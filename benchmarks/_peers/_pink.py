"""pink: velocity steps of tasks, solved as quadratic programs, until they are reached."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pink
import pinocchio
from pink.exceptions import NoSolutionFound

from benchmarks._ik._arms import Arm
from benchmarks._ik._g1 import AXIS, CAMERA
from benchmarks._ik._solver import FloatArray
from benchmarks._ik._steps import SETTINGS
from benchmarks._peers._stepped import SteppedArm, SteppedHumanoid, SteppedTaskSet, Stepper


class _Pink(Stepper):
    """A model of Pinocchio, and its limits; None for pink's own choice, those of positions and velocities."""

    failure = NoSolutionFound
    damping = 1e-1

    def __init__(self, model: pinocchio.Model, limits: list[pink.limits.Limit] | None) -> None:
        self._model, self._data, self._limits = model, model.createData(), limits

    def transform(self, pose: FloatArray) -> pinocchio.SE3:
        return pinocchio.SE3(pose)

    def configuration(self, positions: FloatArray) -> pink.Configuration:
        return pink.Configuration(self._model, self._data, positions, copy_data=False)

    def velocity(
        self, configuration: pink.Configuration, tasks: list[pink.tasks.Task], time: float
    ) -> FloatArray:
        limits = self._limits
        return np.asarray(
            pink.solve_ik(configuration, tasks, time, solver="daqp", limits=limits, safety_break=False)
        )

    def pose(self, link: str, weight: float, damping: float = 0.0) -> pink.FrameTask:
        return pink.FrameTask(link, position_cost=weight, orientation_cost=weight, lm_damping=damping)

    def com(self, weight: float) -> pink.tasks.ComTask:
        return pink.tasks.ComTask(cost=weight, lm_damping=self.damping)

    def gaze(self, weight: float) -> _Gaze:
        return _Gaze(CAMERA, np.array(AXIS), weight, self.damping)

    def posture(self, weight: float, positions: FloatArray) -> pink.tasks.PostureTask:
        task = pink.tasks.PostureTask(cost=weight)
        task.set_target(positions)
        return task


class PinkArm(SteppedArm):
    """`solve_ik` with daqp."""

    name = "pink"
    library = "pin-pink"
    settings = f"daqp, {SETTINGS}"

    def __init__(self, arm: Arm, folder: Path) -> None:
        super().__init__(_Pink(pinocchio.buildModelFromUrdf(str(arm.path)), None))


class PinkHumanoid(SteppedHumanoid):
    """`solve_ik` with daqp."""

    library = "pin-pink"

    def __init__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        super().__init__(_floating(path), levels, start)


class PinkTaskSet(SteppedTaskSet):
    """`solve_ik` with daqp."""

    library = "pin-pink"

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        super().__init__(_floating(path), start)


def _floating(path: Path) -> _Pink:
    """The robot with a free root, and limits of positions."""
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    return _Pink(model, [pink.limits.ConfigurationLimit(model)])


class _Gaze(pink.tasks.Task):
    """An axis of a frame that points at a place, as mink's LookAtTask."""

    def __init__(self, frame: str, axis: FloatArray, cost: float, damping: float) -> None:
        super().__init__(cost=cost, lm_damping=damping)
        self._frame, self._axis = frame, axis
        self._seen = np.zeros(3)

    def set_target(self, seen: FloatArray) -> None:
        """Point at a place (3,) [m]."""
        self._seen = seen

    def compute_error(self, configuration: pink.Configuration) -> FloatArray:
        """The axis, minus the direction of the place (3,) [-]."""
        line = self._line(configuration)
        return np.asarray(self._axis - line / np.linalg.norm(line))

    def compute_jacobian(self, configuration: pink.Configuration) -> FloatArray:
        """Its derivative (3, n)."""
        line = self._line(configuration)
        distance = np.linalg.norm(line)
        direction = line / distance
        J = configuration.get_frame_jacobian(self._frame)
        moved = (J[:3] - pinocchio.skew(line) @ J[3:]) / distance
        return np.asarray(moved - np.outer(direction, direction @ moved))

    def _line(self, configuration: pink.Configuration) -> FloatArray:
        return np.asarray(configuration.get_transform_frame_to_world(self._frame).actInv(self._seen))

    def __repr__(self) -> str:
        return f"_Gaze({self._frame!r}, {self._axis}, {self.cost})"
