"""Loading a chain of thousands of bodies."""

from __future__ import annotations

from pathlib import Path
from time import thread_time

import kido
from benchmarks import _urdf
from benchmarks._skeleton._questions import LONG_CHAIN, MOST_LOADING
from benchmarks._table import Table, duration, verdict


def measure(folder: Path, *, quick: bool) -> tuple[Table, float]:
    """The fastest of some loads; the table and the time [s]."""
    path = _urdf.write(_urdf.chain(LONG_CHAIN), folder / "long_chain.urdf", name="long_chain")
    time = min(_load(path) for _ in range(1 if quick else 5))
    table = Table("Loading", ["what", "time", "target", ""])
    what = f"`kido.load` of a chain of {LONG_CHAIN} bodies"
    table.rows.append([what, duration(time), f"<= {duration(MOST_LOADING)}", verdict(MOST_LOADING, time)])
    return table, time


def _load(path: Path) -> float:
    start = thread_time()
    kido.load(path)
    return thread_time() - start
