"""`kido simulate`: a robot of a model file in gravity, on the ground."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from kido import gallery
from kido.cli._console import decimals, print_heading, print_pairs
from kido.cli._dofs import DofNumbers, print_json_of
from kido.cli._main import STOPPED
from kido.cli._progress import progress_bar
from kido.collision import distance
from kido.description import RobotDescription
from kido.errors import DivergedError
from kido.recording import Recorder, record
from kido.skeleton import ActuatorType, FreeJoint, Skeleton
from kido.tree import number_text
from kido.typing import FloatArray
from kido.world import World

__all__ = ["SimulationTask", "run_simulation"]

_LOOK = 0.01
"""Simulated time between looks at the world [s]."""
_AT_REST = 1e-3
"""Below it, velocities count as rest [rad/s, m/s]."""


@dataclass(frozen=True)
class SimulationTask:
    """Simulation to be run.

    Attributes:
        duration: [s].
        step: length of a time step [s].
        hold: whether servos hold the joints where they are.
        height: of the lowest point of a free robot over the ground at the beginning [m].
        ground: whether there is a ground; None: where the root is free.
        save: NPZ file for times, positions and velocities; None: none.
        timed: whether the time that it took is printed.
        record: file of a recording; None: none.
        rate: its samples a second [1/s].
        degrees: whether angles are printed in degrees.
        as_json: whether the summary is told in JSON.
    """

    duration: float = 5.0
    step: float = 1e-3
    hold: bool = False
    height: float = 0.0
    ground: bool | None = None
    save: Path | None = None
    timed: bool = True
    record: Path | None = None
    rate: float = 50.0
    degrees: bool = False
    as_json: bool = False


@dataclass
class _Run:
    """Observations on the way: at each look the time, positions and velocities; extremes."""

    times: list[float] = field(default_factory=list)
    positions: list[FloatArray] = field(default_factory=list)
    velocities: list[FloatArray] = field(default_factory=list)
    seconds: float = 0.0
    deepest: float = -math.inf
    most_contacts: int = 0
    ended_by: str = ""
    exit_code: int = 0


def run_simulation(console: Console, robot: RobotDescription, task: SimulationTask) -> int:
    """Simulate a robot and print what became of it; the exit code: 1 if it diverged, 130 if Ctrl-C ended it.

    Raises ValueError for numbers that make no sense and for a robot that cannot move; what a world raises of
    a robot that it cannot simulate; OSError where the file cannot be saved.
    """
    steps = _checked(task)
    world, skeleton = _world(robot, task)
    before, seen = world.energy, _Run()
    _look(world, skeleton, seen)
    with _recorder(world, task) as recorder:
        if not task.as_json:
            _print_setting(console, world, skeleton, task, steps)
        _simulate(Console(quiet=True) if task.as_json else console, world, skeleton, seen, steps)
        if recorder is not None and seen.ended_by:
            recorder.mark(seen.ended_by)
    if task.save is not None:
        _save(task.save, skeleton, seen)
    if task.as_json:
        print_json_of(console, _told(world, skeleton, seen, task, before))
    else:
        _print_summary(console, world, skeleton, seen, task, before)
    return seen.exit_code


def _recorder(world: World, task: SimulationTask) -> AbstractContextManager[Recorder | None]:
    """Recorder of the world, if it is to be recorded."""
    if task.record is None:
        return nullcontext()
    return record(world, task.record, rate=task.rate, signals={"energy": ("energy", "J")})


def _checked(task: SimulationTask) -> int:
    """Number of steps."""
    for option, value in (("--time", task.duration), ("--step", task.step)):
        if not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"{option}: expected a number above 0 [s], got {value:g}")
    if not (math.isfinite(task.height) and task.height >= 0.0):
        raise ValueError(f"--height: expected 0 or above [m], got {task.height:g}")
    if task.step > task.duration:
        raise ValueError(f"--step: expected at most the time, {task.duration:g} s, got {task.step:g}")
    for option, path in (("--save", task.save), ("--record", task.record)):
        if path is not None and not path.resolve().parent.is_dir():
            raise ValueError(f"{option}: expected a file in an existing folder, got {str(path)!r}")
    if not task.rate > 0.0:
        raise ValueError(f"--rate: expected a number above 0 [1/s], got {task.rate:g}")
    return round(task.duration / task.step)


def _world(robot: RobotDescription, task: SimulationTask) -> tuple[World, Skeleton]:
    skeleton = Skeleton.from_description(robot)
    if skeleton.num_dofs == 0:
        raise ValueError(f"robot {robot.name!r}: expected one that can move, got 0 degrees of freedom")
    roots = [body.parent_joint for body in skeleton.root_bodies]
    free = [joint for joint in roots if isinstance(joint, FreeJoint)]
    parts = [skeleton]
    if task.ground or (task.ground is None and free):
        ground = gallery.ground()
        if skeleton.name == ground.name:
            ground.name = "the_ground"
        parts.insert(0, ground)
        _put_on(ground, skeleton, free, task.height)
    if task.hold:
        for joint in skeleton.joints:
            if joint.num_dofs and joint not in free and joint.actuator is ActuatorType.FORCE:
                joint.actuator = ActuatorType.SERVO
    return World(parts, time_step=task.step), skeleton


def _put_on(ground: Skeleton, skeleton: Skeleton, roots: list[FreeJoint], height: float) -> None:
    """Move free roots so that the lowest point is so high over the ground."""
    collides = any(node.collision for body in skeleton.bodies for node in body.shape_nodes if body.collidable)
    if not (roots and collides):
        return
    lift = height - float(distance(skeleton, ground).distance)
    for root in roots:
        moved = np.array(root.child_body.transform())
        moved[2, 3] += lift
        root.set_transform(moved)


def _simulate(console: Console, world: World, skeleton: Skeleton, seen: _Run, steps: int) -> None:
    piece = max(1, round(_LOOK / world.time_step))
    with progress_bar(console, "simulating", steps) as advance:
        try:
            for first in range(0, steps, piece):
                count = min(piece, steps - first)
                start = time.perf_counter()
                world.step(count)
                seen.seconds += time.perf_counter() - start
                _look(world, skeleton, seen)
                advance(count)
        except DivergedError as error:
            seen.ended_by, seen.exit_code = f"diverged: {error}", 1
        except KeyboardInterrupt:
            seen.ended_by = f"stopped by Ctrl-C after {number_text(world.time)} s"
            seen.exit_code = STOPPED


def _look(world: World, skeleton: Skeleton, seen: _Run) -> None:
    contacts = [contact for contact in world.contacts if contact.depth >= 0.0 or contact.force.any()]
    seen.deepest = max([seen.deepest, *(contact.depth for contact in contacts)])
    seen.most_contacts = max(seen.most_contacts, len(contacts))
    seen.times.append(world.time)
    seen.positions.append(np.array(skeleton.positions))
    seen.velocities.append(np.array(skeleton.velocities))


def _save(path: Path, skeleton: Skeleton, seen: _Run) -> None:
    names = np.array([dof.name for dof in skeleton.dofs])
    with path.open("wb") as file:
        np.savez(file, times=seen.times, positions=seen.positions, velocities=seen.velocities, dofs=names)


def _print_setting(
    console: Console, world: World, skeleton: Skeleton, task: SimulationTask, steps: int
) -> None:
    print_heading(console, f"Simulation of {skeleton.name}")
    joints = "servos hold them where they are" if task.hold else "nothing drives them"
    step = f"{number_text(1e3 * task.step)} ms"
    print_pairs(
        console,
        [
            (
                "duration",
                f"{number_text(task.duration)} s, {steps} steps of {step}",
            ),
            ("ground", "a plane" if len(world.skeletons) > 1 else "none"),
            ("joints", joints),
        ],
    )


def _print_summary(
    console: Console, world: World, skeleton: Skeleton, seen: _Run, task: SimulationTask, before: float
) -> None:
    print_heading(console, "Result")
    pairs = []
    if task.timed:
        factor = world.time / seen.seconds if seen.seconds > 0.0 else 0.0
        pairs.append(("real-time factor", f"{factor:.3g}, {seen.seconds:.3g} s"))
    energy = world.energy
    change = f"{decimals(before)} J at the start, {decimals(energy)} J at the end"
    pairs.append(("energy", f"{change}, {_rounded(energy - before, '+.3g')} J"))
    carried = float(world.contact_wrench(skeleton)[5])
    now = len([contact for contact in world.contacts_of(skeleton) if contact.force.any()])
    pairs.append(
        ("contacts", f"{now} that carry {decimals(carried, 1)} N at the end, {seen.most_contacts} at most")
    )
    if seen.deepest > -math.inf:
        pairs.append(("deepest penetration", f"{decimals(1e3 * max(seen.deepest, 0.0))} mm"))
    fastest = float(np.abs(skeleton.velocities).max())
    shown, units = _largest_velocity(skeleton, task)
    pairs.append(("largest velocity", f"{_rounded(shown, '.3g')} at the end [{units}]"))
    if task.save is not None:
        pairs.append(("saved", f"{len(seen.times)} states in {task.save}"))
    if task.record is not None:
        pairs.append(("recorded", str(task.record)))
    print_pairs(console, pairs)
    verdict = "at rest" if fastest < _AT_REST else "in motion"
    console.print(seen.ended_by or f"{verdict} after {number_text(world.time)} s", soft_wrap=True)


def _told(
    world: World, skeleton: Skeleton, seen: _Run, task: SimulationTask, before: float
) -> dict[str, Any]:
    """The summary, for JSON."""
    dofs = DofNumbers(skeleton.dofs, degrees=task.degrees)
    carrying = [contact for contact in world.contacts_of(skeleton) if contact.force.any()]
    timing = {"seconds": seen.seconds, "real_time_factor": world.time / max(seen.seconds, 1e-12)}
    return {
        "robot": skeleton.name,
        "time": world.time,
        "steps": world.num_steps,
        "ended_by": seen.ended_by or None,
        "at_rest": bool(np.abs(skeleton.velocities).max() < _AT_REST),
        "energy_before": before,
        "energy_after": world.energy,
        "contacts": len(carrying),
        "contact_force": float(world.contact_wrench(skeleton)[5]),
        "most_contacts": seen.most_contacts,
        "deepest_penetration": max(seen.deepest, 0.0),
        "dofs": [dof.name for dof in skeleton.dofs],
        "units": list(dofs.units),
        "positions": dofs.shown(skeleton.positions).tolist(),
        "velocities": dofs.shown(skeleton.velocities).tolist(),
        "saved": None if task.save is None else str(task.save),
        "recorded": None if task.record is None else str(task.record),
    } | (timing if task.timed else {})


def _largest_velocity(skeleton: Skeleton, task: SimulationTask) -> tuple[float, str]:
    """In the units of angles that are asked for, and these."""
    dofs = DofNumbers(skeleton.dofs, degrees=task.degrees)
    units = "deg/s, m/s" if task.degrees else "rad/s, m/s"
    return float(np.abs(dofs.shown(skeleton.velocities)).max()), units


def _rounded(value: float, style: str) -> str:
    """A number, but for those that are nothing but rounding."""
    return "below 1e-06" if abs(value) < 1e-6 else format(value, style)
