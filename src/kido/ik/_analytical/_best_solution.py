"""The best solution, as a gradient and as the answer of a module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from kido.ik._analytical._options import ExtraDofUtilization
from kido.ik._analytical._result import AnalyticalResult
from kido.ik._analytical._solution import AnalyticalSolution, Validity
from kido.ik._coordinates import positions_gradient
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKStatus
from kido.ik._user_output import finite_array, norm
from kido.typing import FloatArray

__all__ = ["Motions", "analytical_gradient", "direct_result", "reason_of"]

_PRE, _POST = ExtraDofUtilization.PRE_ANALYTICAL, ExtraDofUtilization.POST_ANALYTICAL


class SolutionMethod(Protocol):
    """Interface of analytical methods; `Analytical` says what each of these is."""

    @property
    def name(self) -> str:
        """Name of the method in messages."""

    @property
    def extra_dof_utilization(self) -> ExtraDofUtilization:
        """Time at which dofs of the module that the method does not solve for are moved."""

    def solutions(self, ik: IKQuery) -> AnalyticalResult:
        """All solutions, the best first."""

    def dof_map(self, ik: IKQuery) -> tuple[int, ...]:
        """The place of each analytical dof among those of the module, or -1."""

    def extra_dof_gradient(
        self, ik: IKQuery, error: FloatArray, utilization: ExtraDofUtilization
    ) -> FloatArray:
        """Velocities (k,) of the module's extra dofs that would make an error (m,) [rad, m]."""

    def limited(self, gradient: FloatArray) -> FloatArray:
        """Velocities (k,) with the weights and within the clamp of steps [rad, m]."""


def analytical_gradient(method: SolutionMethod, ik: IKQuery, error: FloatArray) -> FloatArray:
    """Velocities (k,) that lead from the best solution back to the present positions, and those of the extra
    dofs [rad, m]. Where none is valid, from what comes nearest within the limits, unless the extra dofs are
    still to be moved. The skeleton is where it was afterwards."""
    skeleton, motions, use = ik.node.skeleton, Motions(method, ik), method.extra_dof_utilization
    saved, places = skeleton.positions, np.array(ik.dof_indices)
    goal, extra = saved.copy(), np.zeros(len(places))
    try:
        if use.before:
            extra += motions.extra_gradient(error, _PRE)
            motions.move_extra(extra)
        found = method.solutions(ik)
        if found and (found[0].is_valid or not use.after):
            motions.apply_best(found)
            goal[places[motions.own]] = ik.positions[motions.own]
        elif found:
            motions.apply(found[0])
        if use.after:
            extra += motions.extra_gradient(ik.weighted_error(), _POST)
    finally:
        skeleton.positions = saved
    return np.asarray(extra - skeleton.tree.difference(saved, goal)[places])


class Motions:
    """Motions of the skeleton of a module by solutions of its method and by extra dofs."""

    def __init__(self, method: SolutionMethod, ik: IKQuery) -> None:
        """Raises as `Analytical.checked_dofs` does."""
        self.method, self.ik = method, ik
        if not isinstance(method.extra_dof_utilization, ExtraDofUtilization):
            expected = f"expected an ExtraDofUtilization, got {method.extra_dof_utilization!r}"
            raise TypeError(f"{method.name}.extra_dof_utilization: {expected}")
        self._map = np.array(method.dof_map(ik))
        self.own = self._map[self._map >= 0]
        self.extra = [i for i in range(len(ik.dofs)) if i not in self.own]

    def apply(self, solution: AnalyticalSolution) -> None:
        """Move those of the method's dofs that the module moves to a solution."""
        positions = self.ik.positions
        positions[self.own] = solution.positions[self._map >= 0]
        self.ik.positions = positions

    def apply_best(self, solutions: Sequence[AnalyticalSolution]) -> None:
        """Move to the first of some solutions, sorted; where it is beyond limits, to what comes nearest of
        all solutions with joints put back to their limits, and of the present positions."""
        if not solutions[0].validity & Validity.LIMIT_VIOLATED:
            return self.apply(solutions[0])
        ik = self.ik
        lower, upper = ik.position_limits
        nearest, least = np.clip(ik.positions, lower, upper), np.inf
        present = nearest
        for solution in (None, *solutions):
            ik.positions = present
            if solution is not None:
                self.apply(solution)
                ik.positions = np.clip(ik.positions, lower, upper)
            distance = norm(ik.weighted_error())
            if distance < least:
                nearest, least = ik.positions, distance
        ik.positions = nearest
        return None

    def extra_gradient(self, error: FloatArray, when: ExtraDofUtilization) -> FloatArray:
        """The method's checked velocities (k,) of the extra dofs for an error (m,) [rad, m]."""
        count = len(self.ik.dofs)
        if not self.extra:
            return np.zeros(count)
        got = self.method.extra_dof_gradient(self.ik, error, when)
        return finite_array(f"{self.method.name}.extra_dof_gradient", got, (count,))

    def move_extra(self, gradient: FloatArray) -> float:
        """Take a step against velocities (k,) of the extra dofs [rad, m], within limits; by how much at
        most."""
        before = self.ik.positions
        lower, upper = self.ik.position_limits
        step = self.method.limited(positions_gradient(self.ik, gradient))
        moved = before.copy()
        moved[self.extra] = np.clip(before - step, lower, upper)[self.extra]
        self.ik.positions = moved
        return float(np.abs(moved - before).max(initial=0.0))


