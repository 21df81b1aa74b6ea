"""Help texts of commands."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand

from kido.cli._numbers import joined_numbers
from kido.cli._plain_parameters import read_plainly

__all__ = ["Command", "CommandOfNumbers"]

_BRACES = re.compile(r"\{(\S+)\}")
_ARGUMENTS = re.compile(r"(?<=^Arguments:\n)(?:  .*\n?)+", re.M)
_TYPED = re.compile(r"  ([^-\s]\S*) <\S+> +")


class Command(TyperCommand):
    """A command whose help names arguments as its usage does, without types."""

    def get_params(self, ctx: Any) -> Any:
        """Its arguments and options."""
        return list(map(read_plainly, super().get_params(ctx)))

    def get_usage(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """The line that says how it is called."""
        return _BRACES.sub(r"\1", super().get_usage(ctx))

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """Help text: purpose, arguments and options."""
        text = _BRACES.sub(r"\1", super().get_help(ctx))
        return _ARGUMENTS.sub(lambda block: _without_types(block[0]), text)


class CommandOfNumbers(Command):
    """A command whose options `--target` and `--from` take all numbers that follow them."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the arguments, the numbers of an option joined to one text."""
        return super().parse_args(ctx, joined_numbers(args))


def _without_types(block: str) -> str:
    """Lines of arguments: names, then what they are, in columns."""
    lines = block.splitlines(keepends=True)
    named = [_TYPED.match(line) for line in lines]
    width = max((len(found[1]) for found in named if found), default=0)
    before = max((found.end() for found in named if found), default=0)
    return "".join(
        f"  {found[1] if found else '':{width}}  {line[before:]}"
        for found, line in zip(named, lines, strict=True)
    )
