"""Inverse kinematics of an arm: where its hand goes along a route, and how fast that is found."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console

from examples.demo.gravity import middle_positions
from examples.demo.route import HOPS, POSES_PER_HOP, reachable_poses, route
from examples.demo.scene import SIZE, Scene, draw_scenes
from kido import num_threads
from kido.cli import decimals, distance_left, print_heading, print_pairs, print_table
from kido.description import RobotDescription
from kido.frame import SimpleFrame
from kido.ik import IKResult, IKResults, InverseKinematics
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["show_arm_ik"]

_STOPS = range(0, HOPS * POSES_PER_HOP + 1, POSES_PER_HOP)
_CALLS = 200
"""Targets that are solved one by one to measure a call."""
_DRAWN = 3
"""Number of times that the arm is drawn."""
_LONGEST = 1.0
"""About how long a batch may take that was solved one by one [s]."""


def show_arm_ik(
    console: Console,
    robot: RobotDescription,
    body: str,
    picture: Path,
    rng: np.random.Generator,
    targets: int,
    size: tuple[int, int] = SIZE,
) -> list[Path]:
    """Put a body at poses along a route, then at up to `targets` random ones in a batch.

    The root is held, and the joints start in the middle of their ranges. Prints what is reached, and how
    fast; returns the pictures drawn.
    """
    skeleton = Skeleton.from_description(robot.with_root("fixed"))
    skeleton.positions = middle_positions(skeleton.tree)
    title = f"Inverse kinematics of {body}, the root of {robot.name} held"
    if not skeleton.body(body).chain_dofs:
        print_heading(console, title)
        console.print(f"left out: no joint moves {body}", soft_wrap=True)
        return []
    module = InverseKinematics.of(skeleton.body(body))
    poses = route(module)
    found = module.solve_batch(poses)
    _print_stops(console, title, poses, found)
    _print_speed(console, module, found, reachable_poses(module, rng, targets))
    stops = [SimpleFrame(f"stop {i}", transform=poses[i]) for i in _STOPS]
    q = np.repeat(skeleton.positions[None], len(poses), axis=0)
    q[:, module.dof_indices] = found.positions
    way = skeleton.tree.transform(q, body)[:, :3, 3]
    return draw_scenes(console, picture, [Scene(_arms(skeleton, q), stops, [way])], size)


def _arms(skeleton: Skeleton, q: FloatArray) -> list[Skeleton]:
    """The robot at the first, the middle and the last of positions (k, num_dofs) [rad, m]."""
    arms = []
    for i in np.linspace(0, len(q) - 1, _DRAWN).astype(int):
        arm = skeleton.clone(f"{skeleton.name} at pose {i}")
        arm.positions = q[i]
        arms.append(arm)
    return arms


def _print_stops(console: Console, title: str, poses: FloatArray, found: IKResults) -> None:
    numbers = ("x [m]", "y [m]", "z [m]", "iterations")
    rows = (
        (
            str(i + 1),
            *map(decimals, poses[stop, :3, 3].tolist()),
            str(found.iterations[stop]),
            _left(found[stop]),
        )
        for i, stop in enumerate(_STOPS)
    )
    print_table(console, title, ("stop", *numbers, "left"), rows, numbers=numbers)


def _left(result: IKResult) -> str:
    left = distance_left(result.linear_error, result.angular_error)
    return left if result.success else f"{left}: not reached"


def _print_speed(console: Console, module: InverseKinematics, way: IKResults, poses: FloatArray) -> None:
    calls = sorted(_seconds(module, poses[:_CALLS]))
    batch = poses[: max(len(calls), round(_LONGEST * len(calls) / sum(calls)))]
    start = time.perf_counter()
    found = module.solve_batch(batch)
    seconds = time.perf_counter() - start
    usual, slow = calls[len(calls) // 2] * 1e6, calls[len(calls) * 95 // 100] * 1e6
    pairs = [
        ("the whole way", f"{way.success.sum()} of {len(way)} poses reached"),
        ("one call", f"{usual:.1f} us, median of {len(calls)} random targets; 95% within {slow:.1f} us"),
        (
            "a batch",
            f"{found.success.sum()} of {len(found)} random targets reached in {seconds * 1e3:.1f} ms",
        ),
        ("targets per second", f"{len(found) / seconds:,.0f} on {num_threads()} threads"),
    ]
    print_pairs(console, pairs)


def _seconds(module: InverseKinematics, poses: FloatArray) -> Iterator[float]:
    """How long each call takes for targets at poses (k, 4, 4) [s]."""
    for pose in poses:
        module.target.set_transform(pose)
        start = time.perf_counter()
        module.solve()
        yield time.perf_counter() - start
