"""Waypoints: poses with tolerances."""

from __future__ import annotations

import math

import numpy as np

from kido.math import as_transform_matrix, so3_log
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array
from kido.values import Checked, Value, checked, flag, value

__all__ = ["Waypoint"]


def _checked_pose(name: str, pose: TransformLike) -> FloatArray:
    T = as_transform_matrix(pose, name)
    if T.shape != (4, 4):
        raise ValueError(f"{name}: expected shape (4, 4) [m], got {T.shape}")
    return frozen_array(name, T, (4, 4), "m")


def _checked_lengths(name: str, tolerance: ArrayLike) -> FloatArray:
    shape = () if np.ndim(tolerance) == 0 else (3,)
    lengths = np.broadcast_to(frozen_array(name, tolerance, shape, "m", finite=False), (3,))
    if not (lengths > 0.0).all():
        raise ValueError(f"{name}: expected positive numbers [m], got {lengths.min():g}")
    return frozen_array(name, lengths, (3,), "m", finite=False)


def _checked_angle(name: str, tolerance: float) -> float:
    angle = float(frozen_array(name, tolerance, (), "rad", finite=False))
    if not angle > 0.0:
        raise ValueError(f"{name}: expected a positive angle [rad], got {angle:g}")
    return angle


@value
class Waypoint(Value):
    """A pose that a frame is to come to, within tolerances.

    Attributes:
        pose: (4, 4) of the frame in the world, or in the one that it is seen from [m].
        position_tolerance: largest distance from the pose along each axis of that (3,), or one for all [m];
            may be infinite.
        orientation_tolerance: largest angle of the rotation from the pose's axes to the frame's [rad].
        constrain_orientation: whether the orientation counts at all.

    Raises TypeError or ValueError naming the argument.
    """

    pose: Checked[TransformLike, FloatArray] = checked(_checked_pose)
    position_tolerance: Checked[ArrayLike, FloatArray] = checked(_checked_lengths, default=5e-3)
    orientation_tolerance: Checked[float, float] = checked(_checked_angle, default=0.05)
    constrain_orientation: bool = flag(default=False)

    @property
    def angle(self) -> float:
        """Largest angle from the pose's axes [rad]; infinite where the orientation does not count."""
        return self.orientation_tolerance if self.constrain_orientation else math.inf

    def excess(self, position_error: FloatArray, orientation_error: float) -> float:
        """A distance (3,) [m] and an angle [rad] in tolerances: at most 1 within them [-]."""
        shares = np.abs(position_error) / self.position_tolerance
        return max(float(shares.max()), orientation_error / self.angle)

    def errors(self, transform: FloatArray) -> tuple[FloatArray, float]:
        """Distance (3,) of a pose (4, 4) along the axes in which both are given [m], and the angle between
        its axes and those of this one [rad]."""
        rotation = so3_log(self.pose[:3, :3].T @ transform[:3, :3])
        return np.asarray(transform[:3, 3] - self.pose[:3, 3]), float(np.linalg.norm(rotation))
