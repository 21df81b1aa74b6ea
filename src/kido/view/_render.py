"""A picture, in one call."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kido.frame import Frame
from kido.typing import ArrayLike, PathLike
from kido.view._arguments import checked_file
from kido.view._camera import CameraLike
from kido.view._look import checked_look, shown_layers
from kido.view._png import write_png
from kido.view._scene import Layer, SceneGraph, SceneLike

__all__ = ["render"]

_FINE, _SHADOW = 3, 512
"""Pixels drawn along each side of a pixel of the picture, and along the edges of the floor."""


def render(
    what: SceneLike,
    path: PathLike | None = None,
    *,
    size: tuple[int, int] = (1200, 900),
    camera: CameraLike = None,
    show: Iterable[Layer | str] = (),
    frames: bool | Iterable[Frame] = (),
    trajectories: Iterable[ArrayLike] = (),
    collision: bool = False,
    sticks: bool | None = None,
    background: str | ArrayLike = "white",
    ground: bool | float = True,
) -> NDArray[np.uint8]:
    """Draw skeletons and worlds as they stand now. Needs no display and no graphics card.

    Args:
        what: a skeleton, a world, or several of them.
        path: PNG file to write; None: none.
        size: (width, height) [pixel].
        camera: "iso", "front" (seen from +x), "back", "left" (from +y), "right", "side" (the same) or "top",
            from where everything is well in view; an `Orbit`; or position (3,) [m], target (3,) [m] and up
            (3,), with 30 deg from lower to upper edge. None: "iso".
        show: layers that are shown too, as "contacts", "forces", "center_of_mass", "support", "inertia",
            "collision", "labels"; see `Layer`.
        frames: frames whose axes are drawn, x red, y green, z blue; True: all bodies.
        trajectories: lines of points (k, 3) [m], each with a ball at its end. Shapes hide neither wholly.
        collision: draw the shapes for contact, not those for looks.
        sticks: draw sticks from joint to joint, drums along axes of rotation, bars along axes of translation
            and balls at centers of mass, inside transparent shapes. None: where there is no shape to draw.
        background: name or "#rrggbb", or (3,) in [0, 1].
        ground: a floor, at z = 0 or below what is drawn; a number is its height [m].

    Returns:
        The picture (height, width, 3), rows from the top.

    Raises:
        MissingDependencyError: the extra `render` is not installed.
        RenderError: this machine has no OpenGL.
        TypeError, ValueError: naming the argument.
        FileNotFoundError: there is no such folder.

    Warns:
        ModelWarning: meshes that are not found or cannot be read; boxes stand in their place.
    """
    target = checked_file(path, (".png",))
    look = checked_look(size, camera, background, ground)
    layers = shown_layers(show, collision=collision, sticks=sticks)
    scene = SceneGraph(
        what, layers, frames=frames, trajectories=trajectories, sticks_without_shapes=sticks is not False
    )
    shown = scene.update()
    points = scene.seen_points()
    eye = look.camera_for(points)
    with look.canvas_for(shown.items, points, eye, fine=_FINE, shadow_pixels=_SHADOW) as canvas:
        image = canvas.draw(shown.items, shown.poses, eye)
    if target is not None:
        write_png(image, target)
    return image
