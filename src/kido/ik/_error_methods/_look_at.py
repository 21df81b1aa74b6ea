"""An axis that aims at the target."""

from __future__ import annotations

import math

import numpy as np

from kido.ik._error_methods._components import (
    ANGULAR_WEIGHT,
    axes_of,
    checked_clamp,
    checked_weight,
    jacobian_in_axes,
    spread,
)
from kido.ik._error_methods._error_bounds import ErrorBounds
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import GazeRegion
from kido.ik._query import IKQuery
from kido.math import hat, so3_exp
from kido.typing import FloatArray, frozen_array, frozen_direction
from kido.values import Array, Value, checked, value

__all__ = ["LookAt"]

_LEAST_SINE = 1e-6
"""Sine of the angle between axis and line of sight below which the axis of rotation has no derivative."""


def _half_angle(name: str, value: float) -> float:
    angle = float(frozen_array(name, value, (), "rad"))
    if not 0.0 <= angle <= math.pi:
        raise ValueError(f"{name}: expected a number from 0 to pi [rad], got {value!r}")
    return angle


@value
class LookAt(Value, ErrorMethod):
    """An axis through the node's point aims at the target's origin, as that of a camera or a torch.

    The error is the shortest rotation that leads from the line of sight to the axis, as a vector in the axes
    of the module's `reference_frame`, then three zeros. A target at the node's point is aimed at by any axis.

    Attributes:
        axis: direction (3,) in the node's coordinates, made of length 1 [-].
        half_angle: of the cone around the line of sight in which the axis may be [rad], from 0 to pi.
        weight: of a radian [-], above 0.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.

    Raises TypeError or ValueError naming the argument.
    """

    axis: Array = checked(frozen_direction, default=(1.0, 0.0, 0.0))
    half_angle: float = checked(_half_angle, default=0.0)
    weight: float = checked(checked_weight, default=ANGULAR_WEIGHT, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)

    @property
    def weights(self) -> FloatArray:
        """Weight of each component (6,), zero for lengths [-]."""
        return spread(self.weight, 0.0)

    def compute_error(self, ik: IKQuery) -> FloatArray:
        """The rotation vector beyond the cone, and three zeros (6,) [rad, m]."""
        return spread(axes_of(self.axes(ik)).T @ self._beyond(ik), 0.0)

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the error; within the cone that of the rotation vector, so that steps keep the
        axis there."""
        axes, sight = self.axes(ik), _Sight(ik, self.axis)
        allowed = self.half_angle if sight.angle > self.half_angle else 0.0
        J_error = sight.jacobian(ik, allowed)
        J_error = jacobian_in_axes(ik, axes, (sight.angle - allowed) * sight.about, J_error)
        return np.concatenate([J_error, np.zeros_like(J_error)])

    def compute_constraint_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the error: none within the cone."""
        within = self.half_angle > 0.0 and _Sight(ik, self.axis).angle <= self.half_angle
        J = self.compute_jacobian(ik)
        return np.zeros_like(J) if within else J

    def compute_bounds(self, ik: IKQuery) -> ErrorBounds | None:
        """Bounds of the angle to the line of sight, as first component; None without a cone."""
        if self.half_angle == 0.0:
            return None
        sight = _Sight(ik, self.axis)
        J = np.zeros((6, len(ik.dofs)))
        J[0] = sight.about @ sight.jacobian(ik, 0.0)
        upper = np.array([self.half_angle - sight.angle, *[np.inf] * 5])
        return ErrorBounds(J, np.full(6, -np.inf), upper)

    def region(self, ik: IKQuery) -> GazeRegion:
        """The region for the native search."""
        return GazeRegion(self.axis, self.half_angle, self.weight)

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The present pose (4, 4), turned by the shortest way to where the axis aims at the target [m]."""
        T = ik.transform()
        T[:3, :3] = so3_exp(-self._beyond(ik)) @ T[:3, :3]
        return T

    def _beyond(self, ik: IKQuery) -> FloatArray:
        """The rotation vector beyond the cone (3,), in world axes [rad]."""
        sight = _Sight(ik, self.axis)
        return np.asarray(max(sight.angle - self.half_angle, 0.0) * sight.about)


class _Sight:
    """The line of sight to the target, the axis that should be along it, and what turns one into the other:
    an angle [rad] about a direction (3,); all in world axes."""

    def __init__(self, ik: IKQuery, axis: FloatArray) -> None:
        T = ik.transform()
        line = ik.target.transform()[:3, 3] - T[:3, 3]
        self.distance = math.sqrt(line @ line)
        self.axis = T[:3, :3] @ axis
        self.line = line / self.distance if self.distance > 0.0 else self.axis
        normal = np.cross(self.line, self.axis)
        self.sine = math.sqrt(normal @ normal)
        self.angle = math.atan2(self.sine, self.line @ self.axis)
        self.about = normal / self.sine if self.sine > 0.0 else _perpendicular(self.line)

    def jacobian(self, ik: IKQuery, allowed: float) -> FloatArray:
        """Derivative (3, k) of (angle - allowed) about the direction."""
        J = ik.jacobian()
        axis_jacobian = -hat(self.axis) @ J[:3]
        line_jacobian = np.zeros_like(axis_jacobian)
        if self.distance > 0.0:
            moving = (ik.frame_jacobian(ik.target)[3:] - J[3:]) / self.distance
            line_jacobian = moving - np.outer(self.line, self.line @ moving)
        normal_jacobian = hat(self.line) @ axis_jacobian - hat(self.axis) @ line_jacobian
        if self.angle < _LEAST_SINE:
            return np.asarray(normal_jacobian)
        angle_jacobian = self.about @ (J[:3] - hat(self.line) @ line_jacobian)
        J_error = np.outer(self.about, angle_jacobian)
        if self.sine > _LEAST_SINE:
            across = normal_jacobian - np.outer(self.about, self.about @ normal_jacobian)
            J_error += (self.angle - allowed) / self.sine * across
        return J_error


def _perpendicular(direction: FloatArray) -> FloatArray:
    """A direction (3,) at right angles to another one (3,)."""
    normal = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
    return np.asarray(normal / np.linalg.norm(normal))
