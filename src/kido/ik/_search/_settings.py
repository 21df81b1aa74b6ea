"""Settings of the search."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real

from kido import _core
from kido.values import Value, flag, value

__all__ = ["DEFAULT_BUDGET", "SearchSettings"]

DEFAULT_BUDGET = 2.0
"""Time after which solvers, and searches that ask Python, end where settings say nothing [s]."""

_ANY = 1e100
"""Stands for an infinite tolerance: larger than any distance, and its square is still a number."""

_LARGEST = {
    "max_starts": 2**31 - 1,
    "max_iterations": 2**31 - 1,
    "mirrors": 2**31 - 1,
    "seed": 2**64 - 1,
}


@value
class SearchSettings(Value):
    """Settings of the search for positions that put a body at a target.

    Attributes:
        angular_tolerance, linear_tolerance: largest error at a solution [rad], [m]; may be infinite.
        max_starts: starts before giving up: the given positions, then random ones. Searches that ask parts in
            Python give up before where none reaches the target and ten find the nearest end again, those of
            several required modules after 25 starts that miss by more than 0.1 [rad, m].
        max_iterations: iterations of one start.
        mirrors: times that the last start, or the only one, continues from its mirror image where it is
            stuck, in which joints at limits, or all where none is at a limit, jump to the opposite side of
            their range.
        largest_step: most that an angle moves in one iteration [rad], and a translational dof [m]; of large
            arms and for far targets lengths count by their size.
        damping, least_damping: of the least squares; the former is multiplied by the squared distance [-].
        seed: of the random starts.
        nearest: whether all starts are made, and the answer is the one with the smallest largest change of a
            joint; else it is that of the first start that reaches the target.
        time_budget: time [s] after which the search of one call ends with its best positions; these depend on
            the machine. May be infinite. None: 2 s where parts are asked in Python, where constraints were
            added and for solvers that have none of their own, else no limit.
    """

    angular_tolerance: float = 1e-6
    linear_tolerance: float = 1e-6
    max_starts: int = 100
    max_iterations: int = 100
    mirrors: int = 4
    largest_step: float = 1.0
    damping: float = 0.1
    least_damping: float = 1e-9
    seed: int = 0
    nearest: bool = flag(default=False)
    time_budget: float | None = None

    def _check(self) -> None:
        """Raises TypeError for what are not numbers, ValueError for numbers out of range."""
        for name in ("angular_tolerance", "linear_tolerance"):
            self._refuse(name, "a positive number", lambda x: x > 0.0)
        for name in ("largest_step", "least_damping"):
            self._refuse(name, "a positive finite number", lambda x: 0.0 < x < math.inf)
        self._refuse("damping", "a nonnegative finite number", lambda x: 0.0 <= x < math.inf)
        for name, most in _LARGEST.items():
            least = 0 if name in ("seed", "mirrors") else 1
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ValueError(f"{name}: expected an integer from {least} to {most}, got {value!r}")

        if self.time_budget is not None:
            self._refuse("time_budget", "None or a positive number", lambda x: x > 0.0)

    def _refuse(self, name: str, expected: str, good: Callable[[float], bool]) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name}: expected {expected}, got {value!r}")
        if not good(float(value)):
            raise ValueError(f"{name}: expected {expected}, got {value!r}")

    def native(self, default_budget: float | None = None) -> _core.SearchSettings:
        """The same for native searches; a time that ends those whose `time_budget` is None [s]."""
        budget = default_budget if self.time_budget is None else float(self.time_budget)
        return _core.SearchSettings(
            angular_tolerance=min(float(self.angular_tolerance), _ANY),
            linear_tolerance=min(float(self.linear_tolerance), _ANY),
            largest_step=float(self.largest_step),
            damping=float(self.damping),
            least_damping=float(self.least_damping),
            iterations=self.max_iterations,
            mirrors=self.mirrors,
            starts=self.max_starts,
            seed=self.seed,
            nearest=self.nearest,
            time_budget=math.inf if budget is None else budget,
        )
