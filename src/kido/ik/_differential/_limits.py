"""Limits of differential inverse kinematics."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from kido import _core
from kido.frame import Frame
from kido.optimize import checked_array
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.values import checked_part

__all__ = [
    "AccelerationLimit",
    "CartesianPositionLimit",
    "CartesianVelocityLimit",
    "ConfigurationLimit",
    "DifferentialLimit",
    "Rows",
    "RowsLimit",
    "VelocityLimit",
]


class Rows(NamedTuple):
    """lower (m,) <= G (m, num_dofs) v <= upper (m,)."""

    G: FloatArray
    lower: FloatArray
    upper: FloatArray


class DifferentialLimit(_core.KnownAttributes, ABC):
    """Limit of velocities. A limit of your own derives from `RowsLimit`, or is a
    `DifferentialBarrier`."""

    __slots__ = ()


class RowsLimit(DifferentialLimit):
    """Rows lower <= G v <= upper. A limit of your own derives from this class and defines `compute_rows`.

    Where rows contradict each other or limits of dofs, they are widened by as little as possible, in the
    sense of squares, so that a start that is outside comes back.
    """

    __slots__ = ()

    @abstractmethod
    def compute_rows(self, robot: Skeleton, dt: float) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """G (m, num_dofs), lower (m,) and upper (m,) where the robot stands, for a step of `dt` [s]."""

    def checked_rows(self, robot: Skeleton, dt: float) -> Rows:
        """Output of `compute_rows`, checked. Raises TypeError or ValueError naming it."""
        name = f"{type(self).__name__}.compute_rows"
        given = self.compute_rows(robot, dt)
        if not isinstance(given, tuple) or len(given) != 3:
            raise TypeError(f"{name}: expected G, lower and upper, got {type(given).__name__}")
        G = np.asarray(given[0], dtype=float)
        if G.ndim != 2 or G.shape[1] != robot.num_dofs or not np.isfinite(G).all():
            raise ValueError(f"{name}: expected finite G (m, {robot.num_dofs}), got shape {G.shape}")
        lower, upper = (checked_array(name, bound, (len(G),)) for bound in given[1:])
        if not np.all(lower <= upper):
            raise ValueError(f"{name}: expected lower at most upper, got {lower.tolist()}, {upper.tolist()}")
        return Rows(G, lower, upper)


def _of_dofs(name: str, given: ArrayLike | None, unit: str, positive: bool) -> FloatArray | None:
    if given is None:
        return None
    numbers = frozen_array(name, given, None, unit, finite=False)
    if numbers.ndim > 1:
        raise ValueError(f"{name}: expected shape (num_dofs,) or one number, got {numbers.shape}")
    if positive and not (numbers > 0.0).all():
        raise ValueError(f"{name}: expected numbers above 0 [{unit}], got {numbers.tolist()}")
    return numbers


def _spread(name: str, given: FloatArray, robot: Skeleton) -> FloatArray:
    n = robot.num_dofs
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name}: expected {n} numbers as {robot.name} has dofs, or one, got {given.shape}")
    return np.array(np.broadcast_to(given, (n,)))


def _require_order(lower: FloatArray, upper: FloatArray) -> None:
    wrong = np.flatnonzero(np.ravel(lower > upper))
    if len(wrong):
        i = int(wrong[0])
        low, high = (float(x.ravel()[i]) for x in np.broadcast_arrays(lower, upper))
        raise ValueError(f"lower: expected at most upper, got {low:.6g} and {high:.6g} at [{i}]")


class ConfigurationLimit(DifferentialLimit):
    """Positions stay within limits: each step goes at most a part of what is left. From outside they come
    back.

    Positions of ball and free joints are limited by the rates of their rotation vectors and translations.
    """

    __slots__ = ("_gain", "_lower", "_upper")

    def __init__(
        self, lower: ArrayLike | None = None, upper: ArrayLike | None = None, *, gain: float = 1.0
    ) -> None:
        """Limits (num_dofs,) [rad, m], None: those of the robot; the part of what is left that a step may go
        [-], above 0, at most 1. Raises TypeError or ValueError naming the argument."""
        self._lower = _of_dofs("lower", lower, "rad, m", False)
        self._upper = _of_dofs("upper", upper, "rad, m", False)
        if self._lower is not None and self._upper is not None:
            _require_order(self._lower, self._upper)
        self._gain = float(frozen_array("gain", gain, ()))
        if not 0.0 < self._gain <= 1.0:
            raise ValueError(f"gain: expected a number above 0, at most 1, got {self._gain}")

    @property
    def gain(self) -> float:
        """The part of what is left that a step may go [-]."""
        return self._gain

    def of(self, robot: Skeleton) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest positions (num_dofs,) [rad, m]. Raises ValueError where they do not fit."""
        tree = robot.tree
        lower = tree.lower_limits if self._lower is None else _spread("lower", self._lower, robot)
        upper = tree.upper_limits if self._upper is None else _spread("upper", self._upper, robot)
        _require_order(lower, upper)
        return np.array(lower), np.array(upper)


