"""Options of `kido render`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AzimuthOption",
    "BackgroundOption",
    "CameraOption",
    "CollisionOption",
    "DurationOption",
    "ElevationOption",
    "FrameOption",
    "GroundOption",
    "LayerOption",
    "MomentOption",
    "OutputOption",
    "PictureSource",
    "PositionDegreesOption",
    "PositionOption",
    "SizeOption",
    "SticksOption",
    "ZoomOption",
]

PictureSource = Annotated[
    Path, typer.Argument(metavar="FILE", help="Model file, or recording; its suffix says the format.")
]
OutputOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="OUT", help="Picture .png, or film .mp4 or .gif.")
]
CameraOption = Annotated[
    str | None,
    typer.Option(metavar="VIEW", help="iso (default), front, back, left, right or top."),
]
AzimuthOption = Annotated[
    float | None, typer.Option(metavar="DEGREES", help="Of the camera about z; 0 looks along -x.")
]
ElevationOption = Annotated[float | None, typer.Option(metavar="DEGREES", help="Of the camera.")]
ZoomOption = Annotated[float | None, typer.Option(metavar="FACTOR", help="1 shows everything.")]
SizeOption = Annotated[
    str | None, typer.Option(metavar="WIDTHxHEIGHT", help="In pixels; 1200x900, of a film 960x720.")
]
DurationOption = Annotated[
    float | None, typer.Option("--time", metavar="SECONDS", help="That a film simulates or replays.")
]
MomentOption = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Time of a recording that a picture shows; else its end."),
]
PositionOption = Annotated[
    list[str] | None,
    typer.Option(metavar="DOF=VALUE", help="Position of a joint in rad or m. May be repeated."),
]
PositionDegreesOption = Annotated[bool, typer.Option("--deg", help="Angles of --position are in degrees.")]
LayerOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LAYER",
        help="Shown too: contacts, forces, center_of_mass, support, inertia, labels. May be repeated.",
    ),
]
FrameOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Draw the axes of a body, or of all. May be repeated."),
]
CollisionOption = Annotated[bool, typer.Option("--collision", help="Shapes for contact, not for looks.")]
SticksOption = Annotated[
    bool | None, typer.Option("--sticks/--no-sticks", help="Joints and links as sticks inside.")
]
GroundOption = Annotated[bool, typer.Option("--ground/--no-ground", help="Whether there is a floor.")]
BackgroundOption = Annotated[str, typer.Option(metavar="COLOR", help="Name or #rrggbb.")]
