"""Parameters that are read without pydantic, whose import takes longer than most commands need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["read_plainly"]

_READERS: dict[Any, Callable[[str], Any]] = {str: str, Path: Path}


def read_plainly(parameter: Any) -> Any:
    """Have a parameter of typer take texts, paths, what is left out and defaults of its type as they are.

    The rest is read as before, and so is everything by versions of typer without pydantic.
    """
    described = getattr(parameter, "type_descriptor", None)
    if described is None or "process_value" in vars(parameter):
        return parameter
    annotation, process = described.annotation, parameter.process_value

    def process_value(ctx: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            read = () if parameter.multiple or parameter.nargs == -1 else None
        elif annotation in _READERS and isinstance(value, str):
            read = _READERS[annotation](value)
        elif type(value) is annotation:
            read = value
        else:
            return process(ctx, value)
        return read if parameter.callback is None else parameter.callback(ctx, parameter, read)

    parameter.process_value = process_value
    return parameter
