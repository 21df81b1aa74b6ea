"""Output of the commands: styled tables on a terminal, plain complete lines everywhere else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_UNBROKEN = 1_000_000

_ROUNDING = 1e-9
"""Below it, digits of what is left say nothing [m, rad]."""


def make_console(*, stderr: bool = False) -> Console:
    """A console on standard output or standard error, which takes text as it is, without markup."""
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(
            stderr=stderr, markup=False, emoji=False, highlight=False, width=_UNBROKEN, no_color=True
        )
    return console


def print_table(
    console: Console,
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
) -> None:
    """Print rows under a title; columns named in `numbers` are aligned right. No cell is ever cut."""
    on_terminal = console.is_terminal
    table = Table(
        box=box.SIMPLE_HEAD if on_terminal else None,
        header_style="bold",
        padding=(0, 1),
        pad_edge=on_terminal,
    )
    for name in header:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    print_heading(console, title)
    if on_terminal:
        console.print(table)
        return
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        console.print(line.rstrip(), soft_wrap=True)


def print_heading(console: Console, title: str) -> None:
    """Print a title after an empty line."""
    console.print()
    console.print(Text(title, style="bold cyan"), soft_wrap=True)


def print_pairs(console: Console, pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair a line, values aligned."""
    listed = list(pairs)
    width = max(len(what) for what, _ in listed)
    for what, value in listed:
        console.print(Text(f"{what:<{width}}  ", style="dim") + Text(value, style="not dim"), soft_wrap=True)


def distance_left(linear: float, angular: float | None = None, *, degrees: bool = False) -> str:
    """Position error [m] and rotation error [rad] as a text, the latter in degrees if it is to be; None: the
    rotation does not matter."""
    if angular is None:
        return _left(linear, "m")
    turned = _left(math.degrees(angular), "deg") if degrees else _left(angular, "rad")
    return f"{_left(linear, 'm')}, {turned}"


def decimals(value: float, places: int = 3) -> str:
    """A number with so many decimals, without the sign of a zero."""
    return f"{round(value, places) + 0.0:.{places}f}"


def _left(value: float, unit: str) -> str:
    return f"below {_ROUNDING:g} {unit}" if value < _ROUNDING else f"{value:.3g} {unit}"
