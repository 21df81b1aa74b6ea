"""A box on a stand, where hands take it, and the way that it goes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from examples.demo.humanoid import SIDES
from examples.demo.stance import pose
from kido.description import Material
from kido.frame import SimpleFrame
from kido.shape import Box, Cylinder
from kido.skeleton import BodyNode, FreeJoint, Skeleton, WeldJoint
from kido.typing import FloatArray

__all__ = ["STAGES", "STEPS", "box_poses", "make_box", "make_grips", "make_stand"]

STAGES = {"reach": (0.0, 0.36, 0.76), "lift": (0.0, 0.34, 0.90), "turn": (0.8, 0.34, 0.90)}
"""Where the box is in the end: angle about the vertical [rad], distance from it and height [m]."""
STEPS = 50
"""Number of poses of a stage."""

_BOX = Box((0.18, 0.24, 0.14))
_GRIP = -0.03
"""How far the middle of a palm is in front of that of the box [m]: so wrists stay behind it."""
_PLATE, _POLE = 0.02, 0.015
"""Thickness of the stand's plate and radius of its pole [m]."""
_CARDBOARD = Material("cardboard", (0.85, 0.6, 0.35, 1.0))
_WOOD = Material("wood", (0.45, 0.42, 0.4, 1.0))


def make_box() -> Skeleton:
    """The box, on the stand."""
    box = Skeleton("box")
    box.add_body("box", joint=FreeJoint("free")).add_shape_node(_BOX, name="box", material=_CARDBOARD)
    box.positions = FreeJoint.positions_of(next(box_poses("reach")))
    return box


def make_stand() -> Skeleton:
    """A plate below the box, on a pole."""
    _, distance, height = STAGES["reach"]
    top = height - 0.5 * _BOX.size[2]
    place = WeldJoint("place", T_parent_joint=(distance, 0.0, 0.0))
    stand = Skeleton("stand")
    body = stand.add_body("stand", joint=place)
    plate, pole = Box((*_BOX.size[:2], _PLATE)), Cylinder(_POLE, top - _PLATE)
    body.add_shape_node(plate, (0.0, 0.0, top - 0.5 * _PLATE), name="plate", material=_WOOD)
    body.add_shape_node(pole, (0.0, 0.0, 0.5 * pole.length), name="pole", material=_WOOD)
    return stand


def make_grips(box: BodyNode) -> list[SimpleFrame]:
    """Frames on the box where the palms are to be, left before right, x forward and y to the left."""
    half = 0.5 * _BOX.size[1]
    return [SimpleFrame(f"{side}_grip", box, pose(0.0, (_GRIP, sign * half, 0.0))) for side, sign in SIDES]


def box_poses(stage: str) -> Iterator[FloatArray]:
    """Poses (4, 4) of the box in a stage [m]: from where the one before has left it, in equal steps."""
    names = list(STAGES)
    begin, end = (STAGES[names[max(i, 0)]] for i in (names.index(stage) - 1, names.index(stage)))
    for yaw, distance, height in np.linspace(begin, end, STEPS + 1)[1:]:
        yield pose(yaw, (distance * np.cos(yaw), distance * np.sin(yaw), height))
