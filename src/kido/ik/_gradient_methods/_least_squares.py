"""Linear least squares by singular values, and projections into null spaces."""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray

__all__ = ["RANK_TOLERANCE", "damped_solution", "shortest_solution", "singular_values", "within_null_space"]

RANK_TOLERANCE = 1e-9
"""Singular values up to this times the largest count as zero; rounding leaves about 1e-16 of them."""


def singular_values(J: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """U (m, r), s (r,) and V (k, r) of the Jacobian (m, k) = U diag(s) V^T."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    return U, s, Vt.T


def shortest_solution(J: FloatArray, e: FloatArray, rank_tolerance: float = RANK_TOLERANCE) -> FloatArray:
    """The shortest x (k,) that minimises |J x - e|, where small singular values count as zero."""
    U, s, V = singular_values(J)
    kept = s > rank_tolerance * s.max(initial=0.0)
    return np.asarray(V[:, kept] @ ((U[:, kept].T @ e) / s[kept]))


def damped_solution(J: FloatArray, e: FloatArray, damping: float) -> FloatArray:
    """The x (k,) that minimises |J x - e|^2 + damping^2 |x|^2; the shortest where there are many."""
    rows, columns = J.shape
    square = damping * damping
    if square <= RANK_TOLERANCE * float(np.sum(J * J)):
        return _filtered_solution(J, e, damping)
    if rows <= columns:
        return np.asarray(J.T @ np.linalg.solve(J @ J.T + square * np.eye(rows), e))
    return np.asarray(np.linalg.solve(J.T @ J + square * np.eye(columns), J.T @ e))


def _filtered_solution(J: FloatArray, e: FloatArray, damping: float) -> FloatArray:
    """The same where rounding of J J^T hides the damping."""
    U, s, V = singular_values(J)
    kept = s > RANK_TOLERANCE * s.max(initial=0.0)
    s = s[kept]
    return np.asarray(V[:, kept] @ ((U[:, kept].T @ e) / (s + damping * (damping / s))))


_ROUNDS = 10
"""Times that positions may be found to leave their limits."""


def within_null_space(
    gradient: FloatArray, J: FloatArray, lowest: np.ndarray, highest: np.ndarray
) -> FloatArray:
    """The part of a gradient (n,) that J (m, n) does not see, of positions that it does not take further than
    the limits at which they are."""
    free = np.ones(len(gradient), dtype=bool)
    for _ in range(_ROUNDS):
        inner, seen = np.where(free, gradient, 0.0), np.where(free, J, 0.0)
        inner = inner - shortest_solution(seen, seen @ inner)
        beyond = free & (lowest & (inner > 0.0) | highest & (inner < 0.0))
        if not beyond.any():
            break
        free &= ~beyond
    return np.where(free, inner, 0.0)