class VelocityLimit(DifferentialLimit):
    """Speeds of dofs stay within limits."""

    __slots__ = ("_limits",)

    def __init__(self, limits: ArrayLike | None = None) -> None:
        """Largest speeds (num_dofs,), or one number [rad/s, m/s]; None: the lowest and highest velocities of
        the robot. Raises TypeError or ValueError."""
        self._limits = _of_dofs("limits", limits, "rad/s, m/s", False)
        if self._limits is not None and np.any(self._limits < 0.0):
            raise ValueError(f"limits: expected 0 or above [rad/s, m/s], got {self._limits.tolist()}")

    def of(self, robot: Skeleton) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest velocities (num_dofs,) [rad/s, m/s]. Raises ValueError where they do not fit."""
        if self._limits is None:
            return np.array(robot.velocity_lower_limits), np.array(robot.velocity_upper_limits)
        speed = _spread("limits", self._limits, robot)
        return -speed, speed


class AccelerationLimit(DifferentialLimit):
    """Velocities change by no more than accelerations allow, and dofs can brake before limits of
    positions."""

    __slots__ = ("_limits",)

    def __init__(self, limits: ArrayLike) -> None:
        """Largest accelerations (num_dofs,), or one number [rad/s^2, m/s^2], above 0.

        Raises TypeError or ValueError.
        """
        self._limits = _of_dofs("limits", limits, "rad/s^2, m/s^2", True)

    def of(self, robot: Skeleton) -> FloatArray:
        """Largest accelerations (num_dofs,) [rad/s^2, m/s^2]. Raises ValueError where they do not fit."""
        assert self._limits is not None
        return _spread("limits", self._limits, robot)


class _OfFrame(RowsLimit):
    """A limit of a frame, as another one sees it."""

    __slots__ = ("_frame", "_lower", "_relative_to", "_upper")

    def __init__(
        self,
        frame: Frame,
        lower: ArrayLike,
        upper: ArrayLike,
        relative_to: Frame | None,
        size: int,
        unit: str,
    ) -> None:
        self._frame: Frame = checked_part("frame", Frame, frame)
        self._relative_to: Frame | None = (
            None if relative_to is None else checked_part("relative_to", Frame, relative_to)
        )
        self._lower, self._upper = (
            read_only(np.array(np.broadcast_to(frozen_array(name, given, None, unit, finite=False), (size,))))
            for name, given in (("lower", lower), ("upper", upper))
        )
        if np.any(self._lower > self._upper):
            raise ValueError(
                f"lower: expected at most upper, got {self._lower.tolist()}, {self._upper.tolist()}"
            )

    def _jacobian(self, robot: Skeleton) -> FloatArray:
        """Of the frame (6, num_dofs), in axes of `relative_to`."""
        J = robot.jacobian(self._frame, relative_to=self._relative_to)
        R = np.asarray(self._frame.transform(relative_to=self._relative_to))[:3, :3]
        return np.concatenate([R @ J[:3], R @ J[3:]])


class CartesianVelocityLimit(_OfFrame):
    """The spatial velocity (6,) of a frame, angular first, stays within bounds, in axes of `relative_to`."""

    __slots__ = ()

    def __init__(
        self, frame: Frame, lower: ArrayLike, upper: ArrayLike, *, relative_to: Frame | None = None
    ) -> None:
        """Bounds (6,) [rad/s, m/s], infinite where there are none. Raises TypeError or ValueError."""
        super().__init__(frame, lower, upper, relative_to, 6, "rad/s, m/s")

    def compute_rows(self, robot: Skeleton, dt: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows of the Jacobian that have a bound, and the bounds."""
        rows = np.flatnonzero(np.isfinite(self._lower) | np.isfinite(self._upper))
        return self._jacobian(robot)[rows], self._lower[rows], self._upper[rows]


class CartesianPositionLimit(_OfFrame):
    """The origin (3,) of a frame stays within a box of another one [m]."""

    __slots__ = ("_gain",)

    def __init__(
        self,
        frame: Frame,
        lower: ArrayLike = -math.inf,
        upper: ArrayLike = math.inf,
        *,
        relative_to: Frame | None = None,
        gain: float = 1.0,
    ) -> None:
        """A box (3,), (3,) in `relative_to`, None: the world; the part of what is left that a step may go
        [-].

        Raises TypeError or ValueError.
        """
        super().__init__(frame, lower, upper, relative_to, 3, "m")
        self._gain = float(frozen_array("gain", gain, ()))
        if not 0.0 < self._gain <= 1.0:
            raise ValueError(f"gain: expected a number above 0, at most 1, got {self._gain}")

    def compute_rows(self, robot: Skeleton, dt: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Linear rows of the Jacobian that have a bound, and the velocities that lead there."""
        rows = np.flatnonzero(np.isfinite(self._lower) | np.isfinite(self._upper))
        at = np.asarray(self._frame.transform(relative_to=self._relative_to))[:3, 3]
        rate = self._gain / dt
        lower, upper = (self._lower - at) * rate, (self._upper - at) * rate
        return self._jacobian(robot)[3:][rows], lower[rows], upper[rows]
