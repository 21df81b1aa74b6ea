"""A recording as a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["recording_html"]


def recording_html(name: str, about: str, notes: Iterable[str]) -> str:
    """Name of a recording, what it holds, and what of its file is not whole, as HTML; everything is
    escaped."""
    lines = "".join(f"<li>{escape(note)}</li>" for note in notes)
    listed = f"<ul>{lines}</ul>" if lines else ""
    return f"<div><b>Recording {escape(name)}</b><p>{escape(about)}</p>{listed}</div>"