_ROUNDS = 200
"""Times that extra dofs are moved at most."""
_STILL = 1e-9
"""Extra dofs that move by less [rad, m] stand still."""

_PATIENCE, _GROWTH = 4, 1.5
"""Rounds after which the step gain of the extra dofs grows, and its factor from round to round [-]: towards
the edge of reach, where the solution becomes valid, steps would get ever shorter."""

_PRE, _POST = ExtraDofUtilization.PRE_ANALYTICAL, ExtraDofUtilization.POST_ANALYTICAL


def direct_result(method: SolutionMethod, ik: IKQuery) -> IKResult:
    """The answer of a module by its analytical method: the best solution where one is valid, else what comes
    near within the limits. Extra dofs are moved until a solution is valid. The skeleton is where it was
    afterwards."""
    skeleton = ik.node.skeleton
    saved = skeleton.positions
    try:
        return _Answer(method, ik).result()
    finally:
        skeleton.positions = saved


class _Answer:
    """One module and the positions that its skeleton is moved through."""

    def __init__(self, method: SolutionMethod, ik: IKQuery) -> None:
        self.method, self.ik, self.motions = method, ik, Motions(method, ik)
        self.solutions: Sequence[AnalyticalSolution] = ()
        self.rounds = 0
        self.step_gain, self.left = 1.0, np.inf

    def result(self) -> IKResult:
        self._iterate()
        ik = self.ik
        angular, linear = self._lengths()
        reached = self._is_reached(angular, linear)
        return IKResult(
            ik.positions,
            tuple(dof.name for dof in ik.dofs),
            IKStatus.SOLVED if reached else IKStatus.NOT_REACHED,
            angular,
            linear,
            0,
            self.rounds,
            self.method.name,
            "" if reached else _reason(self.solutions),
        )

    def _iterate(self) -> None:
        """Move the skeleton to the answer."""
        use = self.method.extra_dof_utilization
        while True:
            before = self.ik.positions
            moved = self._move(_PRE) if use.before else 0.0
            self._take_best()
            if not self.motions.extra or self.rounds >= _ROUNDS or self._is_reached(*self._lengths()):
                return
            moved = max(moved, self._move_after()) if use.after else moved
            if moved <= _STILL:
                return
            self._put_back(before)
            self.rounds += 1

    def _put_back(self, before: FloatArray) -> None:
        """Put back all dofs but the extra ones, so that changes count from there."""
        positions, own = self.ik.positions, self.motions.own
        positions[own] = before[own]
        self.ik.positions = positions

    def _move(self, when: ExtraDofUtilization) -> float:
        return self.motions.move_extra(self.motions.extra_gradient(self.ik.weighted_error(), when))

    def _move_after(self) -> float:
        """Move the extra dofs after the solution, with a larger gain where the last step came nearer; by how
        much."""
        error = self.ik.weighted_error()
        left = norm(error)
        self.step_gain = self.step_gain * _GROWTH if left < self.left and self.rounds >= _PATIENCE else 1.0
        self.left = left
        return self.motions.move_extra(self.step_gain * self.motions.extra_gradient(error, _POST))

    def _take_best(self) -> None:
        self.solutions = self.method.solutions(self.ik)
        if self.solutions:
            self.motions.apply_best(self.solutions)

    def _is_reached(self, angular: float, linear: float) -> bool:
        settings, q = self.ik.settings, self.ik.positions
        lower, upper = self.ik.position_limits
        near = angular <= settings.angular_tolerance and linear <= settings.linear_tolerance
        return near and bool(((lower <= q) & (q <= upper)).all())

    def _lengths(self) -> tuple[float, float]:
        return self.ik.error_lengths(self.ik.counted_error)


def _reason(solutions: Sequence[AnalyticalSolution]) -> str:
    return reason_of(solutions[0].validity) if solutions else "there is no solution"


def reason_of(violations: int) -> str:
    """Reason why a target is not reached, by the flags of the best solution."""
    if violations & Validity.OUT_OF_REACH:
        return "out of reach"
    if violations & Validity.LIMIT_VIOLATED:
        return "beyond the limits of the joints"
    return "the solution does not reach it"
