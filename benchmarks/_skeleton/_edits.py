"""Editing and cloning a skeleton of 50 bodies, in kido and in dartpy."""

from __future__ import annotations

from pathlib import Path

from benchmarks._measure import Block, Effort, fastest
from benchmarks._peers import installed
from benchmarks._peers._kido import KidoEditing
from benchmarks._skeleton import _fifty
from benchmarks._skeleton._questions import MOST_CLONES, MOST_EDIT
from benchmarks._table import Table, duration, verdict

EDIT = "move a branch of 10 of 50 bodies, one transform"
CLONES = "1000 clones of 50 bodies"


def measure(folder: Path, effort: Effort) -> tuple[Table, dict[str, dict[str, float]]]:
    """A table of both, and the times [s] by row and library."""
    path = _fifty.write(folder)
    found, _ = installed("editing")
    libraries = {name: load(path) for name, load in {"kido": KidoEditing, **found}.items()}
    edits = {name: Block(library.edit, [(0,), (1,)]) for name, library in libraries.items()}
    clones = {name: Block(library.clone) for name, library in libraries.items()}
    times = {
        EDIT: fastest(edits, effort),
        CLONES: {name: 1000 * time for name, time in fastest(clones, effort).items()},
    }
    table = Table("Editing", ["what", *libraries, "target", ""])
    for row, most in ((EDIT, MOST_EDIT), (CLONES, MOST_CLONES)):
        cells = [duration(times[row][name]) for name in libraries]
        table.rows.append([row, *cells, f"<= {duration(most)}", verdict(most, times[row]["kido"])])
    table.notes.append(
        "move, and a transform of the branch's tip: kido's skeleton is compiled anew at the question"
    )
    return table, times
