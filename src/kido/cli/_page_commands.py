"""Commands that open pages: `view`, `replay` and `demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kido.cli import _commands
from kido.cli._one_line import errors_in_one_line
from kido.cli._options import (
    MODEL_FILE,
    DegreesOption,
    HostOption,
    JsonOption,
    OpenOption,
    OptionalRoot,
    PackageOption,
    PortOption,
    RobotOption,
    package_map,
)

__all__ = ["demo", "replay", "view"]


def view(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=MODEL_FILE)],
    robot: RobotOption = None,
    simulate: Annotated[
        bool | None,
        typer.Option(
            "--simulate/--no-simulate",
            help="Whether physics plays; by default where the file holds several robots or objects.",
        ),
    ] = None,
    collision: Annotated[bool, typer.Option("--collision", help="Show the shapes for contact.")] = False,
    degrees: DegreesOption = False,
    port: PortOption = 8080,
    host: HostOption = "127.0.0.1",
    opens: OpenOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
) -> None:
    """Show a model file in a browser: sliders, dragging by the mouse, physics; or a recording.

    Ctrl-C ends it.
    """
    with errors_in_one_line():
        if _commands.is_recording(file):
            for option, given in (("--robot", robot), ("--simulate", simulate), ("--root", root)):
                if given is not None:
                    raise ValueError(f"{option}: of model files, and {file} is a recording")
            task = _commands.ViewTask(host, port, None, collision, opens, degrees=degrees)
            _commands.run_replay(file, task)
            return
        model = _commands.ModelFile(file, robot, None if root is None else root.value, package_map(package))
        task = _commands.ViewTask(host, port, simulate, collision, opens, degrees=degrees)
        _commands.run_view(_commands.make_console(), model, task)


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Recording.")],
    speed: Annotated[float, typer.Option(metavar="NUMBER", help="Recorded time by time on the clock.")] = 1.0,
    start: Annotated[
        float | None, typer.Option("--at", metavar="SECONDS", help="Stand still at this time; else play.")
    ] = None,
    collision: Annotated[bool, typer.Option("--collision", help="Show the shapes for contact.")] = False,
    degrees: DegreesOption = False,
    port: PortOption = 8080,
    host: HostOption = "127.0.0.1",
    opens: OpenOption = None,
) -> None:
    """Play a recording in a browser, with a slider over its time. Ctrl-C ends it."""
    with errors_in_one_line():
        task = _commands.ViewTask(host, port, None, collision, opens, speed, start, degrees)
        _commands.run_replay(file, task)


def demo(
    scene: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show this scene first, or draw it alone.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the scenes.")] = False,
    headless: Annotated[
        bool, typer.Option("--headless", help="Draw a picture of each scene instead; needs no display.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the pictures of --headless.")
    ] = Path("tour"),
    size: Annotated[
        str, typer.Option(metavar="WIDTHxHEIGHT", help="Of the pictures, in pixels.")
    ] = "1200x900",
    as_json: JsonOption = False,
    port: PortOption = 8080,
    host: HostOption = "127.0.0.1",
    opens: OpenOption = None,
) -> None:
    """Show what kido does: scenes to click through in a browser. Ctrl-C ends it."""
    with errors_in_one_line():
        task = _commands.DemoTask(
            scene, listed, headless, output, _commands.read_size(size), as_json, host, port, opens
        )
        _commands.run_demo(_commands.make_console(), task)
