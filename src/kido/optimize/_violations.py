"""Violations of the bounds and constraints of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.optimize._problem import Problem

__all__ = ["broken_parts"]


def broken_parts(problem: Problem, x: FloatArray) -> list[tuple[float, str]]:
    """For each bound and each row of constraints at `x` (n,): by how much it is broken, and what it is.

    0 where it holds, inf where it has no value.
    """
    return [
        *_broken_bounds(problem, x),
        *_rows(problem.equality_values(x), -np.inf, problem.equality_constraints.row_names(x)),
        *_rows(problem.inequality_values(x), 0.0, problem.inequality_constraints.row_names(x)),
    ]


def _broken_bounds(problem: Problem, x: FloatArray) -> list[tuple[float, str]]:
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
