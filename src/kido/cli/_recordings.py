"""Recordings in commands: `kido info`, `diff` and `plot` of a file .h5."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from kido.cli._console import print_heading, print_pairs, print_table
from kido.recording import Comparison, Recording, load_recording
from kido.tree import number_text

__all__ = [
    "plot_recording",
    "print_recording",
    "print_recording_differences",
]

_PLOTS, _PAGES = (".png", ".svg", ".pdf"), (".html", ".htm")
_ENDINGS = ".png, .svg, .pdf or .html"


def print_recording(console: Console, path: Path, *, as_json: bool) -> None:
    """Print what a recording holds. Raises as `load_recording`."""
    recording = load_recording(path)
    if as_json:
        console.print(json.dumps(_told(recording), indent=1), soft_wrap=True)
        return
    print_heading(console, f"Recording {recording.name}")
    print_pairs(console, _pairs(recording))
    rows = [
        (
            str(part.index),
            part.layout.began,
            f"{number_text(float(part.times[0]))} to {number_text(float(part.times[-1]))}",
            str(len(part)),
            str(len(part.layout.skeletons)),
            str(len(part.layout.dofs)),
        )
        for part in recording.parts
    ]
    header = ("part", "began by", "time [s]", "samples", "skeletons", "dofs")
    print_table(console, "Parts", header, rows, numbers=("part", "samples", "skeletons", "dofs"))
    if recording.events:
        lines = [(number_text(event.time), event.kind, event.text) for event in recording.events]
        print_table(console, "Events", ("time [s]", "kind", "what"), lines, numbers=("time [s]",))
    if recording.notes:
        print_table(console, "Report", ("why",), [(note,) for note in recording.notes])


def _pairs(recording: Recording) -> list[tuple[str, str]]:
    steps = sorted({part.layout.time_step for part in recording.parts})
    if not len(recording):
        return [("samples", "0")]
    return [
        ("time", f"{number_text(recording.start_time)} to {number_text(recording.end_time)} s"),
        ("time step", ", ".join(f"{number_text(1e3 * step)} ms" for step in steps)),
        ("samples", str(len(recording))),
        ("skeletons", ", ".join(recording.skeletons)),
        ("quantities", ", ".join(recording.quantities)),
    ]


def _told(recording: Recording) -> dict[str, Any]:
    some = len(recording) > 0
    return {
        "file": recording.name,
        "samples": len(recording),
        "start_time": recording.start_time if some else None,
        "end_time": recording.end_time if some else None,
        "skeletons": list(recording.skeletons),
        "quantities": list(recording.quantities),
        "parts": [
            {
                "began": part.layout.began,
                "time_step": part.layout.time_step,
                "start_time": float(part.times[0]),
                "end_time": float(part.times[-1]),
                "samples": len(part),
                "dofs": [f"{dof.skeleton}/{dof.dof}" for dof in part.layout.dofs],
            }
            for part in recording.parts
        ],
        "events": [
            {"time": event.time, "kind": event.kind, "text": event.text, "data": dict(event.data)}
            for event in recording.events
        ],
        "notes": list(recording.notes),
    }


def print_recording_differences(
    console: Console, first: Path, second: Path, tolerance: float, as_json: bool
) -> bool:
    """Print what differs between two runs; whether nothing does. Raises as `load_recording`."""
    runs = [load_recording(path) for path in (first, second)]
    found = runs[0].compare(runs[1], tolerance=tolerance)
    if as_json:
        console.print(json.dumps(_compared(found, first, second), indent=1), soft_wrap=True)
    elif found:
        if found.columns:
            lines = [
                (
                    one.quantity,
                    one.name,
                    number_text(one.first_time),
                    number_text(one.largest),
                    number_text(one.largest_time),
                )
                for one in found.columns
            ]
            header = ("what", "of", "from [s]", "at most by", "at [s]")
            numbers = ("from [s]", "at most by", "at [s]")
            print_table(console, f"{len(found.columns)} differences", header, lines, numbers=numbers)
        if found.notes:
            print_table(console, "Not compared", ("why",), [(note,) for note in found.notes])
    else:
        print_heading(console, f"No differences in {found.samples} samples")
    return not found


def _compared(found: Comparison, first: Path, second: Path) -> dict[str, Any]:
    columns = [
        {
            "quantity": one.quantity,
            "name": one.name,
            "first_time": one.first_time,
            "largest": one.largest if np.isfinite(one.largest) else None,
            "largest_time": one.largest_time,
        }
        for one in found.columns
    ]
    told = {"first": str(first), "second": str(second), "samples": found.samples}
    return told | {"first_time": found.first_time, "differences": columns, "notes": list(found.notes)}


def plot_recording(
    console: Console,
    path: Path,
    output: Path,
    quantities: Sequence[str],
    skeleton: str | None,
    *,
    degrees: bool,
    as_json: bool,
) -> None:
    """Draw a recording: a picture, or a page with a replay. Raises as `Recording.plot` and `report`."""
    if output.suffix.lower() not in _PLOTS + _PAGES:
        raise ValueError(f"--output: expected a name that ends in {_ENDINGS}, got {output.name!r}")
    recording = load_recording(path)
    if output.suffix.lower() in _PAGES:
        if quantities or skeleton is not None:
            raise ValueError("a page shows all quantities of all skeletons: leave their names out")
        recording.report(output, degrees=degrees)
    else:
        recording.plot(*quantities, skeleton=skeleton, path=output, degrees=degrees)
    told = json.dumps({"written": str(output)}) if as_json else f"wrote {output}"
    console.print(told, soft_wrap=True)
