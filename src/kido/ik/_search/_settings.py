"""How a pose is searched for."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real

from kido.values import Value, value

__all__ = ["SearchSettings"]

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
        angular_tolerance, linear_tolerance: error that counts as none [rad], [m]; may be
            infinite.
        max_starts: starts that are made before giving up: the given positions, then random ones.
        max_iterations: iterations of one start.
        mirrors: times that the last start, or the only one, goes on from its mirror image where it is stuck:
            joints at limits jump to the opposite side of their range; where none is at a limit, all do.
        largest_step: most that a dof moves in one iteration [rad, m].
        damping, least_damping: of the least squares; the former counts times the squared distance [-].
        seed: of the random starts.
        nearest: whether all starts are made, and the answer is the one whose largest change of a joint is
            smallest; else it is that of the first start that gets there.
        time_budget: time [s] after which the search of one call gives what it has; None: no limit. What it
            has then depends on the machine.
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
    nearest: bool = False
    time_budget: float | None = None

    def _check(self) -> None:
        """Raises TypeError for what are not numbers, ValueError for numbers out of range."""
        for name in ("angular_tolerance", "linear_tolerance"):
            self._refuse(name, "a positive number", lambda x: x > 0.0)
        for name in ("largest_step", "least_damping"):
            self._refuse(name, "a positive finite number", lambda x: 0.0 < x < math.inf)
        for name in ("damping",):
            self._refuse(name, "a nonnegative finite number", lambda x: 0.0 <= x < math.inf)
        for name, most in _LARGEST.items():
            least = 0 if name in ("seed", "mirrors") else 1
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ValueError(f"{name}: expected an integer from {least} to {most}, got {value!r}")

        if not isinstance(self.nearest, bool):
            raise TypeError(f"nearest: expected True or False, got {self.nearest!r}")
        if self.time_budget is not None:
            self._refuse("time_budget", "None or a positive number", lambda x: x > 0.0)

    def _refuse(self, name: str, expected: str, good: Callable[[float], bool]) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name}: expected {expected}, got {value!r}")
        if not good(float(value)):
            raise ValueError(f"{name}: expected {expected}, got {value!r}")

    @property
    def numbers(self) -> tuple[float, ...]:
        """What the native search reads as numbers, in its order."""
        return (
            min(self.angular_tolerance, _ANY),
            min(self.linear_tolerance, _ANY),
            self.largest_step,
            self.damping,
            self.least_damping,
            math.inf if self.time_budget is None else self.time_budget,
        )
