"""Pictures of the tour's scenes."""

from __future__ import annotations

from pathlib import Path

from kido.tour._scene import TourScene
from kido.tour._stage import Stage
from kido.typing import PathLike
from kido.view import Orbit, render

__all__ = ["draw_scene"]

_PIECE = 0.03
"""Simulated time between two looks at what leaves trails [s]."""


def draw_scene(scene: TourScene, path: PathLike, *, size: tuple[int, int] = (1200, 900)) -> Path:
    """Draw a scene as its visitors find it after a while, without a display.

    Args:
        scene: of the tour.
        path: PNG file to write.
        size: width and height [pixel].

    Returns:
        The file.

    Raises as `kido.render`.
    """
    stage = scene.make()
    stage.pose()
    _play(stage)
    lines = [*stage.drawn, *(() if stage.trails is None else stage.trails.lines)]
    camera = Orbit(stage.camera.azimuth, stage.camera.elevation)
    render(stage.what, path, size=size, camera=camera, show=stage.layers, trajectories=lines)
    return Path(path)


def _play(stage: Stage) -> None:
    """Simulate a stage's world for as long as its picture wants."""
    world = stage.world
    if world is None:
        return
    piece = max(1, round(_PIECE / world.time_step))
    for left in range(round(stage.picture_time / world.time_step), 0, -piece):
        world.step(min(piece, left))
        if stage.trails is not None:
            stage.trails.see()
