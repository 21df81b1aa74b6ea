"""Many answers of one module: all solutions for a target, and targets one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kido.ik._coordinates import wrapped_into_limits
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKResults
from kido.ik._search._settings import SearchSettings
from kido.typing import ArrayLike, FloatArray, TransformLike

__all__ = ["Solvable", "distinct_solutions", "searched_by", "solve_each", "target_at"]

_DISTINCT = 1e-3
"""Least change of some dof between two distinct solutions [rad, m]."""


class Solvable(IKQuery, Protocol):
    """A module that is asked for answers."""

    def solve(self) -> IKResult:
        """The answer for the target, from the present positions."""

    def solve_within(self, largest_change: FloatArray) -> IKResult:
        """The answer for the target within a largest change of each dof (k,) [rad, m], where that can be."""

    def solve_batch(self, targets: TransformLike, starts: ArrayLike | None = None) -> IKResults:
        """Answers for targets (n, 4, 4) [m], from positions (n, k) or (k,) [rad, m]."""


def distinct_solutions(ik: Solvable, rounds: int = 1) -> IKResults:
    """Distinct solutions that the starts of a module's search lead to, or `rounds` times as many starts, the
    nearest first."""
    problem, settings = ik.search_problem(), ik.settings
    near = ik.positions
    random = np.random.default_rng(settings.seed)
    starts = random.uniform(problem.limits[2], problem.limits[3], (rounds * settings.max_starts, len(near)))
    starts[0] = near
    targets = np.repeat(ik.target.transform()[None], len(starts), axis=0)
    with searched_by(ik, replace(settings, max_starts=1, nearest=False)):
        found = ik.solve_batch(targets, starts)
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
        timed_out=np.full(len(kept), found.timed_out.any()),
    )


def _different(q: NDArray[np.complex128], rows: NDArray[np.intp]) -> list[int]:
    """Those of some rows of positions (n, k), angles on the unit circle, that differ from all earlier
    ones."""
    kept: list[int] = []
    places = np.empty((len(rows), q.shape[1]), dtype=np.complex128)
    for row in rows.tolist():
        apart = q[row] - places[: len(kept)]
        squared = (apart.real**2 + apart.imag**2).max(axis=1, initial=0.0)
        if (squared > _DISTINCT**2).all():
            places[len(kept)] = q[row]
            kept.append(row)
    return kept


def solve_each(ik: Solvable, poses: FloatArray, starts: FloatArray) -> list[IKResult]:
    """Answers for poses (n, 4, 4) of the target [m] from positions (n, num_dofs), one after the other. The
    skeleton is where it was afterwards."""
    skeleton = ik.node.skeleton
    saved, results = skeleton.positions, []
    try:
        for pose, start in zip(poses, starts, strict=True):
            skeleton.positions = start
            with target_at(ik, pose):
                results.append(ik.solve())
    finally:
        skeleton.positions = saved
    return results


@contextmanager
def target_at(ik: IKQuery, pose: FloatArray) -> Iterator[None]:
    """Context in which the target is at a pose (4, 4) in the world [m]."""
    placement = ik.target.relative_transform
    ik.target.set_transform(pose)
    try:
        yield
    finally:
        ik.target.relative_transform = placement


@contextmanager
def searched_by(ik: IKQuery, settings: SearchSettings) -> Iterator[None]:
    """Context in which the search of a module has other settings."""
    saved = ik.properties
    ik.properties = replace(saved, settings=settings)
    try:
        yield
    finally:
        ik.properties = saved
