"""The command line: `kido info`, `convert`, `diff`, `ik`, `simulate`, `render`, ..., and their output."""

from __future__ import annotations

from importlib import import_module

from kido.cli._main import main

TYPE_CHECKING = False  # without `typing`, for Ctrl-C is told in a sentence from `main` on
if TYPE_CHECKING:
    from typing import Any

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

_LATER = {"app": "kido.cli._app", "print_info": "kido.cli._info", "number_text": "kido.tree"}


def __getattr__(name: str) -> Any:
    """The commands, which `main` imports, and what prints, which those that print nothing do not."""
    if name not in __all__:
        raise AttributeError(f"module 'kido.cli' has no attribute {name!r}")
    return getattr(import_module(_LATER.get(name, "kido.cli._console")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
