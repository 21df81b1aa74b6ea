"""Tables for people and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    """A heading, columns and rows of text; notes stand below."""

    title: str
    columns: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Aligned columns, the first to the left."""
        lines = [list(self.columns), *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        body = [
            "  ".join(_pad(cell, width, i) for i, (cell, width) in enumerate(zip(line, widths, strict=True)))
            for line in lines
        ]
        body.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([f"== {self.title} ==", *body, *(f"  {note}" for note in self.notes), ""])

    def markdown(self) -> str:
        """A Markdown table under a heading."""
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        body = ["| " + " | ".join(line) + " |" for line in (self.columns, rule, *self.rows)]
        return "\n".join([f"### {self.title}", "", *body, "", *(f"* {note}" for note in self.notes), ""])


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= 0.9995 * factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def verdict(ratio: float | None, target: float | None) -> str:
    """`pass` or `short`; `-` where there is nothing to compare."""
    if ratio is None or target is None:
        return "-"
    return "pass" if ratio >= target else "short"


def _pad(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)
