"""A pyramid of boxes, and balls to throw at it."""

from __future__ import annotations

from kido import gallery
from kido.shape import Surface
from kido.skeleton import Skeleton
from kido.tour._parts import DARK, painted, placed, rainbow, thrown
from kido.tour._stage import Stage
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["stacked_boxes"]

_ROWS, _EDGE, _GAP = 7, 0.25, 0.02
_START, _VELOCITY = (3.2, 0.15, 0.55), (-9.0, -0.3, 1.2)
"""Where a ball is thrown from [m], and how fast [m/s]."""


def stacked_boxes() -> Stage:
    """A pyramid of 28 boxes under friction."""
    boxes = [_box(row, column) for row in range(_ROWS) for column in range(_ROWS - row)]
    ball = painted(gallery.ball(0.14, 6.0, surface=Surface(friction=0.5)), DARK)
    placed(ball, (2.2, 1.1, 0.14))
    world = World([gallery.ground(), *boxes, ball], time_step=2e-3)

    def throw(speed: float = 1.0) -> None:
        thrown(ball, _START, [speed * part for part in _VELOCITY])

    def panel(viewer: Viewer) -> None:
        speed = viewer.add_slider("speed of the ball [m/s]", 3.0, 20.0, value=9.0, step=0.5)

        def click() -> None:
            throw(speed.value / 9.0)
            viewer.play()

        viewer.add_button("Throw the ball", click)

    return Stage(what=world, camera=Orbit(48.0, 14.0, 1.0), panel=panel, pose=throw, picture_time=0.62)


def _box(row: int, column: int) -> Skeleton:
    y = (column - 0.5 * (_ROWS - 1 - row)) * (_EDGE + _GAP)
    made = gallery.box((_EDGE,) * 3, 2.0, name=f"box {row} {column}", surface=Surface(friction=0.7))
    painted(made, rainbow(row / (_ROWS - 1)))
    return placed(made, (0.0, y, (row + 0.5) * _EDGE))
