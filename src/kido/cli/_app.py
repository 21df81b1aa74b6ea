"""The commands and their options; errors become one line and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kido import __version__
from kido.cli import _commands
from kido.cli._compare import convert as run_convert
from kido.cli._compare import print_differences
from kido.cli._console import make_console
from kido.cli._files import ModelFile
from kido.cli._info import print_file, print_json
from kido.cli._numbers import CommandOfNumbers
from kido.cli._recordings import (
    is_recording,
    plot_recording,
    print_recording,
    print_recording_differences,
)
from kido.description import RobotDescription
from kido.errors import KidoError

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Articulated bodies: inspect robot files, solve inverse kinematics, simulate.",
)


class Root(str, Enum):
    """Attachment of the root body to the world."""

    FIXED = "fixed"
    FREE = "free"


_MODEL_FILE = "Model file; its suffix says the format."
OptionalRoot = Annotated[
    Root | None, typer.Option(help="Root body attached to the world (default), or free; of .urdf alone.")
]
RobotOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The robot or object that is meant; else all.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Exit code 1 if anything is not honoured, or not written as it is.")
]
RootOption = Annotated[Root, typer.Option(help="Root body attached to the world, or free to move.")]
PackageOption = Annotated[
    list[str] | None,
    typer.Option("--package", metavar="NAME=DIR", help="Folder of a ROS package. May be repeated."),
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


def main() -> None:
    """Run the command line."""
    app(prog_name="kido")


@app.command()
def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_MODEL_FILE)],
    robot: RobotOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
    as_json: JsonOption = False,
    strict: StrictOption = False,
) -> None:
    """Show the bodies, joints, limits and masses of a model file, what is not honoured; or a recording."""
    with _errors_in_one_line():
        if is_recording(file):
            _refuse_options(file, robot=robot, root=root, package=package)
            print_recording(make_console(), file, as_json=as_json)
            return
        model = ModelFile(file, robot, None if root is None else root.value, _package_map(package or []))
        report = (print_json if as_json else print_file)(make_console(), model)
    if strict and report.refused:
        raise typer.Exit(1)


@app.command()
def convert(
    file: Annotated[Path, typer.Argument(metavar="IN", help=_MODEL_FILE)],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="File to write; its suffix says the format.")],
    robot: RobotOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
    as_json: JsonOption = False,
    strict: StrictOption = False,
) -> None:
    """Write a model file in another format, and list what does not go into it."""
    with _errors_in_one_line():
        model = ModelFile(file, robot, None if root is None else root.value, _package_map(package or []))
        whole = run_convert(make_console(), model, output, as_json)
    if strict and not whole:
        raise typer.Exit(1)


@app.command()
def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help=_MODEL_FILE)],
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
    with _errors_in_one_line(code=2):
        if is_recording(first) and is_recording(second):
            _refuse_options(first, robot=robot, package=package)
            if not print_recording_differences(make_console(), first, second, tolerance, as_json):
                raise typer.Exit(1)
            return
        packages = _package_map(package or [])
        one, other = (ModelFile(path, robot, _root_for(path, root), packages) for path in (first, second))
        same = print_differences(make_console(), one, other, tolerance, as_json)
    if not same:
        raise typer.Exit(1)


@app.command()
def plot(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Recording.")],
    quantities: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUANTITY]...",
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
) -> None:
    """Draw a recording over time, or write a page with plots and a replay that opens without a server."""
    with _errors_in_one_line():
        plot_recording(make_console(), file, output, quantities or (), skeleton)


@app.command(cls=CommandOfNumbers)
def ik(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_MODEL_FILE)],
    body: Annotated[str, typer.Option(metavar="NAME", help="Body that is to be at the target.")],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="X Y Z [QX QY QZ QW]",
            help="Its position in the world [m]; with a quaternion, its rotation too.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="Q ...",
            help="Positions to start from [rad, m], of the joints that move the body, or of all.",
        ),
    ] = None,
    whole_body: Annotated[
        bool, typer.Option("--whole-body", help="Move all joints that move the body, not its chain alone.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="List every solution, for arms that have a closed form.")
    ] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Find a posture, or prove that there is none within the limits.")
    ] = False,
    path: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of poses to come through, one a line, instead of a target."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the positions of the path, one a line."),
    ] = None,
    largest_change: Annotated[
        float,
        typer.Option(
            metavar="RAD", help="A joint of the path that moves farther from a pose to the next jumps."
        ),
    ] = 0.5,
    timed: Annotated[bool, typer.Option("--time/--no-time", help="Whether to print the time.")] = True,
    root: RootOption = Root.FIXED,
    package: PackageOption = None,
) -> None:
    """Find joint positions that put a body at a target; exit code 1 if it is not reached."""
    with _errors_in_one_line(code=2):
        task = _commands.IKTask(
            body, target, start, whole_body, every, timed, prove, path, output, largest_change
        )
        reached = _commands.run_ik(make_console(), _read(file, root, package), task)
    if not reached:
        raise typer.Exit(1)


@app.command()
def simulate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_MODEL_FILE)],
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
    root: RootOption = Root.FIXED,
    package: PackageOption = None,
) -> None:
    """Simulate a robot in gravity; exit code 1 if its numbers are no longer finite."""
    with _errors_in_one_line(code=2):
        task = _commands.SimulationTask(duration, step, hold, height, ground, save, timed, record, rate)
        good = _commands.run_simulation(make_console(), _read(file, root, package), task)
    if not good:
        raise typer.Exit(1)


@app.command("render")
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
    robot: RobotOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
) -> None:
    """Draw a model file as a picture, or simulate it for a film; or a recording. Needs no display."""
    with _errors_in_one_line():
        model = ModelFile(file, robot, None if root is None else root.value, _package_map(package or []))
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
        )
        _commands.run_render(make_console(), model, task)


@app.command()
def view(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_MODEL_FILE)],
    robot: RobotOption = None,
    simulate: Annotated[
        bool | None,
        typer.Option(
            "--simulate/--no-simulate",
            help="Whether physics plays; by default where the file holds several robots or objects.",
        ),
    ] = None,
    collision: Annotated[bool, typer.Option("--collision", help="Show the shapes for contact.")] = False,
    port: PortOption = 8080,
    host: HostOption = "127.0.0.1",
    opens: OpenOption = None,
    root: OptionalRoot = None,
    package: PackageOption = None,
) -> None:
    """Show a model file in a browser: sliders, dragging by the mouse, physics. Ctrl-C ends it."""
    with _errors_in_one_line():
        model = ModelFile(file, robot, None if root is None else root.value, _package_map(package or []))
        _commands.run_view(make_console(), model, _commands.ViewTask(host, port, simulate, collision, opens))


@app.command()
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
    with _errors_in_one_line():
        task = _commands.DemoTask(
            scene, listed, headless, output, _commands.read_size(size), as_json, host, port, opens
        )
        _commands.run_demo(make_console(), task)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    """Articulated bodies: inspect robot files, solve inverse kinematics, simulate."""
    if version:
        typer.echo(f"kido {__version__}")
        raise typer.Exit


def _refuse_options(file: Path, **options: object) -> None:
    """Raises ValueError for options that recordings do not take."""
    given = ", ".join(f"--{name}" for name, value in options.items() if value)
    if given:
        raise ValueError(f"{given}: of model files, and {file} is a recording")


def _read(file: Path, root: Root, packages: list[str] | None) -> RobotDescription:
    asks = file.suffix.lower() == ".urdf" or root is not Root.FIXED
    model = ModelFile(file, None, root.value if asks else None, _package_map(packages or []))
    return model.one_robot()


def _root_for(path: Path, root: Root | None) -> str | None:
    """How the root of a file stands on the world, where its format does not say."""
    return root.value if root is not None and path.suffix.lower() == ".urdf" else None


def _package_map(entries: list[str]) -> dict[str, Path]:
    folders = {}
    for entry in entries:
        name, _, folder = entry.partition("=")
        if not name or not folder:
            raise typer.BadParameter(f"--package: expected NAME=DIR, got {entry!r}")
        if not Path(folder).is_dir():
            raise typer.BadParameter(f"--package: expected an existing folder, got {folder!r}")
        folders[name] = Path(folder)
    return folders


@contextmanager
def _errors_in_one_line(code: int = 1) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        _fail(str(error) if error.filename is None else f"{error.filename}: {error.strerror}", code)
    except (KidoError, ValueError) as error:
        _fail(str(error), code)


def _fail(message: str, code: int) -> None:
    make_console(stderr=True).print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    raise typer.Exit(code)
