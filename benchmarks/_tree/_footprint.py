"""Import time and wheel size."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks._table import Table, duration, verdict

_IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
_MOST_SECONDS = 0.25
_MOST_BYTES = 10e6


def measure(wheel: Path | None, repeats: int) -> Table:
    """Median over fresh interpreters, kido and numpy in turn; size of the wheel where one is given."""
    times: dict[str, list[float]] = {"kido": [], "numpy": []}
    for _ in range(repeats):
        for name, found in times.items():
            command = [sys.executable, "-c", _IMPORT.format(name)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found.append(float(output))
    own, numpy = (statistics.median(found) for found in times.values())
    table = Table("Footprint", ["what", "value", "target", ""])
    table.rows.append(["import kido", duration(own), f"<= {_MOST_SECONDS} s", verdict(_MOST_SECONDS, own)])
    table.rows.append(["import numpy alone", duration(numpy), "-", "-"])
    if wheel is not None:
        size = wheel.stat().st_size
        cells = [f"{size / 1e6:.2f} MB", f"<= {_MOST_BYTES / 1e6:.0f} MB", verdict(_MOST_BYTES, size)]
        table.rows.append(["wheel", *cells])
    table.notes.append(f"import times: median of {repeats} fresh interpreters")
    return table
