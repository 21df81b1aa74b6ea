"""The demo's command: which robots, where the pictures go; errors become one line and an exit code."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from examples.demo.robots import DemoRobot, example_robots
from examples.demo.show import DemoSettings, run_demo
from examples.demo.soft import show_soft_bodies
from examples.demo.tour import show_tour
from kido.cli import make_console
from kido.description import RobotDescription
from kido.errors import KidoError, ModelWarning
from kido.io import read


def main(arguments: Sequence[str] | None = None, settings: DemoSettings | None = None) -> None:
    """Compute torques, a workspace, inverse kinematics and a free swing of real robots, with pictures; show
    soft bodies, and draw the scenes of the tour."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.robot is None and (options.root != "fixed" or options.body is not None):
        parser.error("--root and --body need --robot FILE")
    packages = _folders(parser, options.package)
    try:
        robots = _robots(options)
        descriptions = [_read(robot, packages) for robot in robots]
        bodies = (robot.body for robot in robots)
        console = make_console()
        run_demo(console, zip(descriptions, bodies, strict=True), options.output, settings)
        if options.robot is None:
            given = settings or DemoSettings()
            show_soft_bodies(console, options.output, stands=0.25 * given.stands, size=given.size)
            show_tour(console, options.output / "tour", given.size)
    except (KidoError, ValueError, OSError) as error:
        sys.exit(f"error: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=main.__doc__)
    robot = "robot file (.urdf); without it, a Panda arm and a G1 humanoid"
    parser.add_argument("--robot", type=Path, metavar="FILE", help=robot)
    root = "root body attached to the world, or free to move"
    parser.add_argument("--root", choices=("fixed", "free"), default="fixed", help=root)
    body = "body that is followed and put at targets; default: the hand"
    parser.add_argument("--body", metavar="NAME", help=body)
    output = "folder for the pictures; default: demo"
    parser.add_argument("--output", type=Path, default=Path("demo"), metavar="DIR", help=output)
    package = "folder of a ROS package; may be repeated"
    parser.add_argument("--package", action="append", default=[], metavar="NAME=DIR", help=package)
    return parser


def _folders(parser: argparse.ArgumentParser, entries: list[str]) -> dict[str, Path]:
    folders = {}
    for entry in entries:
        name, _, folder = entry.partition("=")
        if not (name and folder and Path(folder).is_dir()):
            parser.error(f"--package: expected NAME=DIR with an existing folder, got {entry!r}")
        folders[name] = Path(folder)
    return folders


def _robots(options: argparse.Namespace) -> list[DemoRobot]:
    return (
        example_robots() if options.robot is None else [DemoRobot(options.robot, options.root, options.body)]
    )


def _read(robot: DemoRobot, packages: dict[str, Path]) -> RobotDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read(robot.file, root=robot.root, packages=packages)


if __name__ == "__main__":
    main()
