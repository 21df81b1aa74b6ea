"""The command `kido`: its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

from kido import __version__
from kido.cli._help import Command, CommandOfNumbers
from kido.cli._model_commands import convert, diff, info
from kido.cli._motion_commands import ik, simulate
from kido.cli._page_commands import demo, replay, view
from kido.cli._picture_commands import draw, plot
from kido.cli._usage import Commands

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Articulated bodies: robot files, inverse kinematics, simulation, pictures.",
)

app.command(cls=Command, short_help="Show what a model file or a recording holds.")(info)
app.command(cls=Command, short_help="Write a model file in another format.")(convert)
app.command(cls=Command, short_help="Show what differs between two files.")(diff)
app.command(cls=CommandOfNumbers, short_help="Find joint positions that put a body at a target.")(ik)
app.command(cls=Command, short_help="Simulate a robot in gravity.")(simulate)
app.command("render", cls=Command, short_help="Draw a picture or a film, without a display.")(draw)
app.command(cls=Command, short_help="Plot a recording, or write a page of it.")(plot)
app.command(cls=Command, short_help="Show a model file in a browser.")(view)
app.command(cls=Command, short_help="Play a recording in a browser.")(replay)
app.command(cls=Command, short_help="Show scenes to click through in a browser.")(demo)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    """Articulated bodies: robot files, inverse kinematics, simulation, pictures."""
    if version:
        typer.echo(f"kido {__version__}")
        raise typer.Exit
