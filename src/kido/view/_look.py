"""Arguments of pictures and films, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kido.typing import ArrayLike, FloatArray
from kido.view._arguments import checked_color, checked_height, checked_size
from kido.view._camera import Camera, CameraLike, make_camera
from kido.view._scene import DEFAULT_LAYERS, Layer, checked_layers

__all__ = ["Look", "checked_look", "shown_layers"]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Size (width, height) [pixel] of pictures, camera, color (3,) of the background, and the floor: whether
    there is one, or its height [m]."""

    size: tuple[int, int]
    camera: CameraLike
    background: FloatArray
    ground: bool | float

    def camera_for(self, points: FloatArray) -> Camera:
        """The camera, from which named views show all points (k, 3) [m]."""
        return make_camera(self.camera, points, self.size[0] / self.size[1])


def checked_look(
    size: tuple[int, int], camera: CameraLike, background: str | ArrayLike, ground: bool | float
) -> Look:
    """Raises TypeError or ValueError, naming the argument; MissingDependencyError."""
    make_camera(camera, np.eye(3), 1.0)
    return Look(checked_size(size), camera, checked_color(background), checked_height(ground))


def shown_layers(show: Iterable[Layer | str], *, collision: bool, sticks: bool | None) -> tuple[Layer, ...]:
    """The layers of a picture. Raises TypeError or ValueError."""
    layers: set[Layer] = {*DEFAULT_LAYERS, *checked_layers("show", show)}
    if collision:
        layers = (layers - {Layer.VISUAL}) | {Layer.COLLISION}
    if sticks:
        layers.add(Layer.STICKS)
    return tuple(layer for layer in Layer if layer in layers)
