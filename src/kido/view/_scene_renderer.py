"""One picture after the other of a scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.view._camera import Camera
from kido.view._canvas import Canvas
from kido.view._crop import crop_around, smallest_pixel
from kido.view._floor import Floor
from kido.view._ground_planes import ground_planes
from kido.view._look import Look
from kido.view._scene import DrawnItem

__all__ = ["SceneRenderer"]

_DETAIL = 1.0
"""Size of details that need not be kept where surfaces are drawn many times, in pixels."""


class SceneRenderer:
    """Renders a scene from one place, in one look; is closed by `with`.

    Planes at the height of the floor are not drawn: it stands for them.
    """

    def __init__(
        self,
        look: Look,
        items: Sequence[DrawnItem],
        poses: FloatArray,
        points: FloatArray,
        reach: FloatArray,
        *,
        fine: int,
        shadow_pixels: int,
        all_items: Sequence[DrawnItem] | None = None,
    ) -> None:
        """Set up for items at poses (n, 4, 4) [m], of which points (k, 3) [m] have to be seen.

        Args:
            look: of the pictures.
            items, poses: of the first one.
            points: that all pictures have to show [m].
            reach: points (k, 3) over which everything reaches that is drawn in all of them [m].
            fine: pixels drawn along each side of one of the picture.
            shadow_pixels: along the edges of the floor.
            all_items: of all pictures, of which there are many then; None: those of the first.

        Raises as `Canvas`.
        """
        planes, level = ground_planes(items, poses, look.ground)
        self._planes = planes
        self._camera: Camera = look.camera_for(points)
        drawn = [item for item in all_items or items if item.key not in planes]
        crop = crop_around(drawn, reach, self._camera, look.size)
        floor = None
        if look.ground is not False:
            lowest = min(0.0, float(points[:, 2].min())) if look.ground is True else float(look.ground)
            floor = Floor(points, lowest if level is None else level, look.background)
        many = all_items is not None
        self._canvas = Canvas(
            crop,
            look.background,
            floor,
            fine=fine,
            shadow_pixels=shadow_pixels,
            many=many,
            cell=_DETAIL * smallest_pixel(reach, self._camera, look.size) if many else 0.0,
        )

    def __enter__(self) -> SceneRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._canvas.close()

    def draw(self, items: Sequence[DrawnItem], poses: FloatArray) -> Callable[[], NDArray[np.uint8]]:
        """Draw items at poses (n, 4, 4) [m]. What is returned puts the picture (height, width, 3) together,
        in any thread."""
        if self._planes:
            kept = [i for i, item in enumerate(items) if item.key not in self._planes]
            items, poses = [items[i] for i in kept], poses[kept]
        return self._canvas.draw(items, poses, self._camera)
