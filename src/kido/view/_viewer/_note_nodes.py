"""Lines, points, arrows and labels in browsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kido.typing import FloatArray
from kido.view._color import GREY
from kido.view._scene import Arrows, DrawnItem, Label, Lines, Points, Polyline

if TYPE_CHECKING:
    from viser import SceneApi

__all__ = ["NoteNode"]

_HEAD = 0.1
"""Radius of the thickest shaft, by the length of the shortest arrow."""
_HEADS = (1.0, 0.5, 0.25)
"""Sizes of the heads of arrows, by that which suits long ones."""
_LABEL_PIXELS = 16.0
"""Height of a label of scale 1."""


class NoteNode:
    """One item that is no surface. Its numbers are sent when they change, and its pose when it moves."""

    __slots__ = ("_handle", "_name", "_scene", "item")

    def __init__(self, scene: SceneApi, name: str, item: DrawnItem) -> None:
        """Show an item at the origin."""
        self._scene, self._name, self.item = scene, name, item
        self._handle: Any = self._made(item)

    def change(self, item: DrawnItem) -> None:
        """Show another item of the same key and kind, where this one was."""
        before, self.item = self.item, item
        points = _points(item)
        if points is not None and _styles(before) == _styles(item):
            self._handle.points = points
            return
        place = self._handle.position.copy(), self._handle.wxyz.copy()
        self._handle = self._made(item)  # of the same name: takes the place of the old one
        self._handle.position, self._handle.wxyz = place

    def place(self, position: FloatArray, quaternion: FloatArray) -> None:
        """Move to a position (3,) [m] and a quaternion (4,), w first."""
        self._handle.position = position
        if not isinstance(self.item.geometry, Label):
            self._handle.wxyz = quaternion

    def remove(self) -> None:
        """Take it away."""
        self._handle.remove()

    def _made(self, item: DrawnItem) -> Any:
        scene, name = self._scene, self._name
        points, (color, radius, head) = _points(item), _styles(item)
        match item.geometry:
            case Polyline() | Lines():
                return scene.add_line_segments(name, points, color, thickness=2.0 * radius)
            case Points():
                return scene.add_point_cloud(
                    name, points, color, point_size=radius, point_shape="circle", precision="float32"
                )
            case Arrows():
                return scene.add_arrows(
                    name,
                    points,
                    color,
                    shaft_radius=radius * head,
                    head_radius=2.4 * radius * head,
                    head_length=6.0 * radius * head,
                )
            case Label(text=text, height=height):
                return scene.add_label(name, text, font_screen_scale=height / _LABEL_PIXELS)
        raise TypeError(f"item {item.key!r}: expected lines, points, arrows or a label")


def _points(item: DrawnItem) -> FloatArray | None:
    """Numbers of lines and arrows (k, 2, 3) or of points (k, 3) [m]; None for a label."""
    match item.geometry:
        case Polyline(points=points):
            return np.stack([points[:-1], points[1:]], axis=1)
        case Lines(segments=segments):
            return segments
        case Points(points=points):
            return points
        case Arrows(starts=starts, vectors=vectors):
            return np.stack([starts, starts + vectors], axis=1)
    return None


def _styles(item: DrawnItem) -> tuple[tuple[int, ...], float, float]:
    """Color (3,) from 0 to 255, radius [m], and size of the heads of arrows, in rough steps [-]."""
    rgba = GREY if item.rgba is None else item.rgba
    color = tuple(round(255.0 * part) for part in rgba[:3].tolist())
    geometry = item.geometry
    if isinstance(geometry, (Polyline, Lines, Points)):
        return color, geometry.radius, 1.0
    if isinstance(geometry, Arrows):
        fits = _HEAD * _shortest(geometry.vectors) / geometry.radius
        return color, geometry.radius, next((size for size in _HEADS if size <= fits), _HEADS[-1])
    return color, 0.0, 1.0


def _shortest(vectors: FloatArray) -> float:
    """Length of the shortest of some vectors (k, 3), but for those without any; 1 where there is none."""
    lengths = np.linalg.norm(vectors, axis=1)
    return float(lengths[lengths > 0.0].min(initial=1.0))
