"""Commands that make pictures: `render` and `plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kido.cli import _commands
from kido.cli._one_line import errors_in_one_line
from kido.cli._options import DegreesOption, JsonOption, OptionalRoot, PackageOption, RobotOption, package_map

__all__ = ["draw", "plot"]


def plot(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Recording.")],
    quantities: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUANTITY",
            help="As positions, contact_forces, or the name of a signal; else the usual.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Picture (.png, .svg, .pdf), or .html: a page with a replay.",
        ),
    ] = Path("plot.png"),
    skeleton: Annotated[
        str | None, typer.Option(metavar="NAME", help="The skeleton that is meant; else all.")
    ] = None,
    degrees: DegreesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a recording over time, or write a page with plots and a replay that opens without a server."""
    with errors_in_one_line():
        _commands.plot_recording(
            _commands.make_console(),
            file,
            output,
            quantities or (),
            skeleton,
            degrees=degrees,
            as_json=as_json,
        )


def draw(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Model file, or recording; its suffix says the format.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="Picture .png, or film .mp4 or .gif.")
    ],
    camera: Annotated[
        str | None,
        typer.Option(metavar="VIEW", help="iso (default), front, back, left, right or top."),
    ] = None,
    azimuth: Annotated[
        float | None, typer.Option(metavar="DEGREES", help="Of the camera about z; 0 looks along -x.")
    ] = None,
    elevation: Annotated[float | None, typer.Option(metavar="DEGREES", help="Of the camera.")] = None,
    zoom: Annotated[float | None, typer.Option(metavar="FACTOR", help="1 shows everything.")] = None,
    size: Annotated[
        str | None, typer.Option(metavar="WIDTHxHEIGHT", help="In pixels; 1200x900, of a film 960x720.")
    ] = None,
    duration: Annotated[
        float | None, typer.Option("--time", metavar="SECONDS", help="That a film simulates or replays.")
    ] = None,
    at: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time of a recording that a picture shows; else its end."),
    ] = None,
    position: Annotated[
        list[str] | None,
        typer.Option(metavar="DOF=VALUE", help="Position of a joint in rad or m. May be repeated."),
    ] = None,
    degrees: Annotated[bool, typer.Option("--deg", help="Angles of --position are in degrees.")] = False,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LAYER",
            help="Shown too: contacts, forces, center_of_mass, support, inertia, labels. May be repeated.",
        ),
    ] = None,
    frame: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Draw the axes of a body, or of all. May be repeated."),
    ] = None,
    collision: Annotated[
        bool, typer.Option("--collision", help="Shapes for contact, not for looks.")
    ] = False,
    sticks: Annotated[
        bool | None, typer.Option("--sticks/--no-sticks", help="Joints and links as sticks inside.")
    ] = None,
    ground: Annotated[bool, typer.Option("--ground/--no-ground", help="Whether there is a floor.")] = True,
    background: Annotated[str, typer.Option(metavar="COLOR", help="Name or #rrggbb.")] = "white",
    as_json: JsonOption = False,
    robot: RobotOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
) -> None:
    """Draw a model file as a picture, or simulate it for a film; or a recording. Needs no display."""
    with errors_in_one_line():
        model = _commands.ModelFile(file, robot, None if root is None else root.value, package_map(package))
        task = _commands.RenderTask(
            output=output,
            camera=camera,
            orbit=(azimuth, elevation, zoom),
            size=size,
            duration=duration,
            at=at,
            positions=position or (),
            degrees=degrees,
            show=show or (),
            frames=frame or (),
            collision=collision,
            sticks=sticks,
            ground=ground,
            background=background,
            as_json=as_json,
        )
        _commands.run_render(_commands.make_console(), model, task)
