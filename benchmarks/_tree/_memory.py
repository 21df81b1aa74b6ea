"""Memory that a batched call takes besides its output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks import _robots
from benchmarks._table import Table, verdict

_PROBE = Path(__file__).with_name("memory_probe.py")
_OPERATIONS = {
    "forward_dynamics": 3,
    "inverse_dynamics": 3,
    "mass_matrix": 1,
    "inverse_mass_matrix": 1,
    "forward_kinematics": 1,
}
_MEGABYTE = 1e6


def measure(folder: Path) -> Table:
    """Growth of resident memory during a call with `out=`, and what one without holds at most."""
    columns = [
        "g1, 10 000 samples",
        "output",
        "growth, 1 thread",
        "growth, 2 threads",
        "no out=",
        "target a thread",
        "",
    ]
    table = Table("Memory of a batched call besides its output, MB", columns)
    if not Path("/proc/self/clear_refs").exists():
        table.notes.append("skipped: this system has no /proc/self/clear_refs")
        return table
    robot = _robots.write("g1", folder, shipped=False)
    operations = ",".join(f"{name}:{count}" for name, count in _OPERATIONS.items())
    command = [sys.executable, str(_PROBE), str(robot.path), "free", operations]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name, entry in json.loads(output).items():
        sizes = [entry[key] / _MEGABYTE for key in ("output", "1", "2", "traced")]
        worst = max(sizes[1], sizes[2] / 2, 1e-9)
        table.rows.append([name, *(f"{size:.2f}" for size in sizes), "<= 1", verdict(1.0, worst)])
    table.notes.append("growth: peak of resident memory during a call with out=, less that before")
    table.notes.append("no out=: most that Python's allocators held during the call, less the result")
    return table
