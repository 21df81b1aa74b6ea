"""Check of an error method: its derivatives against differences of its errors, its region against both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kido.ik._error_methods._region import PoseRegion, Region, moves_with
from kido.ik._query import IKQuery
from kido.ik._user_output import asked, check_positions, moved, unchanged
from kido.math import as_transform_matrix, euler_to_matrix, so3_exp
from kido.typing import FloatArray

__all__ = ["check_error_method"]

_STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Of differences [rad, m]: truncation and rounding balance."""
_NOISE = 1e-8
"""Rounding of differences, for an error of 1 [-]."""
_SMOOTH = 0.02
"""Part of a derivative by which its two one-sided differences may differ where there is no kink [-]."""
_BEYOND = 0.3
"""How far outside of a region a pose is tried [rad, m]."""
_NOTHING = 1e-5
"""Error of a pose within a region [rad, m]: bounds of regions are up to 1e-6 apart."""


def check_error_method(ik: IKQuery, tolerance: float, samples: int) -> None:
    """Compare what the error method of a module gives with differences, at the present and random positions.

    Raises TypeError or ValueError that name the method, its member, and the row and dof at fault.
    """
    method, rng = ik.error_method, np.random.default_rng(0)
    skeleton = ik.node.skeleton
    error = _Derivative(f"{method.name}.compute_jacobian", f"{method.name}.compute_error")
    constraint = _Derivative(
        f"{method.name}.compute_constraint_jacobian", f"{method.name}.compute_constraint"
    )
    rows = -1
    with unchanged(ik):
        for q in check_positions(ik, samples):
            skeleton.positions = q
            rows = len(asked(error.of, ik, lambda: method.compute_error(ik), (rows,)))
            _check_options(ik, rows)
            error.check(ik, q, method.compute_error, method.compute_jacobian, rows, tolerance)
            constraint.check(
                ik, q, method.compute_constraint, method.compute_constraint_jacobian, rows, tolerance
            )
            skeleton.positions = q
            _check_region(ik, rng)
    for derivative in (error, constraint):
        derivative.refuse_jumps()


def _check_options(ik: IKQuery, rows: int) -> None:
    """Raises for weights, a clamp, lengths, axes or a desired pose that are none."""
    method = ik.error_method
    error = asked(f"{method.name}.compute_error", ik, lambda: method.compute_error(ik), (rows,))
    weights = ik.weights(error)
    if not (weights >= 0.0).all():
        raise ValueError(f"{method.name}.weights: expected numbers of 0 or above, got {weights.tolist()}")
    if not method.length_clamp > 0.0:
        raise ValueError(f"{method.name}.length_clamp: expected a number above 0, got {method.length_clamp}")
    lengths = ik.error_lengths(error)
    if not min(lengths) >= 0.0:
        raise ValueError(f"{method.name}.lengths: expected two norms of 0 or above, got {lengths}")
    if not error.any() and max(lengths) > 0.0:
        raise ValueError(f"{method.name}.lengths: expected 0 and 0 for an error of zero, got {lengths}")
    ik.error_axes  # noqa: B018 - raises for what is no frame
    part = f"{method.name}.desired_transform"
    as_transform_matrix(asked(part, ik, lambda: method.desired_transform(ik), (4, 4)), part)


@dataclass
class _Derivative:
    """Comparison of a derivative with differences of what it is the derivative of."""

    name: str
    of: str
    compared: int = 0
    jumps: int = 0

    def check(
        self,
        ik: IKQuery,
        q: FloatArray,
        values: Callable[[IKQuery], FloatArray],
        jacobian: Callable[[IKQuery], FloatArray],
        rows: int,
        tolerance: float,
    ) -> None:
        """Raises ValueError where a derivative at positions (n,) is not that of differences."""
        skeleton, count = ik.node.skeleton, len(ik.dofs)

        def at(positions: FloatArray) -> FloatArray:
            skeleton.positions = positions
            return asked(self.of, ik, lambda: values(ik), (rows,))

        skeleton.positions = q
        here = asked(self.of, ik, lambda: values(ik), (rows,))
        J = asked(self.name, ik, lambda: jacobian(ik), (rows, count))
        steps = _STEP * np.eye(count)
        after = np.stack([at(moved(ik, q, step)) for step in steps], axis=-1)
        before = np.stack([at(moved(ik, q, -step)) for step in steps], axis=-1)
        skeleton.positions = q
        expected = (after - before) / (2.0 * _STEP)
        bend = np.abs(after + before - 2.0 * here[:, None]) / _STEP
        scale = np.maximum(np.abs(expected).max(axis=1), np.abs(J).max(axis=1))[:, None]
        noise = _NOISE * max(1.0, float(np.abs(here).max(initial=0.0)))
        smooth = bend <= _SMOOTH * scale + noise
        # a component that has no error may have the derivative of what it measures
        counts = smooth & (here != 0.0)[:, None]
        self.compared += int(counts.sum())
        self.jumps += int((~smooth & (here != 0.0)[:, None]).sum())
        off = np.where(counts, np.abs(J - expected), 0.0)
        if (off > tolerance * scale + noise).any():
            i, j = np.unravel_index(np.argmax(off / np.maximum(scale, noise)), off.shape)
            units = np.eye(len(q))[ik.dof_indices] * _STEP
            by_positions = np.stack([at(q + u) - at(q - u) for u in units], axis=-1) / (2.0 * _STEP)
            hint = _hint(np.where(counts, J, 0.0), np.where(counts, expected, 0.0), by_positions * counts)
            raise ValueError(
                f"{self.name}: row {i}, dof {ik.dofs[j].name!r}: expected {expected[i, j]:.6g}, as "
                f"differences of {self.of} give, got {J[i, j]:.6g}{hint}; at the positions {_shown(ik, q)}"
            )

    def refuse_jumps(self) -> None:
        """Raises ValueError where there was no derivative to compare with at any of the positions."""
        if self.jumps and not self.compared:
            raise ValueError(f"{self.of}: expected an error with a derivative, got one that jumps everywhere")


def _hint(J: FloatArray, expected: FloatArray, by_positions: FloatArray) -> str:
    """Guess at a wrong derivative, in words; empty where nobody knows."""

    def is_like(other: FloatArray) -> bool:
        return bool(np.abs(J - other).max() <= 1e-3 * np.abs(other).max())

    if is_like(-expected):
        return ", all of it of the opposite sign: errors are present minus desired"
    if is_like(by_positions):
        return ", all of it the derivative by positions: it shall be that by velocities"
    square = float((expected * expected).sum())
    factor = float((J * expected).sum()) / square if square > 0.0 else 0.0
    if abs(factor) > 1e-3 and is_like(factor * expected):
        return f", all of it {factor:.4g} times as large"
    return ""


def _shown(ik: IKQuery, q: FloatArray) -> list[float]:
    """Positions of the module's dofs, for messages."""
    shown: list[float] = q[ik.dof_indices].round(6).tolist()
    return shown


# ---- the region


def _check_region(ik: IKQuery, rng: np.random.Generator) -> None:
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
