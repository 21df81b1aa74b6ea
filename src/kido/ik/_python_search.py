"""The search for a pose in Python, for what the native one does not know: moving targets, joints of the
user's own.

It takes the steps of the native search, one start after the other, on the skeleton itself, which is put back
afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kido.frame import WORLD
from kido.ik._native_search import seed_range
from kido.ik._pose_error import pose_difference
from kido.ik._result import IKResult, IKStatus
from kido.ik._settings import SearchSettings
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["search_pose_in_python"]

_PATIENCE = 10
"""Iterations in which a start has to halve its error at least."""
_ROUNDS = 3
"""Times that joints may be found beyond their limits in one step."""


def search_pose_in_python(ik: InverseKinematics) -> IKResult:
    """What `InverseKinematics.solve` gives."""
    skeleton = ik._skeleton()
    saved = skeleton.positions
    search = _Search(ik)
    try:
        best: _Attempt | None = None
        for start in range(ik.settings.max_starts):
            attempt = search.attempt(saved, start)
            if best is None or attempt.squared < best.squared:
                best = attempt
            if attempt.reached:
                best = attempt
                break
    finally:
        skeleton.positions = saved
    assert best is not None
    status = IKStatus.SOLVED if best.reached else IKStatus.NOT_REACHED
    names = tuple(dof.name for dof in ik.dofs)
    return IKResult(best.positions, names, status, best.angular, best.linear, best.start, best.iterations)


@dataclass(frozen=True, slots=True)
class _Attempt:
    positions: FloatArray
    reached: bool
    angular: float
    linear: float
    squared: float
    start: int
    iterations: int


class _Search:
    """The numbers of one search that stay the same over its starts."""

    def __init__(self, ik: InverseKinematics) -> None:
        self.ik = ik
        self.skeleton = ik._skeleton()
        self.dofs = ik._indices()
        self.lower = self.skeleton.position_lower_limits[self.dofs]
        self.upper = self.skeleton.position_upper_limits[self.dofs]
        s = ik.settings
        self.weights = np.repeat([s.angular_weight, s.linear_weight], 3)
        self.random = np.random.default_rng(s.seed)
        self.low, self.high = seed_range(self.skeleton.tree, self.dofs)

    def attempt(self, given: FloatArray, start: int) -> _Attempt:
        """One start: the given positions for the first, random ones for the others."""
        q = given.copy()
        if start > 0:
            q[self.dofs] = self.random.uniform(self.low, self.high)
        q[self.dofs] = np.clip(q[self.dofs], self.lower, self.upper)
        checkpoint = np.inf
        iteration = 0
        while True:
            self.skeleton.positions = q
            error = self.error()
            angular, linear = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
            squared = float(np.sum((self.weights * error) ** 2))
            settings = self.ik.settings
            reached = angular <= settings.angular_tolerance and linear <= settings.linear_tolerance
            stuck = iteration >= settings.max_iterations
            if iteration % _PATIENCE == 0:
                stuck = stuck or squared > 0.25 * checkpoint
                checkpoint = squared
            if reached or stuck:
                return _Attempt(q[self.dofs], reached, angular, linear, squared, start, iteration)
            q = self.moved(q, self.step(q[self.dofs], error, squared, settings))
            iteration += 1

    def error(self) -> FloatArray:
        return pose_difference(self.ik.target.transform(), self.ik._point_pose())

    def jacobian(self) -> FloatArray:
        """Derivative (6, k) of the way to the target, negative, with a moving target's own motion taken
        off."""
        body, target = self.ik._body(), self.ik.target
        J = self.skeleton.jacobian(body, self.ik._point()[:3, 3], in_coordinates_of=WORLD)
        return np.asarray((J - self.skeleton.jacobian(target, in_coordinates_of=WORLD))[:, self.dofs])

    def step(self, q: FloatArray, error: FloatArray, squared: float, s: SearchSettings) -> FloatArray:
        """A damped step (k,) that keeps the limits: joints that would leave them stop there, the others go
        on."""
        J = self.weights[:, None] * self.jacobian()
        left = self.weights * error
        downhill = J.T @ left
        free = ~((q <= self.lower) & (downhill < 0.0) | (q >= self.upper) & (downhill > 0.0))
        step = np.zeros(len(q))
        damping = squared * s.damping + s.least_damping
        for _ in range(_ROUNDS):
            F = J[:, free]
            step[free] = F.T @ np.linalg.solve(F @ F.T + damping * np.eye(6), left)
            allowed = np.clip(step, self.lower - q, self.upper - q)
            beyond = free & (step != allowed)
            if not beyond.any():
                break
            step[beyond] = allowed[beyond]
            left = left - J[:, beyond] @ allowed[beyond]
            free &= ~beyond
        largest = max(s.largest_step, float(np.abs(step).max(initial=0.0)))
        return np.asarray(step * (s.largest_step / largest))

    def moved(self, q: FloatArray, step: FloatArray) -> FloatArray:
        whole = np.zeros(len(q))
        whole[self.dofs] = step
        moved = self.skeleton.tree.integrate(q, whole, 1.0)
        moved[self.dofs] = np.clip(moved[self.dofs], self.lower, self.upper)
        return moved
