"""Commands that make pictures: `render` and `plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kido.cli import _commands
from kido.cli._one_line import errors_in_one_line
from kido.cli._options import DegreesOption, JsonOption, OptionalRoot, PackageOption, RobotOption, package_map
from kido.cli._picture_options import (
    AzimuthOption,
    BackgroundOption,
    CameraOption,
    CollisionOption,
    DurationOption,
    ElevationOption,
    FrameOption,
    GroundOption,
    LayerOption,
    MomentOption,
    OutputOption,
    PictureSource,
    PositionDegreesOption,
    PositionOption,
    SizeOption,
    SticksOption,
    ZoomOption,
)

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
    file: PictureSource,
    output: OutputOption,
    camera: CameraOption = None,
    azimuth: AzimuthOption = None,
    elevation: ElevationOption = None,
    zoom: ZoomOption = None,
    size: SizeOption = None,
    duration: DurationOption = None,
    at: MomentOption = None,
    position: PositionOption = None,
    degrees: PositionDegreesOption = False,
    show: LayerOption = None,
    frame: FrameOption = None,
    collision: CollisionOption = False,
    sticks: SticksOption = None,
    ground: GroundOption = True,
    background: BackgroundOption = "white",
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
