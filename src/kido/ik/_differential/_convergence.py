"""Steps of differential inverse kinematics until tasks are done, or cannot be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kido.ik._differential._differential_task import DifferentialTask
from kido.ik._differential._step_result import (
    ConvergenceStatus,
    DifferentialIKConvergence,
    DifferentialIKStep,
)
from kido.typing import FloatArray

__all__ = ["Convergence"]

_LEAST_STEP = 1e-10
"""Largest change of a dof below which a search is stuck [rad, m]."""

_LARGEST_STEP = 1.5
"""Largest change of a dof in a step [rad, m]."""

_PATIENCE, _LATER_PATIENCE, _BOUNDED_PATIENCE = (20, 0.7), (8, 0.9), (30, 0.999)
"""In how many steps the error has to fall, and to what share of it, or the search is stuck: before leaps,
after one, and before leaps where limits keep steps short."""

_LEAST_DAMPING = 1e-4
"""Of the damping that is given: beside singular postures, singular values below its root count, too."""

_TRIES = 12
"""Of a step, each damped more than the last, before one after which errors rise is made nevertheless: limits
that are broken ask for it."""

_GROWTH = 10.0
"""Of damping after a step that was not made, and its fall after one that was."""

_FIRST_SHARE = 1e-3
"""Damping of the second try, beside the sum of weighted squares of errors."""

_EQUATION_SHRINK, _LEAST_EQUATION_SHARE = 0.25, 1e-3
"""Of the part of what equations ask for in a step that limits forbid, and the least that is tried."""

_REJECTIONS = 8
"""After how many damped tries of steps tasks of levels below are left out."""

_LEAPS = (0.1, 1.0, *12 * (math.inf,))
"""How far dofs go at most in leaps, one after the other [rad, m]; in the last ones anywhere within limits."""

_SAME_ENDS, _NEAR_END = 4, 1.01
"""How many ends with about the least error, and within what share of it, are enough to be stuck, after leaps
to anywhere."""


class _Look(NamedTuple):
    """A step from some positions (num_dofs,) [rad, m], whether it is for all that equations ask for, and the
    errors there: the largest, and of each level of priority the sum of weighted squares."""

    positions: FloatArray
    found: DifferentialIKStep
    is_whole: bool
    error: float
    sums: tuple[float, ...]


class Convergence:
    """A search for positions where tasks are done, by steps that are damped where errors would rise
    (Levenberg and Marquardt), without tasks of levels below where these keep it, and by leaps away from where
    it is stuck.
    """

    def __init__(
        self,
        solve: Callable[[FloatArray, FloatArray, float, float, bool], DifferentialIKStep],
        integrate: Callable[[FloatArray, FloatArray], FloatArray],
        leap: Callable[[FloatArray, int, float], FloatArray] | None,
        tasks: Sequence[DifferentialTask],
        *,
        damping: float,
        step: float,
        tolerance: float,
        has_levels_below: bool,
        is_bounded: bool,
    ) -> None:
        """A search by steps.

        Args:
            solve: a step from positions and velocities (num_dofs,), with a damping, a share of what equations
                ask for, and whether without tasks of levels below.
            integrate: positions after a step with velocities (num_dofs,).
            leap: positions to go on from: from some, the number of the leap, and how far [rad, m].
            tasks: that have to converge.
            damping: of the first try of a step.
            step: its length [s].
            tolerance: of each component of errors that has a weight [rad, m].
            has_levels_below: whether other tasks have a level of priority below all of these.
            is_bounded: whether limits keep steps short.
        """
        self._solve, self._integrate, self._leap = solve, integrate, leap
        self._tasks, self._step, self._tolerance = tasks, step, tolerance
        self._least_damping = _LEAST_DAMPING * damping
        self._levels = sorted({task.native_level for task in tasks})
        self._has_equations = any(task.equality for task in tasks)
        self._is_alone = not has_levels_below
        self._patience = _BOUNDED_PATIENCE if is_bounded else _PATIENCE
        self._leaps = self._ends = 0
        self._restart(math.inf)

    def run(self, start: FloatArray, max_steps: int) -> DifferentialIKConvergence:
        """Steps from positions (num_dofs,) [rad, m], so many at most."""
        here = best = self._look(start, np.zeros_like(start))
        for count in range(max_steps + 1):
            if here.error <= self._tolerance:
                return self._result(here, ConvergenceStatus.SOLVED, count)
            best = here if self._falls(here, best) else best
            if count == max_steps:
                break
            if not self._is_stuck(here):
                here = self._advance(here)
                continue
            far = self._leaps > 0 and math.isinf(_LEAPS[self._leaps - 1])
            self._ends += far and here.error <= _NEAR_END * best.error
            next_start = self._next_start(here, best)
            if next_start is None:
                status = ConvergenceStatus.STUCK if best.is_whole else ConvergenceStatus.NO_SOLUTION
                return self._result(best, status, count)
            self._restart(math.inf)
            here = self._look(next_start, np.zeros_like(start))
        return self._result(best, ConvergenceStatus.MAX_STEPS, max_steps)

    def _restart(self, lowest: float) -> None:
        self._damping, self._share, self._lowest = self._least_damping, 1.0, lowest
        self._since = self._rejected = 0

    def _is_stuck(self, here: _Look) -> bool:
        """Whether errors fall no more, or only with steps that are damped again and again."""
        patience, share = _LATER_PATIENCE if self._leaps else self._patience
        if here.error < share * self._lowest:
            self._lowest, self._since = here.error, 0
        self._since += 1
        fights = not self._is_alone and self._rejected > _REJECTIONS
        return self._since > patience + 1 or fights or self._size(here) < _LEAST_STEP

    def _next_start(self, here: _Look, best: _Look) -> FloatArray | None:
        """Next start of a search that is stuck: there, without tasks of levels below, or after a leap."""
        if not self._is_alone:
            self._is_alone = True
            return here.positions
        if self._leap is None or self._leaps == len(_LEAPS) or self._ends == _SAME_ENDS:
            return None
        self._leaps += 1
        return self._leap(best.positions, self._leaps, _LEAPS[self._leaps - 1])

    def _look(self, q: FloatArray, v: FloatArray) -> _Look:
        found = self._solve(q, v, self._damping, 1.0, self._is_alone)
        share = 1.0
        while not found and self._has_equations and share > _LEAST_EQUATION_SHARE:
            share *= _EQUATION_SHRINK
            found = self._solve(q, v, self._damping, share, self._is_alone)
        errors = [(task, found.error(task)) for task in self._tasks]
        largest = max((float(np.abs(e[t.weight > 0.0]).max(initial=0.0)) for t, e in errors), default=0.0)
        sums = tuple(
            sum(float(np.square(t.weight * e).sum()) for t, e in errors if t.native_level == level)
            for level in self._levels
        )
        return _Look(q, found, bool(found) and share == 1.0, largest, sums)

    def _falls(self, there: _Look, here: _Look) -> bool:
        """Whether errors fall, those of the highest level first that change."""
        least = self._tolerance**2
        for after, before in zip(there.sums, here.sums, strict=True):
            if after > before * (1.0 + 1e-6) + least:
                return False
            if after < before * (1.0 - 1e-6) - least:
                return True
        return True

    def _size(self, here: _Look) -> float:
        """The largest change of a dof in a step [rad, m]; 0 where there is no step."""
        return float(np.abs(here.found.velocities).max(initial=0.0)) * self._step if here.found else 0.0

    def _advance(self, here: _Look) -> _Look:
        """End of a step after which errors fall, if damping makes one; its start, if that leaves
        none."""
        there = here
        for _ in range(_TRIES):
            size = self._size(here)
            if size < _LEAST_STEP:
                return here
            v = np.asarray(here.found.velocities) * (self._share * min(1.0, _LARGEST_STEP / size))
            there = self._look(self._integrate(here.positions, v), v)
            if there.found and self._falls(there, here):
                self._damping = max(self._damping / _GROWTH, self._least_damping)
                self._share = min(2.0 * self._share, 1.0)
                return there
            self._rejected += 1
            self._damping = max(_GROWTH * self._damping, _FIRST_SHARE * sum(here.sums))
            self._share *= 0.5 if self._has_equations else 1.0  # which no damping moves
            here = self._look(here.positions, v)
        return there if there.found else here

    def _result(self, at: _Look, status: ConvergenceStatus, count: int) -> DifferentialIKConvergence:
        return DifferentialIKConvergence(at.positions, status, count, at.error)
