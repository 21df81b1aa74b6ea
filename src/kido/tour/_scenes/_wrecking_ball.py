"""A ball on a chain, and a wall of bricks."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.description import shape_inertia
from kido.shape import Box, Capsule, Sphere, Surface
from kido.skeleton import BallJoint, ShapeNode, Skeleton, WeldJoint
from kido.tour._parts import BRASS, BRICK, DARK, STEEL, between, fixed, material, painted, placed
from kido.tour._stage import Stage
from kido.view import Orbit
from kido.world import World

__all__ = ["wrecking_ball"]

_LINKS, _LINK = 12, 0.16
_RADIUS, _MASS = 0.24, 60.0
_TOP = 2.65
_AWAY = 1.25
"""Angle of the chain at the beginning [rad]."""
_BRICK = (0.18, 0.40, 0.18)
_ROWS, _COLUMNS = 8, 5
_LIGHT_BRICK = material("light brick", 0.80, 0.47, 0.36)


def wrecking_ball() -> Stage:
    """A chain of twelve ball joints carries sixty kilograms into a wall that nothing but friction holds."""
    chain = _chain()
    bricks = [_brick(row, column) for row in range(_ROWS) for column in range(_columns(row))]
    mast = _mast()
    world = World([gallery.ground(), *mast, *bricks, chain], time_step=1e-3)
    for part in mast:
        world.collision_filter.ignore(part, chain)
    return Stage(what=world, camera=Orbit(40.0, 13.0, 1.1), picture_time=1.12)


def _columns(row: int) -> int:
    return _COLUMNS - row % 2


def _brick(row: int, column: int) -> Skeleton:
    made = gallery.box(_BRICK, 8.0, name=f"brick {row} {column}", surface=Surface(friction=0.6))
    painted(made, (BRICK, _LIGHT_BRICK)[(row + column) % 2])
    y = (column - 0.5 * (_columns(row) - 1)) * (_BRICK[1] + 0.002)
    return placed(made, (-0.36, y, (row + 0.5) * _BRICK[2]))


def _mast() -> list[Skeleton]:
    arm = between((0.0, -2.2, _TOP), (0.0, 0.0, _TOP))
    return [
        fixed("mast", Capsule(0.06, _TOP), (0.0, -2.2, 0.5 * _TOP), BRASS),
        fixed("boom", Capsule(0.05, 2.2), color=BRASS, transform=arm),
        fixed("foot", Box((0.9, 0.9, 0.08)), (0.0, -2.2, 0.04), DARK),
    ]


def _chain() -> Skeleton:
    made = Skeleton("chain")
    parent = None
    rod = Capsule(0.02, _LINK - 0.02)
    middle = np.eye(4)
    middle[2, 3] = -0.5 * _LINK
    for i in range(_LINKS):
        joint = BallJoint(f"joint {i}", T_parent_joint=(0.0, 0.0, _TOP if parent is None else -_LINK))
        joint.damping = 0.02
        parent = made.add_body(f"link {i}", parent, joint, inertia=shape_inertia(rod, 1.5, middle))
        ShapeNode(parent, f"rod {i}", rod, middle, material=(STEEL, DARK)[i % 2], collision=False)
    hook = WeldJoint("hook", T_parent_joint=(0.0, 0.0, -_LINK - 0.8 * _RADIUS))
    ball = made.add_body("ball", parent, hook, inertia=shape_inertia(Sphere(_RADIUS), _MASS))
    ShapeNode(ball, "ball", Sphere(_RADIUS), material=DARK, surface=Surface(friction=0.4))
    made.positions = [0.0, -_AWAY, 0.0, *np.zeros(3 * _LINKS - 3)]
    return made
