"""Violations of the bounds and constraints of a problem."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.optimize._nonlinear_program import NonlinearProgram
from kido.typing import FloatArray

__all__ = ["broken_parts", "largest_violation", "violation_lines"]


def broken_parts(problem: NonlinearProgram, x: FloatArray) -> list[tuple[float, str]]:
    """For each bound and each row of constraints at `x` (n,): by how much it is broken, and what it is.

    0 where it holds, inf where it has no value. Every function is asked once.
    """
    return [
        *_broken_bounds(problem, x),
        *_rows(*problem.equality_constraints.named_values(x), -np.inf),
        *_rows(*problem.inequality_constraints.named_values(x), 0.0),
    ]


def largest_violation(parts: Iterable[tuple[float, str]]) -> float:
    """The most that one of some parts is broken by; 0 where there is none."""
    return max((amount for amount, _ in parts), default=0.0)


def violation_lines(parts: Iterable[tuple[float, str]], tolerance: float) -> tuple[str, ...]:
    """A line for each part that is broken by more than `tolerance` [-]."""
    return tuple(f"{what}, broken by {amount:.3g}" for amount, what in parts if amount > tolerance)


def _broken_bounds(problem: NonlinearProgram, x: FloatArray) -> list[tuple[float, str]]:
    found = []
    rows = zip(x.tolist(), problem.lower_bounds.tolist(), problem.upper_bounds.tolist(), strict=True)
    for i, (value, lower, upper) in enumerate(rows):
        amount = np.inf if np.isnan(value) else max(lower - value, value - upper, 0.0)
        found.append((amount, f"x[{i}] = {value:.6g} outside [{lower:.6g}, {upper:.6g}]"))
    return found


def _rows(values: FloatArray, names: tuple[str, ...], least: float) -> list[tuple[float, str]]:
    """Rows that shall be zero, or, where `least` is zero, not above it."""
    amounts = np.abs(np.maximum(values, least))
    amounts[np.isnan(amounts)] = np.inf
    rows = zip(amounts.tolist(), values.tolist(), names, strict=True)
    return [(amount, f"{name} = {value:.6g}") for amount, value, name in rows]
