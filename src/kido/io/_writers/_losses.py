"""Losses of a written file beside the description."""

from __future__ import annotations

import numpy as np

from kido.description import Diagnostic
from kido.typing import ArrayLike

__all__ = ["Losses", "shown_numbers"]


def shown_numbers(numbers: ArrayLike) -> list[float]:
    """Numbers (n,) of any unit [any] for a message, without what rounding leaves."""
    return [float(f"{number:.6g}") for number in np.asarray(numbers, dtype=np.float64).tolist()]


class Losses:
    """Collects, in the order of writing, what a format cannot express."""

    def __init__(self, format: str, file: str) -> None:
        self.format = format
        self._file = file
        self._found: list[Diagnostic] = []

    def ignored(self, kind: str, name: str | None, what: str) -> None:
        """`what` of the part `name` is not written."""
        self._add("ignored", kind, name, f"{what} is not written: {self.format} has no such thing")

    def left_out(self, kind: str, name: str | None, why: str) -> None:
        """The part `name` is not written; `why` is a sentence."""
        self._add("ignored", kind, name, f"not written: {why}")

    def substituted(self, kind: str, name: str | None, how: str) -> None:
        """The part `name` is written as something near."""
        self._add("substituted", kind, name, how)

    def equivalent(self, kind: str, name: str | None, how: str) -> None:
        """The part `name` is written in other words that amount to the same."""
        self._add("equivalent", kind, name, how)

    def doubted(self, kind: str, name: str | None, doubt: str) -> None:
        """The part `name` is written as it is, but some who read the format refuse it."""
        self._add("format", kind, name, doubt)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(self._found))

    def _add(self, group: str, kind: str, name: str | None, message: str) -> None:
        label = f"<{kind}>" if name is None else f"<{kind} {name!r}>"
        self._found.append(Diagnostic(f"{label}: {message}", self._file, None, group, name))
