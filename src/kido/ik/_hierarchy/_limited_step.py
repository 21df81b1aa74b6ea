"""Step of a hierarchy within the limits."""

from __future__ import annotations

import numpy as np

from kido.ik._hierarchy._hierarchy_step import HierarchyStep
from kido.typing import FloatArray

__all__ = ["limited_velocities"]

_ROUNDS = 4
"""Times that joints may be found beyond their limits in one step."""


def limited_velocities(
    step: HierarchyStep, damping: list[float], moves: FloatArray, lowest: FloatArray, highest: FloatArray
) -> FloatArray:
    """The step (n,) of the first levels, in the units of the dofs: joints that would leave their limits stop
    there, the others compensate.

    Args:
        step: errors and Jacobians of the levels.
        damping: of each level that takes part [-], squares of lengths.
        moves: which dofs may move (n,) [0 or 1].
        lowest, highest: bounds (n,) of the step.
    """
    free, velocities = moves.copy(), np.zeros(len(moves))
    for _ in range(_ROUNDS):
        fixed = np.where(free > 0.0, 0.0, velocities)
        velocities = step.velocities(free, fixed, damping)
        allowed = np.clip(velocities, lowest, highest)
        beyond = (free > 0.0) & (allowed != velocities)
        if not beyond.any():
            break
        velocities[beyond] = allowed[beyond]
        free[beyond] = 0.0
    return velocities
