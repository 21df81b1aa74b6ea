"""The benchmark of what people see, beside its aims: there is no peer that draws the same."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._harness import Session, Subsystem
from benchmarks._table import Table, duration
from benchmarks._view._drawing import film_frame, picture
from benchmarks._view._recorded import recording_cost
from benchmarks._view._watching import viewer_frame

_ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"
_BODIES = 100
_ROWS = {
    "panda picture": ("picture of a panda, after the first", 1.0),
    "g1 picture": ("picture of a G1, after the first", 1.0),
    "panda film": ("frame of a film of a panda", 0.05),
    "g1 film": ("frame of a film of a G1", 0.05),
    "panda film waited for": ("frame of a film of a panda, by a clock", 0.05),
    "g1 film waited for": ("frame of a film of a G1, by a clock", 0.05),
    "viewer": (f"frame of the viewer, {_BODIES} boxes that move", 1.0 / 60.0),
    "info": ("`kido info` of an arm, whole process", 0.4),
    "boxes recorded": (f"recording {_BODIES} boxes at rest", 0.05),
    "humanoid recorded": ("recording a humanoid", 0.05),
}
"""Titles, and the most that is wanted: seconds, or the part of the speed that is lost."""


def _measure(session: Session) -> dict[str, Any]:
    quick = session.options.quick
    rounds, frames, pairs = (1, 10, 4) if quick else (3, 30, 10)
    folder = session.folder
    measures: dict[str, Callable[[], float]] = {
        "panda picture": lambda: picture("panda", rounds),
        "g1 picture": lambda: picture("g1", rounds),
        "panda film": lambda: film_frame("panda", frames, rounds, folder),
        "g1 film": lambda: film_frame("g1", frames, rounds, folder),
        "panda film waited for": lambda: film_frame("panda", frames, rounds, folder, time.perf_counter),
        "g1 film waited for": lambda: film_frame("g1", frames, rounds, folder, time.perf_counter),
        "viewer": lambda: viewer_frame(_BODIES, 10 * frames),
        "info": lambda: min(_info(folder) for _ in range(1 + 2 * rounds)),
        "boxes recorded": lambda: recording_cost("boxes", pairs, 5000 if quick else 20_000, folder),
        "humanoid recorded": lambda: recording_cost("humanoid", pairs, 5000 if quick else 20_000, folder),
    }
    table = Table("Time of what is seen", ["what", "kido", "aim", ""])
    record = {}
    for name in session.options.robots or _ROWS:
        title, most = _ROWS[name]
        found = record[name] = measures[name]()
        show = _share if name.endswith("recorded") else duration
        passed = "pass" if found <= most else "short"
        table.rows.append([title, show(found), f"<= {show(most)}", passed])
    table.notes += [
        "processor time of all threads, the least of some; of a film without its encoder",
        "by a clock: what one waits for, with the encoder beside it",
        "recording: how much more processor time the thread takes that simulates, the median of pairs",
    ]
    session.add(table)
    return record


def _share(part: float) -> str:
    return f"{100.0 * part:.1f} %"


def _info(folder: Path) -> float:
    """Processor time of `kido info` in a new process, with the start of Python [s]; the first in a folder
    compiles the modules, as the installation does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    before = os.times()
    command = [sys.executable, "-m", "kido", "info", str(_ARM)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


SUBSYSTEM = Subsystem("view", "Time of what people see.", tuple(_ROWS), _measure)
