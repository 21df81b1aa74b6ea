"""The command line: `kido info`, `convert`, `diff`, `ik`, `simulate` and `render`, and their output."""

from __future__ import annotations

from kido.cli._app import app, main
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
