"""Progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(console: Console, what: str, steps: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, which is gone in the end; nothing elsewhere. It gets a function to advance it."""
    columns = (TextColumn(what), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        bar = progress.add_task("", total=steps)
        yield lambda count: progress.advance(bar, count)
