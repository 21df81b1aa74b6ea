"""Tables of texts and numbers, and how they read as plain text and as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kido.values import Value, value

__all__ = ["Cell", "Table", "escaped", "number_text", "pairs_html", "pairs_text"]

Cell = str | int | float
"""A text or a number; numbers stand as they are, unrounded."""

_SHOWN, _LAST = 40, 5
"""Most rows that are shown, and how many of them are the last ones."""
_WIDEST = 120
"""Longest text that is shown whole."""
_PAIR_GAP = 2


@value
class Table(Value):
    """Rows under a title and a header; `numbers` names the columns that hold numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: tuple[str, ...] = ()

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The rows as text, numbers with six significant digits."""
        return (tuple(map(_text, row)) for row in self.rows)

    def __str__(self) -> str:
        """Title and aligned columns; of many rows the first and the last ones."""
        before, after = self._shown()
        lines = [self.header, *before, *after]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = [self._line(line, widths) for line in lines]
        if after:
            shown.insert(1 + len(before), self._left_out())
        return "\n".join([self.title, *shown])

    def _repr_html_(self) -> str:
        """The same rows as an HTML table under a title that folds it."""
        before, after = self._shown()
        body = [self._html_row("td", row) for row in before]
        if after:
            body.append(f'<tr><td colspan="{len(self.header)}">{self._left_out()}</td></tr>')
            body += [self._html_row("td", row) for row in after]
        return (
            f"<details open><summary>{escaped(self.title)}</summary>"
            f"<table><thead>{self._html_row('th', self.header)}</thead><tbody>{''.join(body)}</tbody></table>"
            "</details>"
        )

    def _shown(self) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
        """The first rows and, where some between are left out, the last ones."""
        rows = self.rows
        few = len(rows) <= _SHOWN
        before, after = (rows, ()) if few else (rows[: _SHOWN - _LAST], rows[-_LAST:])
        return _short_rows(before), _short_rows(after)

    def _left_out(self) -> str:
        return f"... {len(self.rows) - _SHOWN} more ..."

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        aligned = (
            cell.rjust(width) if name in self.numbers else cell.ljust(width)
            for name, cell, width in zip(self.header, cells, widths, strict=True)
        )
        return "  ".join(aligned).rstrip()

    def _html_row(self, tag: str, cells: Iterable[str]) -> str:
        sides = ("right" if name in self.numbers else "left" for name in self.header)
        return "".join(
            ["<tr>"]
            + [
                f'<{tag} style="text-align:{side}">{escaped(cell)}</{tag}>'
                for side, cell in zip(sides, cells, strict=True)
            ]
            + ["</tr>"]
        )


def pairs_text(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, one pair a line, values aligned."""
    listed = list(pairs)
    width = max(len(what) for what, _ in listed) + _PAIR_GAP
    return "\n".join(f"{what:<{width}}{_short(value)}".rstrip() for what, value in listed)


def pairs_html(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values as a table of two columns."""
    rows = (
        f'<tr><th style="text-align:left">{escaped(what)}</th>'
        f'<td style="text-align:left">{escaped(_short(value))}</td></tr>'
        for what, value in pairs
    )
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def escaped(text: str) -> str:
    """A text as it stands in HTML."""
    from html import escape

    return escape(text)


def number_text(value: float) -> str:
    """A number with six significant digits, without the sign of a zero."""
    return f"{value + 0.0:.6g}"


def _text(cell: Cell) -> str:
    return number_text(cell) if isinstance(cell, float) else str(cell)


def _short_rows(rows: Iterable[tuple[Cell, ...]]) -> list[tuple[str, ...]]:
    return [tuple(_short(_text(cell)) for cell in row) for row in rows]


def _short(text: str) -> str:
    """One line of text, without its end where it is very long."""
    cut = text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
    return "".join(letter if letter.isprintable() else " " for letter in cut)
