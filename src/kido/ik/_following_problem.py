"""Problems that follow what they were made from."""

from __future__ import annotations

import numpy as np

from kido.optimize import Function, Problem
from kido.typing import FloatArray

__all__ = ["FollowingProblem"]


class FollowingProblem(Problem, closed=True):
    """A problem over positions of dofs: what a user has not replaced follows limits and an objective."""

    def __init__(self, initial_guess: FloatArray) -> None:
        """A problem over positions (k,) [rad, m] that has no bounds and objective yet."""
        super().__init__(len(initial_guess), initial_guess=initial_guess)
        self._followed_objective = self.objective
        self._followed_limits = self.lower_bounds, self.upper_bounds

    def follow_parts(self, limits: tuple[FloatArray, FloatArray], objective: Function) -> None:
        """Take dofs, their limits (k,), (k,) [rad, m] and the objective as they are now.

        Bounds that were set stay where they are narrower than the limits. Another number of dofs starts
        bounds, initial guess and seeds over.
        """
        lower, upper = limits
        if self.dimension != len(lower):
            self.dimension = len(lower)
            self._followed_limits = self.lower_bounds, self.upper_bounds
        self._follow_limits(lower, upper)
        if self.objective is self._followed_objective:
            self.objective = self._followed_objective = objective

    def _follow_limits(self, lower: FloatArray, upper: FloatArray) -> None:
        low, high = self._followed_limits
        own_low = np.where(self.lower_bounds == low, lower, self.lower_bounds)
        own_high = np.where(self.upper_bounds == high, upper, self.upper_bounds)
        self.set_bounds(np.clip(own_low, lower, upper), np.clip(own_high, lower, upper))
        self._followed_limits = lower, upper
