"""All solutions of the search for one target."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kido.ik._result import IKResults
from kido.ik._wrapping import wrapped_into_limits

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["distinct_solutions"]

_DISTINCT = 1e-3
"""Least change of some dof between two distinct solutions [rad, m]."""


def distinct_solutions(ik: InverseKinematics) -> IKResults:
    """Distinct solutions that the starts of a module's search lead to, the nearest first."""
    problem, settings = ik.search_problem(), ik.settings
    near = ik.positions
    random = np.random.default_rng(settings.seed)
    starts = random.uniform(problem.limits[2], problem.limits[3], (settings.max_starts, len(near)))
    starts[0] = near
    targets = np.repeat(ik.target.transform()[None], len(starts), axis=0)
    properties = ik.properties
    ik.settings = replace(settings, max_starts=1, nearest=False)
    try:
        found = ik.solve_batch(targets, starts)
    finally:
        ik.properties = properties
    rows = np.flatnonzero(found.success)
    q = wrapped_into_limits(found.positions, problem.limits[0], problem.limits[1], near, problem.cyclic)
    rows = rows[np.argsort(np.abs(q[rows] - near).max(axis=1), kind="stable")]
    kept = _different(np.where(problem.cyclic, np.exp(1j * q), q), rows)
    return IKResults(
        q[kept],
        found.dof_names,
        found.success[kept],
        found.angular_error[kept],
        found.linear_error[kept],
        np.array(kept, dtype=np.int32),
        found.iterations[kept],
    )


def _different(q: NDArray[np.complex128], rows: NDArray[np.intp]) -> list[int]:
    """Those of some rows of positions (n, k), angles on the unit circle, that differ from all earlier
    ones."""
    kept: list[int] = []
    for row in rows.tolist():
        if all(np.abs(q[row] - q[other]).max() > _DISTINCT for other in kept):
            kept.append(row)
    return kept
