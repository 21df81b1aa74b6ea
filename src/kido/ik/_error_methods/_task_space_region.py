"""Task space regions: a node within bounds of its target."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from kido.ik._error_methods._components import (
    ANGULAR_WEIGHT,
    LINEAR_WEIGHT,
    axes_of,
    checked_clamp,
    position_error,
    position_jacobian,
    rotation_error,
    rotation_jacobian,
    six_weights,
    spread,
)
from kido.ik._error_methods._error_bounds import ErrorBounds
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._region import PoseRegion
from kido.ik._query import IKQuery
from kido.math import euler_to_matrix, matrix_to_euler
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Checked, Value, checked, flag, value

__all__ = ["TaskSpaceRegion"]

_TOLERANCE = 1e-6
"""Bounds that are narrower stand for a pose."""
_WEIGHTS = tuple(spread(ANGULAR_WEIGHT, LINEAR_WEIGHT).tolist())
_LEAST_COSINE = 1e-6
"""Cosine of the second angle below which its neighbours have no derivatives of their own: gimbal lock."""


def _checked_bounds(name: str, value: ArrayLike | None, unit: str) -> FloatArray:
    given = np.full(3, _TOLERANCE) if value is None else value
    bounds = frozen_array(name, given, None, unit, finite=False)
    if bounds.shape == (3,):
        bounds = frozen_array(name, np.stack([-bounds, bounds]), (2, 3), unit, finite=False)
    if bounds.shape != (2, 3):
        raise ValueError(f"{name}: expected shape (2, 3) or (3,) [{unit}], got {bounds.shape}")
    for i, (low, high) in enumerate(bounds.T.tolist()):
        if low > high or low == np.inf or high == -np.inf:
            raise ValueError(f"{name}[{i}]: expected a lowest of at most the highest, got {low} and {high}")
    return bounds


def _checked_angles(name: str, value: ArrayLike | None) -> FloatArray:
    return _checked_bounds(name, value, "rad")


def _checked_lengths(name: str, value: ArrayLike | None) -> FloatArray:
    return _checked_bounds(name, value, "m")


@value
class TaskSpaceRegion(Value, ErrorMethod):
    """The node within bounds of its target: any of six components may be free, fixed, or between two bounds.

    The displacement is that of the node's point from the target, in the coordinates of the module's
    `reference_frame`: three angles, those of turning about x, y and z in this order (R = Rx Ry Rz), then
    three lengths. The first and the third angle are between -pi and pi, or a turn off where that is nearer to
    bounds beyond pi; the second is between -pi/2 and pi/2.

    Attributes:
        angular: lowest and highest angles (2, 3) [rad], which may be infinite. Given as (3,), plus and minus
            these; as None, the target's axes within 1e-6.
        linear: lowest and highest lengths (2, 3) [m], which may be infinite. Given as (3,), plus and minus
            these; as None, the target's origin within 1e-6.
        weights: weight of each component (6,) [-], 0 or above; one with weight 0 is free.
        length_clamp: largest length of the weighted error that gradient methods see [-], above 0; may be
            infinite.
        from_center: whether the error of a component that is outside is its distance from the middle of its
            bounds, where both are finite, rather than from the nearer one. Such an error jumps where a bound
            is passed; solvers that count on smoothness want the nearer bound, and the search takes it where
            it lowers an objective.
        lower, upper: lowest and highest displacement (6,) without error [rad, m].

    Raises TypeError or ValueError naming the argument.

    Source: Berenson, Srinivasa and Kuffner, Task space regions: A framework for pose-constrained
    manipulation planning (2011).
    """

    angular: Checked[ArrayLike | None, FloatArray] = checked(_checked_angles, default=None)
    linear: Checked[ArrayLike | None, FloatArray] = checked(_checked_lengths, default=None)
    weights: Array = checked(six_weights, default=_WEIGHTS, kw_only=True)
    length_clamp: float = checked(checked_clamp, default=1.0, kw_only=True)
    from_center: bool = flag(default=True, kw_only=True)
    lower: FloatArray = field(init=False)
    upper: FloatArray = field(init=False)

    def _check(self) -> None:
        counts, angles, lengths = self.weights > 0.0, self.angular, self.linear
        self._assign(
            lower=_frozen(np.where(counts, spread(angles[0], lengths[0]), -np.inf)),
            upper=_frozen(np.where(counts, spread(angles[1], lengths[1]), np.inf)),
        )

    def displacement(self, ik: IKQuery) -> FloatArray:
        """The node's displacement (6,) from the target: three angles [rad], three lengths [m]."""
        axes = self.axes(ik)
        angles = matrix_to_euler(rotation_error(ik, axes), "XYZ")
        return spread(self._nearest(angles), position_error(ik, axes, ik.transform()[:3, 3]))

    def compute_error(self, ik: IKQuery) -> FloatArray:
        """The displacement beyond the bounds (6,): zero where it is between them [rad, m]."""
        return self._beyond(self.displacement(ik))

    def compute_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of the displacement, so that steps keep components between their bounds; rows of
        components that have less than two bounds, and are within them, are zero."""
        d = self.displacement(ik)
        J = self._displacement_jacobian(ik, d)
        J[self._is_inside(d) & ~self._has_middle()] = 0.0
        return J

    def compute_bounds(self, ik: IKQuery) -> ErrorBounds | None:
        """Bounds of the displacement; where they are narrow, their middle, and None where all are.

        Where errors are taken from the middle, bounds are a little within, so that what is on them has none.
        """
        d, (lower, upper) = self.displacement(ik), self._smooth_bounds()
        if (lower == upper)[self.weights > 0.0].all():
            return None
        if self.from_center:
            within = np.minimum(_TOLERANCE, 0.25 * (upper - lower), where=self._has_middle(), out=np.zeros(6))
            lower, upper = lower + within, upper - within
        return ErrorBounds(self._displacement_jacobian(ik, d), lower - d, upper - d)

    def compute_constraint(self, ik: IKQuery) -> FloatArray:
        """The displacement beyond the nearer bound (6,), or from where narrow bounds fix it [rad, m]."""
        d = self.displacement(ik)
        return d - np.clip(d, *self._smooth_bounds())

    def compute_constraint_jacobian(self, ik: IKQuery) -> FloatArray:
        """Derivative (6, k) of that: none of what is between bounds."""
        d, (lower, upper) = self.displacement(ik), self._smooth_bounds()
        between = (lower < upper) & (lower <= d) & (d <= upper)
        return np.where(between[:, None], 0.0, self.compute_jacobian(ik))

    def desired_transform(self, ik: IKQuery) -> FloatArray:
        """The target's pose (4, 4) in the world, but where the present one is between bounds [m]."""
        d = self.displacement(ik)
        goal = d - self._beyond(d)
        A, T = axes_of(self.axes(ik)), ik.target.transform()
        T[:3, :3] = A @ euler_to_matrix(goal[:3], "XYZ") @ A.T @ T[:3, :3]
        T[:3, 3] += A @ goal[3:]
        return T

    def region(self, ik: IKQuery) -> PoseRegion | None:
        """The region for the native search; None for bounds beyond pi."""
        lower, upper, axes = self.lower, self.upper, self.axes(ik)
        if self._beyond_half_turn().any():
            return None
        counted = self.weights > 0.0
        if max(upper[counted].max(initial=0.0), -lower[counted].min(initial=0.0)) <= _TOLERANCE:
            return PoseRegion(None, None, self.weights, axes)
        return PoseRegion(lower, upper, self.weights, axes, self.from_center)

    def _displacement_jacobian(self, ik: IKQuery, d: FloatArray) -> FloatArray:
        """Derivative (6, k) of the displacement, which is `d` now."""
        axes = self.axes(ik)
        linear = position_jacobian(ik, axes, ik.transform()[:3, 3], ik.jacobian()[3:])
        return np.concatenate([_euler_jacobian(d) @ rotation_jacobian(ik, axes), linear])

    def _beyond_half_turn(self) -> np.ndarray:
        """Whether each angle has a bound beyond half a turn (3,)."""
        bounds = np.stack([self.lower[:3], self.upper[:3]])
        return np.asarray((np.isfinite(bounds) & (np.abs(bounds) > np.pi)).any(0))

    def _nearest(self, angles: FloatArray) -> FloatArray:
        """Angles (3,), a turn off where that brings them nearer to bounds beyond half a turn [rad]."""
        beyond = self._beyond_half_turn() & (True, False, True)
        if not beyond.any():
            return angles
        candidates = angles + 2.0 * np.pi * np.array([[0.0], [-1.0], [1.0]])
        distances = np.abs(candidates - np.clip(candidates, self.lower[:3], self.upper[:3]))
        nearest = candidates[np.argmin(distances, axis=0), np.arange(3)]
        return np.where(beyond, nearest, angles)

    def _smooth_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Bounds (6,), (6,) that are their middle where they are narrow [rad, m]."""
        lower, upper = self.lower, self.upper
        narrow = self._has_middle() & (np.abs(upper - lower) <= 2.0 * _TOLERANCE)
        middle = 0.5 * (lower + np.where(narrow, upper, lower))
        return np.where(narrow, middle, lower), np.where(narrow, middle, upper)

    def _is_inside(self, d: FloatArray) -> np.ndarray:
        return np.asarray((self.lower <= d) & (d <= self.upper))

    def _has_middle(self) -> np.ndarray:
        return np.isfinite(self.lower) & np.isfinite(self.upper)

    def _beyond(self, d: FloatArray) -> FloatArray:
        lower, upper = self.lower, self.upper
        goal = np.clip(d, lower, upper)
        if self.from_center:
            bounded = self._has_middle()
            goal[bounded] = 0.5 * (lower[bounded] + upper[bounded])
        return np.where(self._is_inside(d), 0.0, d - goal)


def _euler_jacobian(d: FloatArray) -> FloatArray:
    """Derivative (3, 3) of the angles by the angular velocity."""
    a, b = d[:2]
    cosine = np.copysign(max(abs(np.cos(b)), _LEAST_COSINE), np.cos(b))
    third = np.array([0.0, -np.sin(a), np.cos(a)]) / cosine
    return np.stack([[1.0, 0.0, 0.0] - np.sin(b) * third, [0.0, np.cos(a), np.sin(a)], third])


def _frozen(bounds: FloatArray) -> FloatArray:
    return frozen_array("bounds", bounds, (6,), finite=False)
