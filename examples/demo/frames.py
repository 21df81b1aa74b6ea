"""Questions to the frames of a moving robot."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console

from kido.cli import decimals, print_table
from kido.skeleton import BodyNode, Skeleton
from kido.typing import FloatArray

__all__ = ["print_frame_questions", "seat_of"]

_REPEATS = 2000


def print_frame_questions(console: Console, robot: Skeleton, body: str, rng: np.random.Generator) -> None:
    """Set the robot in motion, and print how a body moves relative to the world and to another body."""
    hand = robot.body(body)
    seat = seat_of(hand)
    for numbers in ("velocities", "accelerations"):
        setattr(robot, numbers, rng.uniform(-1.0, 1.0, robot.num_dofs))
    questions: list[tuple[str, str, Callable[[], FloatArray]]] = [
        ("position", "m", lambda: hand.transform()[:3, 3]),
        ("velocity", "m/s", hand.linear_velocity),
        ("acceleration", "m/s^2", hand.linear_acceleration),
        ("its velocity seen from", "m/s", lambda: hand.linear_velocity(relative_to=seat)),
        ("its acceleration seen from", "m/s^2", lambda: hand.linear_acceleration(relative_to=seat)),
        (
            "the same in axes of",
            "m/s^2",
            lambda: hand.linear_acceleration(relative_to=seat, in_coordinates_of=seat),
        ),
    ]
    rows = []
    for what, unit, ask in questions:
        about = f"{what} {seat.name}" if what.endswith(("from", "of")) else what
        rows.append((f"{about} [{unit}]", *map(decimals, ask().tolist()), f"{_microseconds(ask):.2f}"))
    header = ("question", "x", "y", "z", "asked again [us]")
    title = f"How {hand.name} of {robot.name} moves, every joint at a random speed"
    print_table(console, title, header, rows, numbers=header[1:])


def seat_of(body: BodyNode) -> BodyNode:
    """The body half-way between the root and a body."""
    line = list(body.ancestors())
    return line[len(line) // 2]


def _microseconds(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(_REPEATS):
        ask()
    return (time.perf_counter() - start) / _REPEATS * 1e6
