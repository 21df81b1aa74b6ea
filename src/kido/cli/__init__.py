"""The command line: `kido info`, `convert`, `diff`, `ik`, `simulate`, `render`, ..., and their output."""

from __future__ import annotations

from kido._later import found_later
from kido.cli._main import main

TYPE_CHECKING = False  # without `typing`, for Ctrl-C is told in a sentence from `main` on
if TYPE_CHECKING:
    from kido.cli._app import app
    from kido.cli._console import (
        decimals,
        distance_left,
        make_console,
        print_heading,
        print_pairs,
        print_table,
    )
    from kido.cli._info import print_info
    from kido.tree import number_text

__all__ = [
    "app",
    "decimals",
    "distance_left",
    "main",
    "make_console",
    "number_text",
    "print_heading",
    "print_info",
    "print_pairs",
    "print_table",
]

_CONSOLE = ("decimals", "distance_left", "make_console", "print_heading", "print_pairs", "print_table")
_LATER = dict.fromkeys(_CONSOLE, "kido.cli._console") | {
    "app": "kido.cli._app",
    "number_text": "kido.tree",
    "print_info": "kido.cli._info",
}
"""The commands, which `main` imports, and what prints, which those that print nothing do not."""

__getattr__ = found_later(__name__, _LATER)


def __dir__() -> list[str]:
    return sorted(__all__)
