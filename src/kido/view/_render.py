"""A picture or a film, in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.frame import Frame
from kido.typing import ArrayLike, PathLike
from kido.view._arguments import checked_file
from kido.view._camera import CameraLike
from kido.view._film import FILM_SIZE, film
from kido.view._film_file import FILM_SUFFIXES
from kido.view._look import checked_look, shown_layers
from kido.view._png import write_png
from kido.view._scene import Layer, SceneGraph, SceneLike, fitted_forces, reached_points, seen_points
from kido.view._scene_renderer import SceneRenderer

__all__ = ["picture", "render"]

_SIZE = (1200, 900)
"""Of a picture [pixel]."""
_FINE, _SHADOW = 3, 512
"""Pixels drawn along each side of a pixel of the picture, and along the edges of the floor."""


def render(
    what: SceneLike,
    path: PathLike | None = None,
    *,
    size: tuple[int, int] | None = None,
    camera: CameraLike = None,
    show: Iterable[Layer | str] = (),
    frames: bool | Iterable[Frame] = (),
    trajectories: Iterable[ArrayLike] = (),
    collision: bool = False,
    sticks: bool | None = None,
    background: str | ArrayLike = "white",
    ground: bool | float = True,
    duration: float | None = None,
    positions: ArrayLike | None = None,
) -> NDArray[np.uint8]:
    """Draw skeletons and worlds as they stand now, or a film of them, by the name of the file.

    Needs no display and no graphics card.

    Args:
        what: a skeleton, a world, a recording, which is drawn as it ends, or several of them.
        path: file to write, a picture .png, or a film .mp4 or .gif as `film` makes it; None: no file.
        size: (width, height) [pixel]; None: (1200, 900) for a picture, (960, 720) for a film.
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
        ground: a floor, at z = 0, below what is drawn, or in place of a level plane; a number is its height
            [m].
        duration: of a film of a world, a copy of which is simulated, or of a recording [s].
        positions: of a film of a skeleton, one row (k, num_dofs) for each frame [rad, m].

    Returns:
        The picture (height, width, 3), rows from the top; of a film the last one.

    Raises:
        MissingDependencyError: the extra `render` is not installed.
        RenderError: this machine has no OpenGL.
        TypeError, ValueError: naming the argument.
        FileNotFoundError: there is no such folder.
        DivergedError: the numbers of a world were no longer finite; no film is written.

    Warns:
        ModelWarning: meshes that are not found or cannot be read; boxes stand in their place.
    """
    options: dict[str, Any] = {
        "camera": camera,
        "show": show,
        "frames": frames,
        "trajectories": trajectories,
        "collision": collision,
        "sticks": sticks,
        "background": background,
        "ground": ground,
    }
    target = checked_file(path, (".png", *FILM_SUFFIXES))
    if target is not None and target.suffix.lower() in FILM_SUFFIXES:
        options["size"] = FILM_SIZE if size is None else size
        return film(what, target, duration=duration, positions=positions, **options).last_frame
    for name, given in (("duration", duration), ("positions", positions)):
        if given is not None:
            raise ValueError(f"{name}: expected None for a picture; the name of a film ends in .mp4 or .gif")
    image = picture(what, size=_SIZE if size is None else size, **options)
    if target is not None:
        write_png(image, target)
    return image


def picture(
    what: SceneLike,
    *,
    size: tuple[int, int],
    camera: CameraLike = None,
    show: Iterable[Layer | str] = (),
    frames: bool | Iterable[Frame] = (),
    trajectories: Iterable[ArrayLike] = (),
    collision: bool = False,
    sticks: bool | None = None,
    background: str | ArrayLike = "white",
    ground: bool | float = True,
) -> NDArray[np.uint8]:
    """The picture (height, width, 3) of `size` (width, height) [pixel]; as `render`."""
    look = checked_look(size, camera, background, ground)
    layers = shown_layers(show, collision=collision, sticks=sticks)
    scene = SceneGraph(
        what, layers, frames=frames, trajectories=trajectories, sticks_without_shapes=sticks is not False
    )
    change = scene.update()
    shown = fitted_forces(change.items, scene.size), change.poses
    points, reach = seen_points(*shown), reached_points(*shown)
    with SceneRenderer(look, *shown, points, reach, fine=_FINE, shadow_pixels=_SHADOW) as renderer:
        return renderer.draw(*shown)()
