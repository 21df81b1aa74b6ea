"""How a pose is searched for."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["SearchSettings"]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Settings of the search for positions that put a body at a target.

    Attributes:
        angular_tolerance, linear_tolerance: distance from the target that counts as there [rad], [m].
        angular_weight, linear_weight: what a rad and a meter of distance count [-].
        max_starts: starts that are made before giving up: the given positions, then random ones.
        max_iterations: iterations of one start.
        largest_step: most that a dof moves in one iteration [rad, m].
        damping, least_damping: of the least squares; the former counts times the squared distance [-].
        seed: of the random starts.
    """

    angular_tolerance: float = 1e-6
    linear_tolerance: float = 1e-6
    angular_weight: float = 1.0
    linear_weight: float = 1.0
    max_starts: int = 100
    max_iterations: int = 50
    largest_step: float = 1.0
    damping: float = 0.1
    least_damping: float = 1e-6
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("angular_tolerance", "linear_tolerance", "largest_step", "least_damping"):
            _require(name, getattr(self, name), positive=True)
        for name in ("angular_weight", "linear_weight", "damping"):
            _require(name, getattr(self, name), positive=False)
        for name, least in (("max_starts", 1), ("max_iterations", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name}: expected an integer of at least {least}, got {value!r}")

    @property
    def numbers(self) -> tuple[float, ...]:
        """What the native search reads as numbers, in its order."""
        return (
            self.angular_weight,
            self.linear_weight,
            self.angular_tolerance,
            self.linear_tolerance,
            self.largest_step,
            self.damping,
            self.least_damping,
        )


def _require(name: str, value: float, *, positive: bool) -> None:
    kind = "positive" if positive else "nonnegative"
    if not math.isfinite(value) or value < 0.0 or (positive and value == 0.0):
        raise ValueError(f"{name}: expected a {kind} finite number, got {value!r}")
