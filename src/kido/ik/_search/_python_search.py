"""Search in Python, for problems that the native one cannot represent: error methods and joints that users
write, targets that move with the dofs, limits of ball and free joints.

It takes the steps of the native search, one start after the other, on the skeleton itself, which is put back
afterwards.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from kido.ik._result import IKResult, IKStatus
from kido.ik._search._characteristic_length import SearchScale
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._search._refinement import NEARER, ROUNDS, STRONGER, WEAKER, damping_for
from kido.ik._search._search_error import search_error, search_jacobian
from kido.ik._wrapping import wrapped_into_limits
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["search_in_python"]

_PATIENCE = 10
"""Iterations in which a start has to halve its error at least."""
_ROOM, _LEAST_WEIGHT = 4.0, 1e-3
"""Distance to a limit from which on a dof moves without regard to it [rad, m], and the least weight of
one."""
_INWARD = 0.1
"""Part of the distance to the middle of its range that a mirrored dof is moved."""
_ROUNDS = 3
"""Times that joints may be found beyond their limits in one step."""


def search_in_python(problem: PoseProblem, ik: InverseKinematics, positions: FloatArray) -> IKResult:
    """The answer for a module from positions (num_dofs,) of its skeleton [rad, m]."""
    saved = ik.node.skeleton.positions
    try:
        best, other = _search(_Search(problem, ik, positions))
    finally:
        ik.node.skeleton.positions = saved
    return best.result(problem, None if other is None else other.result(problem))


@dataclass(frozen=True, slots=True)
class _Attempt:
    positions: FloatArray
    reached: bool
    angular: float
    linear: float
    squared: float
    start: int
    iterations: int

    def result(self, problem: PoseProblem, elsewhere: IKResult | None = None) -> IKResult:
        """The same as an answer."""
        status = IKStatus.SOLVED if self.reached else IKStatus.NOT_REACHED
        errors = self.angular, self.linear
        return IKResult(
            *(self.positions, problem.names, status, *errors, self.start, self.iterations),
            elsewhere=elsewhere,
        )


def _search(search: _Search) -> tuple[_Attempt, _Attempt | None]:
    """The answer, and one of another branch that comes nearer."""
    best, connected = search.start(0, search.given)
    if len(search.dofs) == 0:
        return best, None
    for start in range(1, search.settings.max_starts):
        if (best.reached and not search.settings.nearest) or search.is_late:
            break
        attempt, _ = search.start(start, search.random_start())
        if search.is_better(attempt, best):
            best = attempt
    if best.reached:
        return best, None
    apart = best is not connected
    if not search.is_late:
        connected = _refined(search, connected)
        best = _refined(search, best) if apart and not connected.reached else best
    if best.reached and not connected.reached:
        return best, None
    nearer = apart and not connected.reached and best.squared < connected.squared * NEARER
    return connected, best if nearer else None


def _refined(search: _Search, best: _Attempt) -> _Attempt:
    strength = 1.0
    for _ in range(ROUNDS):
        q = search.given.copy()
        q[search.dofs] = best.positions
        search.damping = damping_for(np.array(best.squared), np.array(strength)).item()
        attempt = search.attempt(best.start, q)
        if attempt.reached or attempt.squared < best.squared:
            best = replace(attempt, iterations=best.iterations + attempt.iterations)
            strength *= WEAKER
        else:
            strength *= STRONGER
        if best.reached:
            break
    return best


class _Search:
    """Constants of one search over its starts."""

    def __init__(self, problem: PoseProblem, ik: InverseKinematics, positions: FloatArray) -> None:
        self.problem, self.ik, self.given = problem, ik, positions
        self.skeleton, self.tree = ik.node.skeleton, problem.tree
        self.dofs, self.grouped = problem.dofs, problem.grouped
        self.lower, self.upper, self.low, self.high = problem.limits
        self.reach = ik.reach
        self.settings = problem.settings
        self.damping = problem.settings.damping
        self.random = np.random.default_rng(problem.settings.seed)
        budget = problem.settings.time_budget
        self.deadline = math.inf if budget is None else monotonic() + budget

    @property
    def is_late(self) -> bool:
        """Whether the time budget is spent."""
        return monotonic() > self.deadline

    def is_better(self, a: _Attempt, b: _Attempt) -> bool:
        if a.reached != b.reached:
            return a.reached
        if a.reached:
            return self.settings.nearest and self.displacement(a) < self.displacement(b)
        return a.squared < b.squared

    def displacement(self, attempt: _Attempt) -> float:
        """The largest change of a dof from the given positions [rad, m]."""
        return float(np.abs(attempt.positions - self.given[self.dofs]).max(initial=0.0))

    def random_start(self) -> FloatArray:
        q = self.given.copy()
        q[self.dofs] = self.random.uniform(self.low, self.high)
        return q

    def start(self, start: int, given: FloatArray) -> tuple[_Attempt, _Attempt]:
        """Steps from positions (num_dofs,), the last start's also from the mirror images of those where it is
        stuck; the best, and the one before mirrors."""
        best = last = first = self.attempt(start, given)
        for _ in range(self.settings.mirrors if start == self.settings.max_starts - 1 else 0):
            if best.reached or last.iterations >= self.settings.max_iterations:
                break
            q = given.copy()
            q[self.dofs] = self.mirrored(last.positions)
            last = self.attempt(start, q, last.iterations + 1)
            if last.reached or last.squared < best.squared:
                best = last
        return best, first

    def mirrored(self, q: FloatArray) -> FloatArray:
        """Positions (k,) to continue from: dofs at a limit jump to the opposite side of their range; where
        none is at a limit, all do."""
        at_limit = (q <= self.lower) | (q >= self.upper)
        jumps = at_limit if at_limit.any() else np.ones(len(q), dtype=bool)
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        low, high = np.where(bounded, self.lower, q), np.where(bounded, self.upper, q)
        image = np.where(jumps, low + high - q, q)
        return np.asarray(image + _INWARD * (0.5 * (low + high) - image))

    def attempt(self, start: int, given: FloatArray, iteration: int = 0) -> _Attempt:
        """Steps from positions (num_dofs,) until the target is reached, or no nearer for a while."""
        settings, scale = self.settings, None
        q = given.copy()
        q[self.dofs] = np.clip(q[self.dofs], self.lower, self.upper)
        checkpoint, first = np.inf, iteration
        while True:
            self.skeleton.positions = q
            error, angular, linear = search_error(self.problem, self.ik)
            if scale is None:
                scale = SearchScale(self.ik, self.problem.is_prismatic, len(error), self.reach, linear)
            error = scale.scaled(error)
            squared = float(np.sum(error**2))
            reached = angular <= settings.angular_tolerance and linear <= settings.linear_tolerance
            stuck = iteration >= settings.max_iterations
            if (iteration - first) % _PATIENCE == 0:
                stuck = stuck or squared > 0.25 * checkpoint
                checkpoint = squared
            if reached or stuck or self.is_late:
                positions = self.unwound(q[self.dofs]) if reached else q[self.dofs]
                squared = min(squared * scale.length**2, sys.float_info.max)
                return _Attempt(positions, reached, angular, linear, squared, start, iteration)
            q = self.moved(q, self.step(q[self.dofs], -error, squared, scale))
            iteration += 1

    def step(self, q: FloatArray, error: FloatArray, squared: float, scale: SearchScale) -> FloatArray:
        """A damped step (k,) within the limits [rad, m]: joints that would leave them stop there, the others
        continue."""
        lowest = np.where(self.grouped, -np.inf, scale.divided(self.lower - q))
        highest = np.where(self.grouped, np.inf, scale.divided(self.upper - q))
        J = scale.scaled_jacobian(search_jacobian(self.problem, self.ik, len(error)))
        left = error
        downhill = J.T @ left
        room = np.where(downhill > 0.0, highest, -lowest)
        weights = np.clip(room / _ROOM, _LEAST_WEIGHT, 1.0)
        free = room > 0.0
        step = np.zeros(len(q))
        damping = squared * self.damping + self.settings.least_damping
        for _ in range(_ROUNDS):
            F = J[:, free]
            G = F * weights[free]
            step[free] = G.T @ np.linalg.solve(G @ F.T + damping * np.eye(len(left)), left)
            allowed = np.clip(step, lowest, highest)
            beyond = free & (step != allowed)
            if not beyond.any():
                break
            step[beyond] = allowed[beyond]
            left = left - J[:, beyond] @ allowed[beyond]
            free &= ~beyond
        largest = max(self.settings.largest_step, float(np.abs(step).max(initial=0.0)))
        return scale.multiplied(step * (self.settings.largest_step / largest))

    def unwound(self, q: FloatArray) -> FloatArray:
        """Positions (k,) shifted by whole turns as near to the given ones as limits let them."""
        near = self.given[self.dofs]
        return wrapped_into_limits(q, self.lower, self.upper, near, self.problem.cyclic)

    def moved(self, q: FloatArray, step: FloatArray) -> FloatArray:
        whole = np.zeros(len(q))
        whole[self.dofs] = step
        moved = q.copy()
        moved[self.dofs] = np.clip(self.tree.integrate(q, whole, 1.0)[self.dofs], self.lower, self.upper)
        return moved
