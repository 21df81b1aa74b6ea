"""Violations of the bounds and constraints of a problem."""

from __future__ import annotations

import numpy as np

from kido.optimize._nonlinear_program import NonlinearProgram
from kido.typing import FloatArray

__all__ = ["broken_parts", "violation_lines"]


def broken_parts(problem: NonlinearProgram, x: FloatArray) -> list[tuple[float, str]]:
    """For each bound and each row of constraints at `x` (n,): by how much it is broken, and what it is.

    0 where it holds, inf where it has no value.
    """
    return [
        *_broken_bounds(problem, x),
        *_rows(problem.equality_values(x), -np.inf, problem.equality_constraints.row_names(x)),
        *_rows(problem.inequality_values(x), 0.0, problem.inequality_constraints.row_names(x)),
    ]


def violation_lines(problem: NonlinearProgram, x: FloatArray, tolerance: float) -> tuple[str, ...]:
    """A line for each bound and constraint that `x` (n,) [-] breaks by more than `tolerance` [-]."""
    return tuple(
        f"{what}, broken by {amount:.3g}" for amount, what in broken_parts(problem, x) if amount > tolerance
    )


def _broken_bounds(problem: NonlinearProgram, x: FloatArray) -> list[tuple[float, str]]:
    found = []
    rows = zip(x.tolist(), problem.lower_bounds.tolist(), problem.upper_bounds.tolist(), strict=True)
    for i, (value, lower, upper) in enumerate(rows):
        amount = np.inf if np.isnan(value) else max(lower - value, value - upper, 0.0)
        found.append((amount, f"x[{i}] = {value:.6g} outside [{lower:.6g}, {upper:.6g}]"))
    return found


def _rows(values: FloatArray, least: float, names: tuple[str, ...]) -> list[tuple[float, str]]:
    """Rows that shall be zero, or, where `least` is zero, not above it."""
    amounts = np.abs(np.maximum(values, least))
    amounts[np.isnan(amounts)] = np.inf
    rows = zip(amounts.tolist(), values.tolist(), names, strict=True)
    return [(amount, f"{name} = {value:.6g}") for amount, value, name in rows]
