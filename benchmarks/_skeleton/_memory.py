"""Memory of a skeleton of 50 bodies, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks._skeleton import _fifty
from benchmarks._skeleton._questions import MOST_BYTES
from benchmarks._table import Table, verdict

_ROOT = Path(__file__).parents[2]
_TARGET_STAGE = "asked for positions, velocities, accelerations of all bodies"


def measure(folder: Path, *, quick: bool) -> tuple[Table, dict[str, Any]]:
    """Resident memory by skeleton at each stage, and what is in it; the record of the probe."""
    table = Table("Memory of a skeleton of 50 bodies, 55 dofs", ["stage", "kB by skeleton", "target", ""])
    if not Path("/proc/self/statm").exists():
        table.notes.append("skipped: this system has no /proc/self/statm")
        return table, {}
    command = [sys.executable, "-m", "benchmarks._skeleton.memory_probe", str(_fifty.write(folder))]
    command.append("100" if quick else "400")
    output = subprocess.run(command, check=True, capture_output=True, text=True, cwd=_ROOT).stdout
    record: dict[str, Any] = json.loads(output)
    for stage, size in record["resident"].items():
        aimed = stage == _TARGET_STAGE
        target = f"<= {MOST_BYTES / 1e3:.0f} kB" if aimed else "-"
        table.rows.append([stage, f"{size / 1e3:.1f}", target, verdict(MOST_BYTES, size) if aimed else "-"])
    table.notes.append(
        f"resident memory by skeleton, over {record['skeletons']} that are built of one description"
    )
    table.notes.append(
        f"{record['loaded'] / 1e3:.1f} kB where each is loaded from the file and has names of its own"
    )
    table.notes.append(
        f"of it in Python's and numpy's allocators (tracemalloc) {record['traced'] / 1e3:.1f} kB; "
        "the rest is native"
    )
    return table, record
