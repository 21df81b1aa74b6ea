"""Help texts of commands."""

from __future__ import annotations

import re

import typer
from typer.core import TyperCommand

from kido.cli._numbers import joined_numbers

__all__ = ["Command", "CommandOfNumbers"]

_BRACES = re.compile(r"\{(\S+)\}")
_TYPES = re.compile(r"^(  [^-\s]\S*) <\S+>(?=\s|$)", re.M)


class Command(TyperCommand):
    """A command whose help names arguments as its usage does, without types."""

    def get_usage(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """The line that says how it is called."""
        return _BRACES.sub(r"\1", super().get_usage(ctx))

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """Help text: purpose, arguments and options."""
        return _TYPES.sub(r"\1", _BRACES.sub(r"\1", super().get_help(ctx)))


class CommandOfNumbers(Command):
    """A command whose options `--target` and `--from` take all numbers that follow them."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the arguments, the numbers of an option joined to one text."""
        return super().parse_args(ctx, joined_numbers(args))
