"""Options that several commands have."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "MODEL_FILE",
    "DegreesOption",
    "HostOption",
    "JsonOption",
    "OpenOption",
    "OptionalRoot",
    "PackageOption",
    "PortOption",
    "RobotOption",
    "Root",
    "RootOption",
    "StrictOption",
    "package_map",
]


class Root(str, Enum):
    """Attachment of the root body to the world."""

    FIXED = "fixed"
    FREE = "free"


MODEL_FILE = "Model file; its suffix says the format."
OptionalRoot = Annotated[
    Root | None,
    typer.Option(metavar="KIND", help="Root body fixed to the world (default), or free; of .urdf alone."),
]
RobotOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The robot or object that is meant; else all.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Exit code 1 if anything is not honoured, or not written as it is.")
]
DegreesOption = Annotated[bool, typer.Option("--deg", help="Angles are in degrees.")]
RootOption = Annotated[
    Root, typer.Option(metavar="KIND", help="Root body fixed to the world, or free to move.")
]
PackageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--package",
        metavar="NAME=DIR",
        help="Folder of a ROS package or model; DIR alone: where to search them. May be repeated.",
    ),
]

PortOption = Annotated[
    int, typer.Option(metavar="NUMBER", help="Port of the page; the next free one where it is in use.")
]
HostOption = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Address to listen at; 0.0.0.0 lets other machines in.")
]
OpenOption = Annotated[
    bool | None,
    typer.Option("--open/--no-open", help="Whether to open a browser; by default where there is a display."),
]


def package_map(entries: list[str] | None) -> dict[str, Path] | list[Path]:
    """Folders of packages by name, of texts NAME=DIR, or those in which to search them, of texts DIR.

    Raises typer.BadParameter.
    """
    folders: dict[str, Path] = {}
    searched: list[Path] = []
    for entry in entries or []:
        name, is_named, rest = entry.partition("=")
        folder = rest if is_named else entry
        if is_named and not name:
            raise typer.BadParameter(f"--package: expected NAME=DIR or DIR, got {entry!r}")
        if not folder or not Path(folder).is_dir():
            raise typer.BadParameter(f"--package: expected an existing folder, got {folder!r}")
        if is_named:
            folders[name] = Path(folder)
        else:
            searched.append(Path(folder))
    if folders and searched:
        raise typer.BadParameter("--package: expected NAME=DIR everywhere, or DIR everywhere, got both")
    return searched or folders
