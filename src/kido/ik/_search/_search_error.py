"""Errors as the searches see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.ik._pose_error import pose_difference
from kido.ik._search._plan import PosePlan
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["search_error", "search_jacobian"]


def search_error(plan: PosePlan, ik: InverseKinematics) -> tuple[FloatArray, float, float]:
    """The weighted error (m,) of a module, and how much of what counts is angle [rad] and length [m].

    Of a pose the angles are those of the rotation vector: they lead there the shortest way.
    """
    if not plan.is_point:
        error = ik.counted_error
        return ik.weights(error) * error, *ik.error_method.lengths(ik, error)
    weights = plan.region[:6]
    error = np.where(weights > 0.0, -pose_difference(ik.target.transform(), ik.transform()), 0.0)
    return weights * error, float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))


def search_jacobian(plan: PosePlan, ik: InverseKinematics, rows: int) -> FloatArray:
    """Derivative (rows, k) of that error by the velocities of the dofs."""
    if not plan.is_point:
        return ik.weighted_jacobian(rows)
    return np.asarray(plan.region[:6, None] * (ik.jacobian() - ik.frame_jacobian(ik.target)))
