"""Interleaved timing: every round times each candidate; the fastest round of each counts."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from time import thread_time
from typing import Any

STATES = 16
"""Different states that single calls cycle through."""


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes:
        rounds: rounds of fast candidates.
        block: time of one candidate in one round [s].
        slow: time of one call [s] above which a candidate is slow.
        fewest: rounds of slow candidates.
    """

    rounds: int
    block: float
    slow: float
    fewest: int


FULL = Effort(rounds=25, block=1.5e-3, slow=15e-3, fewest=7)
QUICK = Effort(rounds=9, block=0.8e-3, slow=3e-3, fewest=3)


class Block:
    """A candidate that runs `count` calls at a time and says how long one took.

    The clock is the processor time of the calling thread, which other work on the machine disturbs least;
    calls that use other threads need a wall clock.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]] = ((),),
        *,
        clock: Callable[[], float] = thread_time,
    ) -> None:
        self._function = function
        self._arguments = cycle(arguments)
        self._clock = clock

    def time(self, count: int) -> float:
        """Mean time of one of `count` calls [s], each with the next arguments.

        A single call runs once before, unobserved, so that its arrays are as near as in a loop of its own
        and not where the candidates before it left them.
        """
        function, clock = self._function, self._clock
        batch = list(islice(self._arguments, count))
        if count == 1:
            function(*batch[0])
        start = clock()
        for arguments in batch:
            function(*arguments)
        return (clock() - start) / count

    def calibrate(self, block: float) -> int:
        """Number of calls that fill the block; also warms up."""
        count, spent = 1, min(self.time(1), self.time(1))
        while spent * count < block / 4:
            count *= 2
            spent = min(self.time(count), self.time(count))
        return math.ceil(block / spent)


def fastest(candidates: Mapping[str, Block], effort: Effort) -> dict[str, float]:
    """Time of one call [s] of each candidate: the minimum over interleaved rounds."""
    counts = {name: block.calibrate(effort.block) for name, block in candidates.items()}
    best = dict.fromkeys(candidates, math.inf)
    gc.collect()
    gc.disable()
    try:
        for turn in range(effort.rounds):
            for name, block in candidates.items():
                if turn < effort.fewest or best[name] < effort.slow:
                    best[name] = min(best[name], block.time(counts[name]))
    finally:
        gc.enable()
    return best
