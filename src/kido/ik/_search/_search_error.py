"""Error and Jacobian that the searches minimise."""

from __future__ import annotations

import numpy as np

from kido.ik._pose_error import pose_difference
from kido.ik._query import IKQuery
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._user_output import norm
from kido.typing import FloatArray

__all__ = ["search_error", "search_jacobian"]


def search_error(problem: PoseProblem, ik: IKQuery) -> tuple[FloatArray, float, float]:
    """Weighted error (m,) of a module [-], and the norms of its angles [rad] and lengths [m] before
    weighting.

    The angles of a pose are its rotation vector, the shortest way to the target.
    """
    if not problem.is_pose:
        error = ik.counted_error
        return ik.weights(error) * error, *ik.error_lengths(error)
    weights = problem.weights
    error = np.where(weights > 0.0, -pose_difference(ik.target.transform(), ik.transform()), 0.0)
    return weights * error, norm(error[:3]), norm(error[3:])


def search_jacobian(problem: PoseProblem, ik: IKQuery, rows: int) -> FloatArray:
    """Derivative (rows, k) of the weighted error by the velocities of the dofs."""
    if not problem.is_pose:
        return ik.weighted_jacobian(rows)
    return np.asarray(problem.weights[:, None] * (ik.jacobian() - ik.frame_jacobian(ik.target)))
