"""A pile that falls: boxes, balls, cylinders and capsules."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from rich.console import Console

from examples.demo.scene import Scene, Vector, draw_scenes
from kido import Surface, gallery
from kido.cli import print_heading, print_pairs
from kido.description import Material
from kido.math import so3_log
from kido.shape import Box, Capsule, Cylinder, Shape, Sphere
from kido.skeleton import Skeleton
from kido.world import World

__all__ = ["CARPET", "falling_pile", "show_pile"]

_LAYER, _SPACING = 16, 0.24
"""Bodies of a layer, and distance between them [m]."""
_STEP = 1e-3
_MOMENTS = (0.0, 0.5, 4.0)
"""When it is drawn [s]."""
CARPET = Surface(rolling_friction=0.006)
"""That of the ground, on which what rolls stops."""
_SHAPES: tuple[tuple[Shape, tuple[float, float, float, float]], ...] = (
    (Box((0.12, 0.12, 0.12)), (0.0, 0.45, 0.7, 1.0)),
    (Sphere(0.06), (0.84, 0.37, 0.0, 1.0)),
    (Cylinder(0.05, 0.12), (0.0, 0.62, 0.45, 1.0)),
    (Capsule(0.04, 0.1), (0.8, 0.6, 0.2, 1.0)),
)
_CAMERA: tuple[Vector, Vector, Vector] = ((2.6, -2.4, 2.0), (0.0, 0.0, 0.55), (0.0, 0.0, 1.0))


def falling_pile(count: int, rng: np.random.Generator) -> list[Skeleton]:
    """Bodies in layers over the ground, each turned at random."""
    made = []
    side = round(np.sqrt(_LAYER))
    for index in range(count):
        shape, color = _SHAPES[(index + index // 4 + index // _LAYER) % len(_SHAPES)]
        body = gallery.rigid_body(shape, mass=0.5, name=f"body {index}")
        body.body(0).shape_nodes[0].material = Material("paint", color)
        layer, place = divmod(index, _LAYER)
        column, row = divmod(place, side)
        origin = np.array([column - 0.5 * (side - 1), row - 0.5 * (side - 1), 0.0]) * _SPACING
        origin[:2] += rng.uniform(-0.01, 0.01, 2)
        origin[2] = 0.2 + _SPACING * layer
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        body.positions = [*so3_log(turn * np.sign(np.linalg.det(turn))), *origin]
        made.append(body)
    return made


def show_pile(
    console: Console, picture: Path, rng: np.random.Generator, *, count: int, size: tuple[int, int]
) -> list[Path]:
    """Let a pile fall, and draw it; the picture, or nothing where the machine has no OpenGL."""
    print_heading(console, f"A pile of {count} bodies")
    bodies = falling_pile(count, rng)
    world = World([gallery.ground(surface=CARPET), *bodies], time_step=_STEP)
    scenes, deepest, took = [], 0.0, 0.0
    for moment in _MOMENTS:
        steps = round((moment - world.time) / _STEP)
        for piece in [10] * (steps // 10):
            start = time.perf_counter()
            world.step(piece)
            took += time.perf_counter() - start
            deepest = max([deepest, *(contact.depth for contact in world.contacts)])
        scenes.append(Scene([body.clone() for body in bodies], camera=_CAMERA))
    fastest = max(float(np.linalg.norm(body.com_linear_velocity())) for body in bodies)
    print_pairs(
        console,
        [
            ("fall and rest", f"{world.time:g} s in {took:.2f} s, {world.time / took:.1f} x real time"),
            ("contacts", f"{len(world.contacts)} in the end, {1e3 * deepest:.2g} mm deep at most"),
            ("energy", f"{world.energy:.4g} J in the end, the fastest moves by {fastest:.2g} m/s"),
        ],
    )
    return draw_scenes(console, picture, scenes, size)
