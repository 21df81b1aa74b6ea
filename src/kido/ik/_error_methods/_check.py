"""Check of an error method: derivatives against differences, bounds and region against its errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kido.ik._error_methods._check_region import check_bounds, check_region, measured, measured_jacobian
from kido.ik._query import IKQuery
from kido.ik._user_output import asked, check_positions, moved, unchanged
from kido.math import as_transform_matrix
from kido.typing import FloatArray

__all__ = ["check_error_method"]

_STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Of differences [rad, m]: truncation and rounding balance."""
_NOISE = 1e-8
"""Rounding of differences, for an error of 1 [-]."""
_SMOOTH = 0.02
"""Part of a derivative by which its two one-sided differences may differ where there is no kink [-]."""


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
    bounds = _Derivative(f"{method.name}.compute_bounds.jacobian", f"{method.name}.compute_bounds")
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
            if ik.has_bounds:
                check_bounds(ik, rows)
                bounds.check(ik, q, measured, measured_jacobian, rows, tolerance)
                skeleton.positions = q
            check_region(ik, rng)
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
