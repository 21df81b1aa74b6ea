"""A humanoid that stands under joint servos and is pushed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from examples.demo.humanoid import Humanoid
from examples.demo.scene import Scene, Vector, draw_scenes
from examples.demo.stance import standing
from kido import gallery
from kido.cli import decimals, print_heading, print_pairs
from kido.description import RobotDescription
from kido.skeleton import ActuatorType, BodyNode, Skeleton
from kido.world import World

__all__ = ["PUSHES", "Pushed", "go_limp", "push", "servo_world", "show_pushes"]

PUSHES = (8.0, 20.0)
"""Impulses of the pushes forward [N s]: it rocks by the first, the second throws it down."""
_FALL = 5.0
"""How long it is watched after a push [s]."""
_PUSH = 0.1
"""Duration of a push [s]."""
_LOOK = 0.02
"""Time between looks at it [s]."""
_STEP = 1e-3
_LOST, _DAMPING = 0.6, 4.0
"""Angle from upright at which the servos give up [rad], and the damping of the joints then [N m s/rad]."""
_LIES = 0.4
"""Height of its center of mass below which a robot lies [m]."""
_CAMERA: tuple[Vector, Vector, Vector] = ((2.4, -2.6, 1.5), (0.4, 0.0, 0.5), (0.0, 0.0, 1.0))
_NEAR: tuple[Vector, Vector, Vector] = ((2.1, -1.7, 0.9), (0.75, 0.0, 0.1), (0.0, 0.0, 1.0))
"""Where the camera stands, what it looks at, and what is up; of a robot that lies."""


@dataclass(frozen=True)
class Pushed:
    """What became of a push: impulse [N s], angle of the body from upright at most and in the end [rad]."""

    impulse: float
    lean: float
    end: float

    @property
    def falls(self) -> bool:
        """Whether it lies in the end."""
        return self.end > 0.5


def servo_world(robot: RobotDescription, humanoid: Humanoid) -> tuple[World, Skeleton]:
    """The humanoid on the ground, every joint a servo that holds still.

    Its hands touch the ground by what is drawn of them, where its file says nothing of how they collide.
    """
    skeleton = standing(robot, humanoid)
    for hand in humanoid.hands:
        nodes = skeleton.body(hand).shape_nodes
        if not any(node.collision for node in nodes):
            for node in nodes:
                node.collision = True
    for joint in skeleton.joints:
        if joint.num_dofs == 1:
            joint.actuator = ActuatorType.SERVO
    return World([gallery.ground(), skeleton], time_step=_STEP), skeleton


def push(world: World, body: BodyNode, impulse: float) -> tuple[Pushed, Skeleton]:
    """Push a body forward, at its center of mass: what became of it, the skeleton where it leaned most.

    Where it cannot be held any more, its servos are turned off, and its joints are damped, as robots do.
    """
    largest, lean, leaning = 0.0, 0.0, body.skeleton.clone()
    for _ in range(round(_PUSH / _STEP)):
        body.add_external_force((impulse / _PUSH, 0.0, 0.0), body.inertia.com)
        world.step()
    for _ in range(round(_FALL / _LOOK)):
        world.step(round(_LOOK / _STEP))
        lean = float(np.arccos(np.clip(body.transform()[2, 2], -1.0, 1.0)))
        if lean > largest:
            largest, leaning = lean, body.skeleton.clone()
        if lean > _LOST:
            go_limp(body.skeleton)
    return Pushed(impulse, largest, lean), leaning


def go_limp(skeleton: Skeleton) -> None:
    """Let its servos off: their joints are moved by what acts on them, against damping."""
    for joint in skeleton.joints:
        if joint.num_dofs == 1 and joint.actuator is ActuatorType.SERVO:
            joint.actuator = ActuatorType.PASSIVE
            joint.damping = [_DAMPING]


def show_pushes(
    console: Console,
    robot: RobotDescription,
    humanoid: Humanoid,
    picture: Path,
    *,
    seconds: float,
    size: tuple[int, int],
) -> list[Path]:
    """Let a humanoid stand for some time [s], push it twice, and draw it; the picture, or nothing where the
    machine has no OpenGL."""
    print_heading(console, f"{robot.name} under servos")
    world, skeleton = servo_world(robot, humanoid)
    body = skeleton.body(humanoid.pushed)
    start, before = time.perf_counter(), skeleton.positions
    world.step(round(seconds / _STEP))
    took = time.perf_counter() - start
    scenes = [skeleton.clone()]
    _print_standing(console, world, skeleton, before, took)
    pushed = []
    for impulse in PUSHES:
        result, leaning = push(world, body, impulse)
        pushed.append(result)
        scenes.append(leaning if impulse == PUSHES[0] else skeleton.clone())
    print_pairs(console, [(f"push of {p.impulse:g} N s", _told(p)) for p in pushed])
    return draw_scenes(console, picture, [_scene(s) for s in scenes], size)


def _scene(skeleton: Skeleton) -> Scene:
    return Scene([skeleton], camera=_CAMERA if skeleton.com()[2] > _LIES else _NEAR)


def _told(pushed: Pushed) -> str:
    lean = f"leans by {np.degrees(pushed.lean):.1f} degrees at most"
    return f"{lean}, {'falls' if pushed.falls else 'stands again'}"


def _print_standing(
    console: Console, world: World, skeleton: Skeleton, before: Sequence[float] | np.ndarray, took: float
) -> None:
    drift = float(np.abs(skeleton.positions - before).max())
    deepest = max(contact.depth for contact in world.contacts)
    carried = float(world.contact_wrench(skeleton)[5])
    print_pairs(
        console,
        [
            ("stands", f"for {world.time:g} s, {world.time / max(took, 1e-9):.0f} x real time"),
            ("moved", f"{1e3 * drift:.2g} mrad or mm at most since it was put there"),
            (
                "contacts",
                f"{len(world.contacts)}, which carry {decimals(carried, 1)} N, {1e3 * deepest:.2g} mm deep",
            ),
        ],
    )
