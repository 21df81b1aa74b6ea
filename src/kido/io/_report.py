"""Report of what a model file says and kido does not honour."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kido.description import Diagnostic
from kido.errors import StrictModelError
from kido.typing import PathLike
from kido.values import Checked, Value, file_path, items, value

__all__ = ["HARMLESS", "LoadReport"]

HARMLESS = frozenset({"name", "root", "empty", "default", "equivalent"})
"""Kinds of diagnostics that `strict=True` lets through: what was named, or added at the root, what the format
says where a file does not, and what is written in other words that amount to the same."""


@value
class LoadReport(Value):
    """All diagnostics of a model file: of its scene, its robots, and of what a world leaves out of it.

    Their `kind` says what became of what the file says: "ignored", it is not honoured; "substituted",
    honoured by something near; "inertia", "limit", no body or joint can have it; "mesh", its file was not
    found; and so on. `print(report)` shows them by kind.
    """

    file: Checked[PathLike, Path] = file_path()
    diagnostics: Checked[Iterable[Diagnostic], tuple[Diagnostic, ...]] = items(Diagnostic, default=())

    @property
    def by_kind(self) -> dict[str, tuple[Diagnostic, ...]]:
        """The diagnostics of each kind, in the order in which the kinds come first."""
        kinds = dict.fromkeys(note.kind for note in self.diagnostics)
        return {kind: tuple(note for note in self.diagnostics if note.kind == kind) for kind in kinds}

    @property
    def refused(self) -> tuple[Diagnostic, ...]:
        """Those that `strict=True` refuses: all but doubts about names."""
        return tuple(note for note in self.diagnostics if note.kind not in HARMLESS)

    def refuse(self) -> None:
        """Raises StrictModelError, which lists what is `refused`, unless that is nothing."""
        if self.refused:
            raise StrictModelError(str(self.file), [str(note) for note in self.refused])

    def to_dict(self) -> dict[str, Any]:
        """The report in types that JSON has."""
        notes = [
            {"kind": d.kind, "message": d.message, "file": d.file, "line": d.line, "subject": d.subject}
            for d in self.diagnostics
        ]
        counts = {kind: len(found) for kind, found in self.by_kind.items()}
        return {"file": str(self.file), "counts": counts, "diagnostics": notes}

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self) -> str:
        if not self.diagnostics:
            return f"{self.file}: nothing to report"
        kinds = self.by_kind
        lines = [f"{self.file}: " + ", ".join(f"{len(found)} {kind}" for kind, found in kinds.items())]
        for kind, found in kinds.items():
            lines += ["", f"{kind} ({len(found)})", *(f"  {note}" for note in found)]
        return "\n".join(lines)
