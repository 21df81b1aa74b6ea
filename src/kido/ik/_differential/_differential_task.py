"""Base of the tasks of differential inverse kinematics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NoReturn

import numpy as np

from kido import _core
from kido.frame import Frame
from kido.optimize import checked_array
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["STRUCTURE", "CustomTask", "DifferentialTask", "Structure", "weights_of"]

_GAIN, _DAMPING, _AXIS, _SHARE = 0, 1, slice(2, 5), 5


class Structure:
    """Counts changes of tasks and limits after which native steps are put together anew."""

    __slots__ = ("version",)

    def __init__(self) -> None:
        self.version = 0


STRUCTURE = Structure()


def weights_of(name: str, given: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Weights (rows,), 0 or above; a number stands for all. Raises TypeError or ValueError."""
    weights = frozen_array(name, given, None)
    if weights.shape not in ((), shape):
        raise ValueError(f"{name}: expected shape {shape} or one number, got {weights.shape}")
    if not (weights >= 0.0).all():
        raise ValueError(f"{name}: expected 0 or above, got {weights.tolist()}")
    return np.array(np.broadcast_to(weights, shape))


def _fraction(name: str, given: float) -> float:
    gain = float(frozen_array(name, given, ()))
    if not 0.0 <= gain <= 1.0:
        raise ValueError(f"{name}: expected a number from 0 to 1, got {gain}")
    return gain


