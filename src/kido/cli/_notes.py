"""Diagnostics as rows of tables: what is said of several parts alike is said once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kido.description import Diagnostic

__all__ = ["note_place", "note_rows"]

_LISTED = 3
_VARYING = re.compile(r"'[^']*'|\[[^\]]*\]|\S*/\S*|[-+]?\d[\w.+-]*")
"""Names, files and numbers in a message."""


def note_rows(notes: Iterable[Diagnostic]) -> list[tuple[str, str, str]]:
    """Kind, place and message of the first of those diagnostics that differ in names and numbers only, and
    how many others there are; `--json` has them all."""
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for note in notes:
        groups.setdefault((note.kind, _VARYING.sub("_", note.message)), []).append(note)
    return [(kind, note_place(group[0]), _message(group)) for (kind, _), group in groups.items()]


def note_place(note: Diagnostic) -> str:
    """File and line, as far as they are known."""
    return ":".join(str(part) for part in (note.file, note.line) if part is not None)


def _message(group: list[Diagnostic]) -> str:
    first, *others = group
    if not others:
        return first.message
    names = dict.fromkeys(note.subject for note in others if note.subject not in (None, first.subject))
    listed = [repr(name) for name in names][:_LISTED]
    more = ["..."] if len(names) > _LISTED else []
    which = f": {', '.join(listed + more)}" if listed else ""
    return f"{first.message} (and {len(others)} more like it{which})"
