"""The page of a report."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from kido.errors import KidoError
from kido.recording._event import Event
from kido.recording._models import Models
from kido.recording._part import RecordingPart
from kido.recording._plot import figure_of, panels_of
from kido.recording._report._scene import scene_of
from kido.recording._series import Series

__all__ = ["write_report"]


class ReportSource(Protocol):
    """Interface of recordings for a report."""

    @property
    def name(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def parts(self) -> tuple[RecordingPart, ...]: ...
    @property
    def events(self) -> tuple[Event, ...]: ...
    @property
    def skeletons(self) -> tuple[str, ...]: ...
    @property
    def start_time(self) -> float: ...
    @property
    def end_time(self) -> float: ...
    @property
    def models(self) -> Models: ...
    def __len__(self) -> int: ...
    def part_at(self, time: float, *, clamped: bool = False) -> RecordingPart: ...
    def series(self, quantity: str) -> Series: ...
    def _plotted(self) -> list[str]: ...


def write_report(recording: ReportSource, path: Path, title: str, *, degrees: bool) -> None:
    """Write a page. Raises MissingDependencyError, OSError."""
    plots = [_plot(recording, name, degrees) for name in recording._plotted()]
    scene, notes = _scene(recording)
    folder = files("kido.recording._report")
    filled = {
        "title": html.escape(title),
        "facts": _table(_facts(recording)),
        "notes": "".join(f"<p class='note'>{html.escape(note)}</p>" for note in (*recording.notes, *notes)),
        "events": _events(recording.events),
        "plots": "\n".join(plots),
        "scene": json.dumps(scene, allow_nan=False).replace("</", "<\\/"),
        "script": folder.joinpath("replay.js").read_text("utf-8"),
    }
    page = folder.joinpath("page.html").read_text("utf-8")
    path.write_text(re.sub(r"\{\{(\w+)\}\}", lambda match: filled[match[1]], page), "utf-8")


def _scene(recording: ReportSource) -> tuple[dict[str, Any] | None, Sequence[str]]:
    """Scene of the replay; None, and why, where there is no model."""
    try:
        scene = scene_of(recording, recording.start_time, recording.end_time)
    except KidoError as error:
        return None, [f"no replay: {error}"]
    scene["events"] = [{"time": event.time, "text": event.text} for event in recording.events]
    return scene, []


def _facts(recording: ReportSource) -> list[tuple[str, str]]:
    parts = recording.parts
    steps = sorted({part.layout.time_step for part in parts})
    return [
        ("time", f"{recording.start_time:g} to {recording.end_time:g} s"),
        ("time step", ", ".join(f"{1e3 * step:g} ms" for step in steps)),
        ("samples", f"{len(recording)} in {len(parts)} {'part' if len(parts) == 1 else 'parts'}"),
        ("skeletons", ", ".join(recording.skeletons)),
    ]


def _events(events: Sequence[Event]) -> str:
    if not events:
        return ""
    rows = [(f"{event.time:g} s", f"{event.kind}: {event.text}{_data(event)}") for event in events]
    return f"<h2>Events</h2>{_table(rows)}"


def _data(event: Event) -> str:
    return f" {json.dumps(dict(event.data), ensure_ascii=False)}" if event.data else ""


def _table(rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{html.escape(a)}</th><td>{html.escape(b)}</td></tr>" for a, b in rows)
    return f"<table>{cells}</table>"


def _plot(recording: ReportSource, name: str, degrees: bool) -> str:
    """A plot as SVG in the page."""
    series = recording.series(name)
    figure = figure_of(panels_of([series.in_degrees() if degrees else series]), recording.events, "")
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    label = html.escape(name.replace("_", " "))
    return f"<figure aria-label='{label}'>{svg[svg.index('<svg') :]}</figure>"
