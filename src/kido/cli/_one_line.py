"""Errors of commands, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import typer

__all__ = ["errors_in_one_line"]

_ROBOT = re.compile(r"\brobot=(?='[^']*' chooses)")
"""The argument of functions that choose a robot, which is an option here."""


@contextmanager
def errors_in_one_line(code: int = 1) -> Iterator[None]:
    """End a command by a line on standard error and an exit code where it is called wrongly, or misses
    something."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        told = error.strerror or str(error)
        _fail(told if error.filename is None else f"{error.filename}: {told}", code)
    except Exception as error:
        if not isinstance(error, (ValueError, import_module("kido.errors").KidoError)):
            raise
        _fail(_ROBOT.sub("--robot ", str(error)), code)


def _fail(message: str, code: int) -> None:
    typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
    typer.echo(message, err=True)
    raise typer.Exit(code)
