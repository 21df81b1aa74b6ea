"""One call after the other on the clock, and what came of them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, perf_counter_ns
from typing import Any

import numpy as np

from benchmarks._ik._arms import Arm
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._solver import Search
from benchmarks._table import duration

RESTARTING = 0.05
"""Time [s] that a library without restarts of its own is restarted for."""

_WARM = 5


@dataclass(frozen=True)
class Timed:
    """Answers, and the time of each call (m,) [s]."""

    answers: list[Any]
    times: FloatArray

    @property
    def median(self) -> float:
        """Median time of a call [s]."""
        return float(np.median(self.times))

    @property
    def tail(self) -> float:
        """95th percentile [s]."""
        return float(np.percentile(self.times, 95))

    @property
    def text(self) -> str:
        """Median and 95th percentile."""
        return f"{duration(self.median)}, {duration(self.tail)}"


def one_by_one(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], most: float) -> Timed:
    """Call a function on each of some arguments, after a few calls to warm up; stop after `most` seconds."""
    for row in arguments[:_WARM]:
        function(*row)
    answers, times = [], []
    end = perf_counter() + most
    gc.collect()
    gc.disable()
    try:
        for row in arguments:
            start = perf_counter_ns()
            answer = function(*row)
            times.append(perf_counter_ns() - start)
            answers.append(answer)
            if perf_counter() > end:
                break
    finally:
        gc.enable()
    return Timed(answers, np.array(times) * 1e-9)


def restarted(search: Search, arm: Arm) -> Search:
    """A search that goes on from random positions until it says it succeeded, or time is over."""
    rng = np.random.default_rng(1)

    def run(target: Any, start: FloatArray) -> FloatArray | None:
        end = perf_counter() + RESTARTING
        answer = search(target, start)
        while answer is None and perf_counter() < end:
            answer = search(target, rng.uniform(arm.lower, arm.upper))
        return answer

    return run
