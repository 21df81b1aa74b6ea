"""The course of the demo."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from examples.demo.angle_plot import plot_angles
from examples.demo.arm_ik import show_arm_ik
from examples.demo.edit import show_edit
from examples.demo.end_body import end_body
from examples.demo.energy_plot import plot_energy
from examples.demo.figure import make_figure, save_figure
from examples.demo.frames import print_frame_questions
from examples.demo.gravity import print_gravity_torques
from examples.demo.humanoid import humanoid_of
from examples.demo.pile import show_pile
from examples.demo.pushed import show_pushes
from examples.demo.rest import at_rest
from examples.demo.scene import SIZE
from examples.demo.swing import Swing, held_joints, swing, swing_tree
from examples.demo.whole_body_ik import show_whole_body_ik
from examples.demo.workspace import Workspace, sample_workspace
from examples.demo.workspace_plot import plot_workspace
from kido import Tree
from kido.cli import decimals, number_text, print_heading, print_info, print_pairs
from kido.description import RobotDescription
from kido.errors import RenderError, SingularMassError
from kido.view import render

__all__ = ["DemoSettings", "run_demo"]


@dataclass(frozen=True)
class DemoSettings:
    """Configurations sampled, targets in a batch, duration and step of the swing [s], how long a humanoid
    stands [s], bodies of a pile, seed of everything random, width and height of the pictures of robots
    [pixel]."""

    samples: int = 100_000
    targets: int = 10_000
    seconds: float = 10.0
    step: float = 1e-3
    stands: float = 60.0
    pile: int = 90
    seed: int = 7
    size: tuple[int, int] = SIZE


def run_demo(
    console: Console,
    robots: Iterable[tuple[RobotDescription, str | None]],
    output: Path,
    settings: DemoSettings | None = None,
) -> list[Path]:
    """Show every robot and the body to look at (None: its hand); returns the pictures written to `output`.

    Raises MissingDependencyError without matplotlib, UnknownNameError for an unknown body, ValueError for a
    robot that cannot move, OSError if `output` cannot be written.
    """
    start = time.perf_counter()
    make_figure(1.0, 1.0, "")
    output.mkdir(parents=True, exist_ok=True)
    pictures: list[Path] = []
    for robot, body in robots:
        pictures += _show(console, robot, body, output, settings or DemoSettings())
    print_heading(console, f"Pictures, after {time.perf_counter() - start:.1f} s in all")
    for picture in pictures:
        console.print(str(picture), soft_wrap=True)
    return pictures


def _show(
    console: Console, robot: RobotDescription, body: str | None, output: Path, settings: DemoSettings
) -> list[Path]:
    tree = Tree.from_description(robot)
    if tree.num_dofs == 0:
        raise ValueError(f"robot {robot.name!r}: expected a robot that can move, got 0 degrees of freedom")
    print_info(console, robot)
    print_gravity_torques(console, tree)
    hand = body or end_body(robot)
    pictures = _show_skeleton(console, robot, hand, output, settings)
    pictures += _show_workspace(console, robot, hand, output, settings)
    pictures += _show_inverse_kinematics(console, robot, hand, output, settings)
    pictures += _show_swing(console, robot, output, settings)
    return pictures + _show_contact(console, robot, output, settings)


def _show_skeleton(
    console: Console, robot: RobotDescription, body: str, output: Path, settings: DemoSettings
) -> list[Path]:
    skeleton = at_rest(robot)
    print_frame_questions(console, skeleton, body, np.random.default_rng(settings.seed))
    edited = show_edit(console, skeleton, body)
    start = time.perf_counter()
    pictures = [_path(output, robot, what) for what in ("robot", "edited")]
    try:
        render(skeleton, pictures[0], size=settings.size, frames=[skeleton.body(body)])
        render(edited, pictures[1], size=settings.size)
    except RenderError as error:
        console.print(f"pictures left out: {error}", soft_wrap=True)
        return []
    print_pairs(console, [("drawing", f"{time.perf_counter() - start:.1f} s")])
    return pictures


def _show_workspace(
    console: Console, robot: RobotDescription, body: str, output: Path, settings: DemoSettings
) -> list[Path]:
    held = robot.with_root("fixed")
    tree = Tree.from_description(held)
    workspace = sample_workspace(tree, body, np.random.default_rng(settings.seed), settings.samples)
    start = time.perf_counter()
    rest = at_rest(robot)
    q = [rest.dof(name).position for name in tree.dof_names]
    figure = plot_workspace(held, tree, np.array(q), workspace)
    picture = save_figure(figure, _path(output, robot, "workspace"))
    _print_workspace(console, robot, workspace, time.perf_counter() - start)
    return [picture]


def _print_workspace(console: Console, robot: RobotDescription, workspace: Workspace, drawing: float) -> None:
    size = len(workspace.points)
    low, high = workspace.points.min(axis=0), workspace.points.max(axis=0)
    spans = zip("xyz", low.tolist(), high.tolist(), strict=True)
    extent = ", ".join(f"{axis} {decimals(a)} to {decimals(b)}" for axis, a, b in spans)
    best = int(workspace.manipulability.argmax())
    where = ", ".join(map(decimals, workspace.points[best].tolist()))
    print_heading(console, f"Workspace of {workspace.body}, the root of {robot.name} held")
    pairs = [
        ("configurations", f"{size}, uniform within the joint limits"),
        ("poses", f"{workspace.pose_seconds * 1e3:.1f} ms, {workspace.poses_per_second:,.0f} per second"),
        ("Jacobians", f"{workspace.manipulability_seconds * 1e3:.1f} ms with manipulability"),
        ("extent", f"{extent} m"),
        ("best manipulability", f"{number_text(workspace.manipulability[best])} at ({where}) m"),
        ("drawing", f"{drawing:.1f} s"),
    ]
    print_pairs(console, pairs)


def _show_inverse_kinematics(
    console: Console, robot: RobotDescription, body: str, output: Path, settings: DemoSettings
) -> list[Path]:
    picture = _path(output, robot, "inverse_kinematics")
    humanoid = humanoid_of(robot)
    if humanoid is not None:
        return show_whole_body_ik(console, robot, humanoid, picture, settings.size)
    rng = np.random.default_rng(settings.seed)
    return show_arm_ik(console, robot, body, picture, rng, settings.targets, settings.size)


def _show_contact(
    console: Console, robot: RobotDescription, output: Path, settings: DemoSettings
) -> list[Path]:
    """A humanoid stands and is pushed; a pile falls."""
    humanoid = humanoid_of(robot)
    if humanoid is None:
        return []
    pushed, pile = (_path(output, robot, what) for what in ("pushed", "pile"))
    pictures = show_pushes(console, robot, humanoid, pushed, seconds=settings.stands, size=settings.size)
    rng = np.random.default_rng(settings.seed)
    return pictures + show_pile(console, pile, rng, count=settings.pile, size=settings.size)


def _show_swing(
    console: Console, robot: RobotDescription, output: Path, settings: DemoSettings
) -> list[Path]:
    tree = swing_tree(robot)
    print_heading(console, f"Free swing of {robot.name}")
    if tree.num_dofs == 0:
        console.print(
            "left out: sliding and coupled joints are held, and there are no others", soft_wrap=True
        )
        return []
    try:
        motion = swing(tree, np.random.default_rng(settings.seed), settings.seconds, settings.step)
    except SingularMassError as error:
        console.print(f"left out: {error}", soft_wrap=True)
        return []
    if motion.diverged:
        cause = "some joints move hardly any inertia"
        console.print(f"left out: the motion diverges at {motion.times[-1]:.3f} s; {cause}", soft_wrap=True)
        return []
    start = time.perf_counter()
    pictures = [
        save_figure(plot_energy(motion), _path(output, robot, "energy")),
        save_figure(plot_angles(motion), _path(output, robot, "angles")),
    ]
    _print_swing(console, robot, motion, settings, time.perf_counter() - start)
    return pictures


def _print_swing(
    console: Console, robot: RobotDescription, motion: Swing, settings: DemoSettings, drawing: float
) -> None:
    steps = len(motion.times) - 1
    drift = float(abs(motion.energy_drift).max())
    largest = float(motion.kinetic.max())
    setting = "floats without gravity" if motion.floats else "swings under gravity"
    held = len(held_joints(robot))
    pairs = [
        ("setting", f"{setting}; no motors, no friction, no joint stops"),
        ("held", f"{held} sliding or coupled joints"),
        (
            "integrator",
            f"commutator-free Runge-Kutta of order 4, step {settings.step * 1e3:g} ms, finer for fast turns",
        ),
        ("steps", f"{steps} in {motion.seconds:.2f} s, {motion.times[-1] / motion.seconds:.1f} x real time"),
        (
            "kinetic energy",
            f"{number_text(motion.kinetic[0])} J at the start, {number_text(largest)} J at most",
        ),
        ("energy drift", f"{drift:.2e} J at most, {drift / largest:.2e} of the largest kinetic energy"),
        ("drawing", f"{drawing:.1f} s"),
    ]
    print_pairs(console, pairs)


def _path(output: Path, robot: RobotDescription, what: str) -> Path:
    return output / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', robot.name)}_{what}.png"
