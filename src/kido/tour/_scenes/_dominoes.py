"""Dominoes in a spiral."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.shape import Surface
from kido.skeleton import Skeleton
from kido.tour._parts import painted, rainbow
from kido.tour._stage import Stage
from kido.typing import FloatArray
from kido.view import Orbit
from kido.world import World

__all__ = ["dominoes"]

_COUNT, _SIZE = 90, (0.03, 0.12, 0.24)
_APART = 0.115
"""From one to the next [m]."""
_INNER, _OUTER = 0.35, 1.35
_PUSH = 1.2
"""Angular velocity of the first one [rad/s]."""


def dominoes() -> Stage:
    """Ninety dominoes along a spiral; those that nothing moves any more sleep."""
    pieces = [_domino(i, angle) for i, angle in enumerate(_angles())]
    world = World([gallery.ground(), *pieces], time_step=2e-3)

    world.sleeping = True
    pieces[0].velocities = [0.0, _PUSH, 0.0, _PUSH * 0.5 * _SIZE[2], 0.0, 0.0]
    return Stage(what=world, camera=Orbit(30.0, 36.0, 1.15), picture_time=3.1)


def _angles() -> FloatArray:
    """Places along a spiral of Archimedes, equally far apart, from the outside in [rad]."""
    turns = np.linspace(0.0, 5.2 * np.pi, 4000)
    radius = _radius(turns)
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(radius), radius[1:] * np.diff(turns)))])
    return np.asarray(np.interp(_APART * np.arange(_COUNT), length, turns))


def _radius(turn: FloatArray) -> FloatArray:
    return np.asarray(_OUTER - (_OUTER - _INNER) * turn / (5.2 * np.pi))


def _domino(index: int, turn: float) -> Skeleton:
    surface = Surface(friction=0.35, restitution=0.05)
    made = painted(
        gallery.box(_SIZE, 0.4, name=f"domino {index + 1}", surface=surface), rainbow(index / _COUNT)
    )
    radius = float(_radius(np.array(turn)))
    place = radius * np.cos(turn), radius * np.sin(turn), 0.5 * _SIZE[2]
    made.positions = [0.0, 0.0, _wrapped(turn + 0.5 * np.pi), *place]
    return made


def _wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)
