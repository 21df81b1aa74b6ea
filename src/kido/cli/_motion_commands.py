"""Commands that move robots: `ik` and `simulate`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from kido.cli import _commands
from kido.cli._one_line import errors_in_one_line
from kido.cli._options import MODEL_FILE, JsonOption, PackageOption, Root, RootOption, package_map

__all__ = ["ik", "simulate"]

TargetOption = Annotated[
    str | None,
    typer.Option(
        metavar="X Y Z [QX QY QZ QW]",
        help="Its position in the world [m]; with a quaternion, its rotation too.",
    ),
]
StartOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="Q ...",
        help="Positions to start from [rad, m], of the joints that move the body, or of all.",
    ),
]
PathOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File of poses to come through, one a line, instead of a target."),
]
LargestChangeOption = Annotated[
    float | None,
    typer.Option(
        metavar="ANGLE",
        help="A joint of the path that moves farther from a pose to the next jumps; 0.5 rad by default.",
    ),
]


def ik(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=MODEL_FILE)],
    body: Annotated[str, typer.Option(metavar="NAME", help="Body that is to be at the target.")],
    target: TargetOption = None,
    start: StartOption = None,
    whole_body: Annotated[
        bool, typer.Option("--whole-body", help="Move all joints that move the body, not its chain alone.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="List every solution, for arms that have a closed form.")
    ] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Find a posture, or prove that there is none within the limits.")
    ] = False,
    path: PathOption = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the positions of the path, one a line."),
    ] = None,
    largest_change: LargestChangeOption = None,
    degrees: Annotated[
        bool, typer.Option("--deg", help="Angles are in degrees, but for those in files.")
    ] = False,
    as_json: JsonOption = False,
    timed: Annotated[bool, typer.Option("--time/--no-time", help="Whether to print the time.")] = True,
    root: RootOption = Root.FIXED,
    package: PackageOption = None,
) -> None:
    """Find joint positions that put a body at a target; exit code 1 if it is not reached."""
    with errors_in_one_line(code=2):
        change = largest_change
        if change is None:
            change = math.degrees(0.5) if degrees else 0.5
        task = _commands.IKTask(
            body, target, start, whole_body, every, timed, prove, path, output, change, degrees, as_json
        )
        reached = _commands.run_ik(_commands.make_console(), _read(file, root, package), task)
    if not reached:
        raise typer.Exit(1)


def simulate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=MODEL_FILE)],
    duration: Annotated[float, typer.Option("--time", metavar="SECONDS", help="How long.")] = 5.0,
    step: Annotated[float, typer.Option(metavar="SECONDS", help="Length of a time step.")] = 1e-3,
    hold: Annotated[
        bool, typer.Option("--hold", help="Servos hold the joints where they are; else nothing drives them.")
    ] = False,
    height: Annotated[
        float, typer.Option(metavar="METERS", help="Of a free robot's lowest point over the ground.")
    ] = 0.0,
    ground: Annotated[
        bool | None,
        typer.Option("--ground/--no-ground", help="Whether there is one; by default where the root is free."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.npz", help="Write times, positions and velocities, 100 a second."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE.h5", help="Record it: see kido info, plot and diff.")
    ] = None,
    rate: Annotated[float, typer.Option(metavar="NUMBER", help="Samples a second of --record.")] = 50.0,
    timed: Annotated[bool, typer.Option("--timing/--no-time", help="Whether to print the time.")] = True,
    degrees: Annotated[bool, typer.Option("--deg", help="Print angles in degrees.")] = False,
    as_json: JsonOption = False,
    root: RootOption = Root.FIXED,
    package: PackageOption = None,
) -> None:
    """Simulate a robot in gravity; exit code 1 if its numbers are no longer finite.

    Ctrl-C ends it with what was seen so far.
    """
    with errors_in_one_line(code=2):
        task = _commands.SimulationTask(
            duration, step, hold, height, ground, save, timed, record, rate, degrees, as_json
        )
        code = _commands.run_simulation(_commands.make_console(), _read(file, root, package), task)
    raise typer.Exit(code)


def _read(file: Path, root: Root, packages: list[str] | None) -> Any:
    asks = file.suffix.lower() == ".urdf" or root is not Root.FIXED
    model = _commands.ModelFile(file, None, root.value if asks else None, package_map(packages))
    return model.one_robot()
