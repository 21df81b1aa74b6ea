"""A picture of skeletons, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from kido.frame import Frame
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, PathLike
from kido.view import _arguments as arguments
from kido.view._annotation import frame_axes, trajectory_line
from kido.view._bounds import extent, seen_points
from kido.view._camera import CameraLike, make_camera
from kido.view._color import LINE_COLORS
from kido.view._draw import Picture, draw, draw_shadow
from kido.view._ground import Ground, make_ground
from kido.view._png import write_png
from kido.view._shape_surface import shape_surfaces
from kido.view._stick_figure import stick_figure
from kido.view._surface import Surface

__all__ = ["render"]

_AXES_LENGTH, _LINE_RADIUS = 0.09, 0.004
"""Of the size of what is drawn."""
_BEHIND_STICKS = 0.25
"""Opacity of shapes that sticks are seen through."""


def render(
    what: Skeleton | Iterable[Skeleton],
    path: PathLike | None = None,
    *,
    size: tuple[int, int] = (1200, 900),
    camera: CameraLike = None,
    frames: bool | Iterable[Frame] = (),
    trajectories: Iterable[ArrayLike] = (),
    collision: bool = False,
    sticks: bool | None = None,
    background: str | ArrayLike = "white",
    ground: bool | float = True,
) -> NDArray[np.uint8]:
    """Draw skeletons as they stand now. Needs no display and no graphics card.

    Args:
        what: a skeleton or several.
        path: PNG file to write; None: none.
        size: (width, height) [pixel].
        camera: "iso", "front" (seen from +x), "side" (from -y) or "top", from where everything is well in
            view; or position (3,) [m], target (3,) [m] and up (3,), with 30 deg from lower to upper edge.
            None: "iso".
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
        ModelWarning: meshes that are not found or cannot be read; they are left out.
    """
    skeletons = arguments.checked_skeletons(what)
    target = arguments.checked_path(path)
    pixels = arguments.checked_size(size)
    color = arguments.checked_color(background)
    floor_height = arguments.checked_height(ground)
    lines = arguments.checked_lines(trajectories)
    axes = arguments.checked_frames(frames, skeletons)
    bodies = [part for skeleton in skeletons for part in _surfaces(skeleton, collision, sticks)]
    notes = _notes(axes, lines, bodies)
    points = seen_points([*bodies, *notes])
    view = make_camera(camera, points, pixels[0] / pixels[1])
    floor = _floor(floor_height, bodies, points, color)
    image = draw(Picture(bodies, notes, floor, view, color, pixels))
    if target is not None:
        write_png(image, target)
    return image


def _surfaces(skeleton: Skeleton, collision: bool, sticks: bool | None) -> list[Surface]:
    shapes = shape_surfaces(skeleton, collision=collision)
    if sticks is False or (shapes and not sticks):
        return shapes
    return [*(shape.faded(_BEHIND_STICKS) for shape in shapes), *stick_figure(skeleton)]


def _notes(
    frames: Iterable[Frame], lines: Sequence[FloatArray], surfaces: Iterable[Surface]
) -> list[Surface]:
    """Axes and lines (k, 3) [m], as thick as suits the size of it all."""
    poses = [frame.transform() for frame in frames]
    places = [pose[None, :3, 3] for pose in poses]
    scale = extent(seen_points(surfaces, [*lines, *places]))
    notes = [part for pose in poses for part in frame_axes(pose, _AXES_LENGTH * scale)]
    for i, line in enumerate(lines):
        notes += trajectory_line(line, _LINE_RADIUS * scale, LINE_COLORS[i % len(LINE_COLORS)])
    return notes


def _floor(
    ground: bool | float, surfaces: Sequence[Surface], points: FloatArray, background: FloatArray
) -> Ground | None:
    if ground is False:
        return None
    height = min(0.0, float(points[:, 2].min())) if ground is True else ground
    standing = [part for part in surfaces if part.bounded]
    return make_ground(standing, points, height, background, draw_shadow)
