"""The command line: `kido info`, `convert`, `diff`, `ik`, `simulate`, `render`, ..., and their output."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kido.cli._app import app, main

if TYPE_CHECKING:
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

_LATER = {"print_info": "kido.cli._info", "number_text": "kido.tree"}


def __getattr__(name: str) -> Any:
    """What prints, which commands that print nothing do not import."""
    if name not in __all__:
        raise AttributeError(f"module 'kido.cli' has no attribute {name!r}")
    return getattr(import_module(_LATER.get(name, "kido.cli._console")), name)
