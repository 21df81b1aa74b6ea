"""Structures that stand by friction and shape alone: a house of cards, an arch, a wall."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from _scenes import put

import kido
from kido import Inertia, ShapeNode, Skeleton, Surface, gallery
from kido.shape import Mesh

CARD_SIZE = (0.004, 0.09, 0.14)
"""Thickness, width and length of a card [m]."""
LEAN = 0.4
"""Angle of a card from upright [rad]."""
CARD_SURFACE = Surface(friction=0.7)
STONE_SURFACE = Surface(friction=0.8)


def house_of_cards(levels: int, surface: Surface = CARD_SURFACE) -> list[Skeleton]:
    """Pairs of cards that lean on each other, and cards that lie on these; each weighs 10 g.

    A level has one pair less than the level below.
    """
    thickness, width, length = CARD_SIZE
    across = thickness * np.cos(LEAN) + length * np.sin(LEAN)
    top = thickness * np.sin(LEAN) + length * np.cos(LEAN)
    pitch, ledge = 2.0 * across + 0.004, 0.012
    made: list[Skeleton] = []

    def card(size: tuple[float, float, float], x: float, z: float, turn: float) -> None:
        box = gallery.box(size, 0.01, name=f"card_{len(made)}", surface=surface)
        made.append(put(box, (x, 0.0, z), (0.0, turn, 0.0)))

    for level in range(levels):
        pairs, floor = levels - level, level * (top + thickness)
        middles = [pitch * (i - (pairs - 1) / 2) for i in range(pairs)]
        for middle in middles:
            for side in (-1.0, 1.0):
                card(CARD_SIZE, middle + side * across / 2, floor + top / 2, -side * LEAN)
        for left, right in pairwise(middles):
            low = left - ledge * (left == middles[0])
            high = right + ledge * (right == middles[-1])
            lying = (high - low - 0.001, width, thickness)
            card(lying, (low + high) / 2, floor + top + thickness / 2, 0.0)
    return made


def arch(folder: Path, surface: Surface = STONE_SURFACE) -> list[Skeleton]:
    """Twenty equal wedges without mortar, a half circle of 1 to 1.3 m on z = 0, of 2000 kg/m^3."""
    stones, inner, outer, depth = 20, 1.0, 1.3, 0.3
    half = np.pi / stones / 2
    corners = np.array(
        [
            [r * np.sin(s * half), y, r * np.cos(s * half)]
            for r in (inner, outer)
            for s in (-1, 1)
            for y in (-depth / 2, depth / 2)
        ]
    )
    middle = _wedge_center(inner, outer, half)
    path = folder / "stone.obj"
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    vertices = "".join(f"v {x:.17g} {y:.17g} {z - middle:.17g}\n" for x, y, z in corners)
    path.write_text(vertices + "".join("f " + " ".join(map(str, face)) + "\n" for face in faces))
    mass = 2000.0 * depth * np.sin(half) * np.cos(half) * (outer**2 - inner**2)
    mean = np.sin(half) * (inner + outer)
    sides = np.array([mean, depth, (outer - inner) * np.cos(half)]) ** 2
    moment = mass / 12.0 * np.diag(sides.sum() - sides)
    made = []
    for i in range(stones):
        angle = np.pi * (i + 0.5) / stones - np.pi / 2
        stone = Skeleton(f"stone_{i}")
        body = stone.add_body(
            "stone", joint=kido.FreeJoint("joint"), inertia=Inertia(mass, (0.0, 0.0, 0.0), moment)
        )
        ShapeNode(body, "stone", Mesh(path), surface=surface)
        place = middle * np.array([np.sin(angle), 0.0, np.cos(angle)])
        made.append(put(stone, place, (0.0, angle, 0.0)))
    return made


def _wedge_center(inner: float, outer: float, half: float) -> float:
    """Distance of the centroid of a wedge with plane faces from the arch's middle [m]."""
    return np.cos(half) * 2.0 / 3.0 * (outer**3 - inner**3) / (outer**2 - inner**2)


def wall(rows: int = 10, columns: int = 10) -> list[Skeleton]:
    """Bricks of 0.2 x 0.1 x 0.06 m and 2 kg; every other row is shifted by a quarter of a brick."""
    made = []
    for row in range(rows):
        for column in range(columns):
            name = f"brick_{row}_{column}"
            brick = gallery.box((0.2, 0.1, 0.06), 2.0, name=name, surface=STONE_SURFACE)
            x = 0.2 * column + 0.05 * (row % 2)
            made.append(put(brick, (x, 0.0, 0.03 + 0.06 * row)))
    return made
