"""Commands that read model files: `info`, `convert` and `diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kido.cli import _commands
from kido.cli._one_line import errors_in_one_line
from kido.cli._options import (
    MODEL_FILE,
    JsonOption,
    OptionalRoot,
    PackageOption,
    RobotOption,
    Root,
    StrictOption,
    package_map,
)

__all__ = ["convert", "diff", "info"]


def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=MODEL_FILE)],
    robot: RobotOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
    degrees: Annotated[bool, typer.Option("--deg", help="Print angles in degrees.")] = False,
    as_json: JsonOption = False,
    strict: StrictOption = False,
) -> None:
    """Show the bodies, joints, limits and masses of a model file, what is not honoured; or a recording."""
    with errors_in_one_line():
        if _commands.is_recording(file):
            _refuse_options(file, robot=robot, root=root, package=package)
            _commands.print_recording(_commands.make_console(), file, as_json=as_json)
            return
        model = _commands.ModelFile(file, robot, None if root is None else root.value, package_map(package))
        printed = _commands.print_json if as_json else _commands.print_file
        report = printed(_commands.make_console(), model, degrees=degrees)
    if strict and report.refused:
        raise typer.Exit(1)


def convert(
    file: Annotated[Path, typer.Argument(metavar="IN", help=MODEL_FILE)],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="File to write; its suffix says the format.")],
    robot: RobotOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
    as_json: JsonOption = False,
    strict: StrictOption = False,
) -> None:
    """Write a model file in another format, and list what does not go into it."""
    with errors_in_one_line():
        model = _commands.ModelFile(file, robot, None if root is None else root.value, package_map(package))
        whole = _commands.run_convert(_commands.make_console(), model, output, as_json)
    if strict and not whole:
        raise typer.Exit(1)


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help=MODEL_FILE)],
    second: Annotated[Path, typer.Argument(metavar="B", help="The other one.")],
    tolerance: Annotated[
        float, typer.Option(metavar="NUMBER", help="Numbers may differ by this, times their size above 1.")
    ] = 1e-6,
    as_json: JsonOption = False,
    robot: RobotOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
) -> None:
    """Show what differs between two model files or recordings, numerically; exit code 1 if anything does."""
    with errors_in_one_line(code=2):
        if _commands.is_recording(first) and _commands.is_recording(second):
            _refuse_options(first, robot=robot, package=package)
            if not _commands.print_recording_differences(
                _commands.make_console(), first, second, tolerance, as_json
            ):
                raise typer.Exit(1)
            return
        packages = package_map(package)
        one, other = (
            _commands.ModelFile(path, robot, _root_for(path, root), packages) for path in (first, second)
        )
        same = _commands.print_differences(_commands.make_console(), one, other, tolerance, as_json)
    if not same:
        raise typer.Exit(1)


def _refuse_options(file: Path, **options: object) -> None:
    """Raises ValueError for options that recordings do not take."""
    given = ", ".join(f"--{name}" for name, value in options.items() if value)
    if given:
        raise ValueError(f"{given}: of model files, and {file} is a recording")


def _root_for(path: Path, root: Root | None) -> str | None:
    """Joint of the root of a file on the world, where its format does not say."""
    return root.value if root is not None and path.suffix.lower() == ".urdf" else None
