"""Budget of a call of global inverse kinematics, and what it has taken."""

from __future__ import annotations

import time

from kido.values import checked_positive, checked_whole

__all__ = ["Budget"]

_LARGEST = 2**63 - 1


class Budget:
    """Time [s] and boxes that a call may take, the width of the smallest boxes [rad, m], and a seed.

    Raises TypeError or ValueError for numbers out of range.
    """

    def __init__(self, time_budget: float, max_nodes: int, resolution: float, seed: int = 0) -> None:
        self.began = time.perf_counter()
        self.time_budget = checked_positive("time_budget", time_budget, "s")
        self.max_nodes = _between("max_nodes", max_nodes, 1)
        self.resolution = checked_positive("resolution", resolution, "rad, m")
        self.seed = _between("seed", seed, 0)
        self.nodes = 0

    @property
    def time_left(self) -> float:
        """Until the budget is spent [s]."""
        return max(0.0, self.began + self.time_budget - time.perf_counter())

    @property
    def nodes_left(self) -> int:
        """Boxes until the budget is spent."""
        return max(0, self.max_nodes - self.nodes)

    @property
    def time_taken(self) -> float:
        """Since the call began [s]."""
        return time.perf_counter() - self.began


def _between(name: str, value: int, least: int) -> int:
    number = checked_whole(name, value)
    if not least <= number <= _LARGEST:
        raise ValueError(f"{name}: expected an integer from {least} to {_LARGEST}, got {number}")
    return number
