"""Commands that are called wrongly, told in one line and below it how they are called; and Ctrl-C."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from kido.cli._main import STOPPED, STOPPED_BY_CTRL_C
from kido.cli._plain_parameters import read_plainly

__all__ = ["Commands"]

_UsageError: type[Any] = typer.BadParameter.__mro__[1]
_REWRITTEN = (
    (re.compile(r"^Invalid value: "), ""),
    (re.compile(r"^Invalid value for '(--[\w-]+)'[^:]*: "), r"\1: "),
    (re.compile(r"Input should be a valid (number|integer)\b.*"), r"expected a valid \1"),
    (re.compile(r"(?:Value error, )?('\S*') is not one of (.*)"), r"expected one of \2, got \1"),
)
"""What typer says, and in whose place what stands: the option, then what is expected."""


class Commands(TyperGroup):
    """All commands; what is wrong with a call is told as all errors are, before the usage. Ctrl-C ends each
    with a sentence."""

    def get_params(self, ctx: Any) -> Any:
        """Its options."""
        return list(map(read_plainly, super().get_params(ctx)))

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Read the arguments before the command."""
        with _usage_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _usage_errors():
            return super().invoke(ctx)


@contextmanager
def _usage_errors() -> Iterator[None]:
    """End a wrong call, or one that Ctrl-C ends, by a line and an exit code."""
    try:
        yield
    except _UsageError as error:
        typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
        typer.echo(_message(error.format_message()), err=True)
        if error.ctx is not None:
            usage = error.ctx.get_usage().replace("Usage: ", "usage: ", 1)
            typer.echo(f"{usage}\n       {error.ctx.command_path} --help tells more", err=True)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        typer.echo(STOPPED_BY_CTRL_C, err=True)
        raise typer.Exit(STOPPED) from None


def _message(text: str) -> str:
    for pattern, other in _REWRITTEN:
        text = pattern.sub(other, text)
    return (text[:1].lower() + text[1:]).removesuffix(".")
