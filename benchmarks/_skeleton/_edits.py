"""Editing and cloning a skeleton of 50 bodies, in kido and in dartpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kido
from _measure import Block, Effort, fastest
from _skeleton import _fifty
from _skeleton._questions import MOST_CLONES, MOST_EDIT
from _table import Table, duration, verdict

EDIT = "move a branch of 10 of 50 bodies, one transform"
CLONES = "1000 clones of 50 bodies"
_BRANCH, _ENDS = "limb2_0", ("trunk2", "trunk7")


def measure(folder: Path, effort: Effort, *, dartpy: bool) -> tuple[Table, dict[str, dict[str, float]]]:
    """A table of both, and the times [s] by row and library."""
    path = _fifty.write(folder)
    libraries: dict[str, tuple[Callable[[Any], Any], Callable[[], Any]]] = {"kido": _kido(path)}
    if dartpy:
        libraries["dartpy"] = _dart(path)
    edits = {name: Block(edit, [(0,), (1,)]) for name, (edit, _) in libraries.items()}
    clones = {name: Block(clone) for name, (_, clone) in libraries.items()}
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


def _kido(path: Path) -> tuple[Callable[[int], Any], Callable[[], Any]]:
    skeleton = kido.load(path, root="free")
    branch, tip = skeleton.body(_BRANCH), skeleton.body(_fifty.TIPS[2])
    ends = [skeleton.body(name) for name in _ENDS]
    skeleton.positions = np.linspace(-1.0, 1.0, skeleton.num_dofs)

    def edit(end: int) -> Any:
        branch.move_to(ends[end])
        return tip.transform()

    return edit, skeleton.clone


def _dart(path: Path) -> tuple[Callable[[int], Any], Callable[[], Any]]:
    import dartpy

    loader = dartpy.utils.DartLoader()
    options = dartpy.utils.DartLoaderOptions()
    options.mDefaultRootJointType = dartpy.utils.DartLoaderRootJointType.FLOATING
    loader.setOptions(options)
    skeleton = loader.parseSkeleton(str(path))
    branch, tip = skeleton.getBodyNode(_BRANCH), skeleton.getBodyNode(_fifty.TIPS[2])
    ends = [skeleton.getBodyNode(name) for name in _ENDS]

    def edit(end: int) -> Any:
        branch.moveTo(ends[end])
        return tip.getWorldTransform()

    return edit, skeleton.clone