def _level(name: str, given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 0 <= given < 100:
        raise ValueError(f"{name}: expected a whole number from 0 to 99, got {given!r}")
    return int(given)


class DifferentialTask(_core.KnownAttributes, ABC):
    """Task of velocities: J v = -gain error / dt, where J is the derivative of the error by time.

    A task of a level is served by least squares, as far as the levels above it let it; one that is an
    equation has to hold. A task of your own derives from `CustomTask`.

    Source: levels by equations, Kanoun, Lamiraux and Wieber, Kinematic control of redundant manipulators:
    generalizing the task-priority framework to inequality tasks (2011).
    """

    __slots__ = ("_is_equation", "_level", "_numbers", "_target", "_weight")

    kind: ClassVar[str] = "rows"
    """What native code calls it."""

    is_velocity: ClassVar[bool] = False
    """Whether the target is a velocity."""

    def __init__(
        self,
        rows: int,
        *,
        weight: ArrayLike = 1.0,
        gain: float = 1.0,
        damping: float = 0.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """A task with so many rows.

        Args:
            rows: how many numbers the error has.
            weight: of each row (rows,), or one number [-]; rows of weight 0 do not count.
            gain: the part of the error that a step takes away [-], from 0 to 1.
            damping: Levenberg and Marquardt's: added to the diagonal of the normal equations for each unit of
                the squared weighted error [-], 0 or above.
            level: of priority, 0 the highest.
            equality: whether it has to hold, before all levels.

        Raises TypeError or ValueError naming the argument.
        """
        if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or rows < 1:
            raise ValueError(f"rows: expected 1 or above, got {rows!r}")
        self._numbers = np.zeros(6)
        self._weight = weights_of("weight", weight, (int(rows),))
        self._target = np.zeros(0)
        self._level = 0
        self._is_equation = False
        self.gain = gain
        self.damping = damping
        self.level = level
        self.equality = equality

    @property
    def rows(self) -> int:
        """Number of components of the error."""
        return len(self._weight)

    @property
    def weight(self) -> FloatArray:
        """Weight of each row (rows,) [-]. Can be set, also to one number."""
        return read_only(self._weight.copy())

    @weight.setter
    def weight(self, weight: ArrayLike) -> None:
        self._weight[:] = weights_of("weight", weight, self._weight.shape)

    @property
    def gain(self) -> float:
        """The part of the error that a step takes away [-], from 0 to 1. Can be set."""
        return float(self._numbers[_GAIN])

    @gain.setter
    def gain(self, gain: float) -> None:
        self._numbers[_GAIN] = _fraction("gain", gain)

    @property
    def damping(self) -> float:
        """Damping for each unit of the squared weighted error [-], 0 or above. Can be set."""
        return float(self._numbers[_DAMPING])

    @damping.setter
    def damping(self, damping: float) -> None:
        value = float(frozen_array("damping", damping, ()))
        if value < 0.0:
            raise ValueError(f"damping: expected 0 or above, got {value}")
        self._numbers[_DAMPING] = value

    @property
    def level(self) -> int:
        """Priority, 0 the highest. Can be set."""
        return self._level

    @level.setter
    def level(self, level: int) -> None:
        self._level = _level("level", level)
        STRUCTURE.version += 1

    @property
    def equality(self) -> bool:
        """Whether it has to hold, before all levels. Can be set."""
        return self._is_equation

    @equality.setter
    def equality(self, equality: bool) -> None:
        if not isinstance(equality, bool):
            raise TypeError(f"equality: expected True or False, got {equality!r}")
        self._is_equation = equality
        STRUCTURE.version += 1

    @property
    def native_level(self) -> int:
        """The level as native code has it, -1 of an equation."""
        return -1 if self._is_equation else self._level

    @property
    def native_numbers(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Gain, damping, axis, share (6,), weights (rows,) and the target, which native code reads there."""
        return self._numbers, self._weight, self._target

    @property
    def frames(self) -> tuple[Frame | None, Frame | None]:
        """The frame that moves, and the one that it is seen from; None: none, and the world."""
        return None, None

    def prepare(self, robot: Skeleton) -> None:
        """Make what depends on the robot. Raises TypeError or ValueError where the task does not fit it."""

    def ask(self, robot: Skeleton, dt: float) -> None:
        """Write what the task wants, where the robot stands, for a step of `dt` [s], where Python knows
        it."""

    def __reduce__(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"{name}: expected no copy without its robot: make one anew of the copied robot")

    def _set_axis(self, axis: FloatArray) -> None:
        self._numbers[_AXIS] = axis

    def _set_share(self, share: float) -> None:
        self._numbers[_SHARE] = share

    def _held_axis(self) -> FloatArray:
        return read_only(self._numbers[_AXIS].copy())


class CustomTask(DifferentialTask):
    """A task of your own: it calls `__init__` with the number of its rows, and defines two functions.

    They are asked at every step, with the robot at the positions of the step. A gain of 0 with a
    `target_velocity` of your own makes a task of velocities.
    """

    __slots__ = ()

    def prepare(self, robot: Skeleton) -> None:
        """Make room for the numbers of a robot."""
        size = self.rows * (robot.num_dofs + 2)
        if len(self._target) != size:
            self._target = np.zeros(size)

    def ask(self, robot: Skeleton, dt: float) -> None:
        """Write what the functions say. Raises TypeError or ValueError, naming them, for anything else."""
        rows, n = self.rows, robot.num_dofs
        name = type(self).__name__
        error = checked_array(f"{name}.compute_error", self.compute_error(robot), (rows,))
        J = checked_array(f"{name}.compute_jacobian", self.compute_jacobian(robot), (rows, n))
        target = checked_array(f"{name}.target_velocity", self.target_velocity(error, dt), (rows,))
        if not (np.isfinite(error).all() and np.isfinite(J).all() and np.isfinite(target).all()):
            raise ValueError(f"{name}: expected a finite error, velocity and Jacobian")
        self._target[: rows * n] = J.ravel()
        self._target[rows * n : rows * (n + 1)] = target
        self._target[rows * (n + 1) :] = error

    def target_velocity(self, error: FloatArray, dt: float) -> FloatArray:
        """Target of the rate J v (k,) of an `error` (k,) [rad, m] in a step of `dt` [s]: -gain error / dt."""
        return np.asarray(-self.gain / dt * error)

    @abstractmethod
    def compute_error(self, robot: Skeleton) -> FloatArray:
        """The error (rows,) where the robot stands, present minus desired."""

    @abstractmethod
    def compute_jacobian(self, robot: Skeleton) -> FloatArray:
        """J (rows, num_dofs): the rate of the error is J v."""
