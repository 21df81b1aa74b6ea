"""Check of where an error method has no error: bounds of what it measures, and its region."""

from __future__ import annotations

import numpy as np

from kido.ik._error_methods._region import PoseRegion, Region, moves_with
from kido.ik._query import IKQuery
from kido.ik._user_output import asked
from kido.math import euler_to_matrix, so3_exp
from kido.typing import FloatArray

__all__ = ["check_bounds", "check_region", "measured", "measured_jacobian"]

_BEYOND = 0.3
"""How far outside of a region a pose is tried [rad, m]."""
_NOTHING = 1e-5
"""Error of a pose within a region [rad, m]: bounds of regions are up to 1e-6 apart."""


def check_bounds(ik: IKQuery, rows: int) -> None:
    """Raises ValueError where components (rows,) of the error are zero outside of their bounds, or not zero
    within them."""
    name = ik.error_method.name
    error = asked(f"{name}.compute_error", ik, lambda: ik.error_method.compute_error(ik), (rows,))
    error = ik.weights(error) * error
    _, lower, upper = ik.weighted_bounds(rows)
    beyond = np.maximum(lower, -upper)
    if _distance(error) <= _NOTHING < beyond.max(initial=-np.inf):
        raise ValueError(f"{name}.compute_bounds: expected an error beyond them, got {error.tolist()}")
    if beyond.max(initial=-np.inf) < 0.0 and _distance(error) > _NOTHING:
        raise ValueError(f"{name}.compute_bounds: expected no error within them, got {error.tolist()}")


def measured(ik: IKQuery) -> FloatArray:
    """Measured quantity (m,) of a method, but for a constant; zeros where it has no bound."""
    _, lower, upper = ik.weighted_bounds(len(ik.error))
    nearest = np.where(np.isfinite(lower), lower, upper)
    return np.where(np.isfinite(nearest), -nearest, 0.0)


def measured_jacobian(ik: IKQuery) -> FloatArray:
    """Derivative (m, k) of what a method measures by velocities; zeros where it has no bound."""
    J, lower, upper = ik.weighted_bounds(len(ik.error))
    return np.where((np.isfinite(lower) | np.isfinite(upper))[:, None], J, 0.0)


def _distance(error: FloatArray) -> float:
    return float(np.abs(error).max(initial=0.0))


def check_region(ik: IKQuery, rng: np.random.Generator) -> None:
    """Raises ValueError where a pose of the method's region has an error, or one outside has none."""
    method, axes, present = ik.error_method, ik.error_axes, ik.target.transform()
    region = method.region(ik)
    if region is None:
        return
    part = f"{method.name}.region"
    if not isinstance(region, Region):
        raise TypeError(f"{part}: expected a region or None, got {region!r}")
    if not isinstance(region, PoseRegion):
        return
    if axes is not ik.target and moves_with(axes, ik.target):
        return
    counted = np.asarray(region.weights) > 0.0
    lower = np.zeros(6) if region.lower is None else np.asarray(region.lower)
    upper = np.zeros(6) if region.upper is None else np.asarray(region.upper)
    drawn = rng.uniform(np.clip(lower, -0.5, 0.5), np.clip(upper, -0.5, 0.5))
    inside = np.where(counted, np.clip(drawn, lower, upper), 0.2)
    is_vector = region.lower is None and region.upper is None
    error = _error_at(ik, inside, is_vector)
    if error.max(initial=0.0) > _NOTHING:
        raise ValueError(f"{part}: expected no error within it, got {error.tolist()} at {inside.tolist()}")
    for i in np.flatnonzero(counted):
        for bound, sign in ((lower[i], -1.0), (upper[i], 1.0)):
            if np.isfinite(bound) and abs(bound) < 1.0:
                outside = inside.copy()
                outside[i] = bound + sign * _BEYOND
                if _error_at(ik, outside, is_vector).max(initial=0.0) <= _NOTHING:
                    raise ValueError(
                        f"{part}: expected an error outside of it, got none at {outside.tolist()}"
                    )
    ik.target.set_transform(present)


def _error_at(ik: IKQuery, displacement: FloatArray, is_vector: bool) -> FloatArray:
    """Sizes (m,) of the counted errors where the node has a displacement (6,) from the target, which is moved
    for that: a rotation vector or three angles [rad], then lengths [m]."""
    method, T = ik.error_method, ik.transform()
    turn = so3_exp(displacement[:3]) if is_vector else euler_to_matrix(displacement[:3], "XYZ")
    target = np.eye(4)
    if ik.error_axes is ik.target:
        target[:3, :3] = T[:3, :3] @ turn.T
        target[:3, 3] = T[:3, 3] - target[:3, :3] @ displacement[3:]
    else:
        A = ik.error_axes.transform()[:3, :3]
        target[:3, :3] = A @ turn.T @ A.T @ T[:3, :3]
        target[:3, 3] = T[:3, 3] - A @ displacement[3:]
    ik.target.set_transform(target)
    error = asked(f"{method.name}.compute_error", ik, lambda: method.compute_error(ik), (-1,))
    return np.asarray(np.where(ik.weights(error) > 0.0, np.abs(error), 0.0))
