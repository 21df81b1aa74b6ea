"""The machine that the numbers come from, and how busy it was with other work."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import kido
from kido import _core

_STAT = Path("/proc/stat")
_CPUINFO = Path("/proc/cpuinfo")
_IDLE = slice(3, 5)


def lines() -> list[str]:
    """Processor, system, and versions."""
    python = f"Python {platform.python_version()}, numpy {version('numpy')}"
    return [
        f"processor: {_processor()}, {os.cpu_count()} cores",
        f"{platform.system()} {platform.machine()}, {python}",
        f"kido {kido.__version__}, instruction set {_core.instruction_set()}",
    ]


class Witness:
    """Watches from its making on how much of the processors other processes take."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._busy = _busy_seconds()
        self._own = _own_seconds()

    def line(self) -> str:
        """Time passed, and the other processes' share of all processors in it."""
        elapsed = perf_counter() - self._start
        text = f"{elapsed:.0f} s in all"
        if self._busy is None:
            return text
        others = (_busy_seconds() or 0.0) - self._busy - (_own_seconds() - self._own)
        share = 100 * max(others, 0.0) / (elapsed * (os.cpu_count() or 1))
        return f"{text}; other processes took {share:.0f} % of the processors meanwhile"


def _busy_seconds() -> float | None:
    if not _STAT.exists():
        return None
    ticks = [int(word) for word in _STAT.read_text().splitlines()[0].split()[1:9]]
    return (sum(ticks) - sum(ticks[_IDLE])) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _processor() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
