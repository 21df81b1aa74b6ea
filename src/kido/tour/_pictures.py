"""Pictures of the tour's scenes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kido.tour._scene import TourScene
from kido.tour._stage import Stage
from kido.typing import PathLike
from kido.view import Orbit, render

__all__ = ["draw_scene"]

_PIECE = 0.03
"""Simulated time between two looks at what leaves trails [s]."""


def draw_scene(
    scene: TourScene, path: PathLike | None = None, *, size: tuple[int, int] = (1200, 900)
) -> NDArray[np.uint8]:
    """Draw a scene as its visitors find it after a while, without a display.

    Args:
        scene: of the tour.
        path: PNG file to write; None: no file.
        size: (width, height) [pixel].

    Returns:
        The picture (height, width, 3), rows from the top.

    Raises as `kido.render`.
    """
    stage = scene.make()
    stage.pose()
    _play(stage)
    lines = [*stage.drawn, *(() if stage.trails is None else stage.trails.lines)]
    camera = stage.picture_camera or Orbit(stage.camera.azimuth, stage.camera.elevation)
    return render(stage.what, path, size=size, camera=camera, show=stage.layers, trajectories=lines)


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
