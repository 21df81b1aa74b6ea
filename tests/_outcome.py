"""Outcome of a run of the command line."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """Output of a command, and its exit code."""

    code: int
    text: str

    def row(self, first: str, title: str = "") -> list[str]:
        """The cells of the first line after `title` that holds the word `first`."""
        lines = self.text[self.text.index(title) :].splitlines()
        return next(line.split() for line in lines if first in line.split())
