"""Items that a picture or a viewer draws."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_color
from kido.values import Checked, Value, checked, checked_member, flag, part, register, text, value
from kido.view._scene._geometry import (
    Arrows,
    Geometry,
    Label,
    Lines,
    Points,
    Polyline,
    TriangleSurface,
)

__all__ = ["DEFAULT_LAYERS", "DrawnItem", "Layer", "checked_layers"]


@register
class Layer(str, Enum):
    """Kinds of what is drawn, each of which can be shown or not.

    Attributes:
        VISUAL: shapes for looks; sticks where a skeleton has none.
        COLLISION: shapes for contact.
        INERTIA: boxes of uniform density that have the bodies' mass and inertia.
        STICKS: sticks from joint to joint, drums along axes of rotation, bars along axes of translation,
            balls at centers of mass.
        FRAMES: axes of frames, x red, y green, z blue.
        NODES: nodes whose type has a `NodeVisual`.
        CONTACTS: points of contact, with their normals.
        FORCES: forces of contacts.
        CENTER_OF_MASS: of each skeleton, and where it is above the ground.
        SUPPORT: polygons that skeletons stand on.
        TRAJECTORIES: lines, each with a ball at its end.
        LABELS: names of the bodies.
        GRID: lines on the ground.
    """

    VISUAL = "visual"
    COLLISION = "collision"
    INERTIA = "inertia"
    STICKS = "sticks"
    FRAMES = "frames"
    NODES = "nodes"
    CONTACTS = "contacts"
    FORCES = "forces"
    CENTER_OF_MASS = "center_of_mass"
    SUPPORT = "support"
    TRAJECTORIES = "trajectories"
    LABELS = "labels"
    GRID = "grid"


DEFAULT_LAYERS = (Layer.VISUAL, Layer.FRAMES, Layer.NODES, Layer.TRAJECTORIES)
"""What is shown unless something else is asked for; frames and trajectories are those that were given."""


def checked_layers(name: str, layers: Iterable[Layer | str]) -> tuple[Layer, ...]:
    """Layers in the order of `Layer`, each once. Raises TypeError or ValueError."""
    if isinstance(layers, str):
        layers = (layers,)
    try:
        given = tuple(layers)
    except TypeError:
        raise TypeError(f"{name}: expected layers, got {type(layers).__name__}") from None
    chosen = {checked_member(name, Layer, layer) for layer in given}
    return tuple(layer for layer in Layer if layer in chosen)


_SMALL = 64
"""Points of surfaces that are compared by their numbers."""


def _color(name: str, rgba: ArrayLike | None) -> FloatArray | None:
    return None if rgba is None else frozen_color(name, rgba)


@value
class DrawnItem(Value):
    """Something that is drawn at a pose that its scene gives.

    Attributes:
        key: path of names, "robot/hand/visual/palm"; the same from frame to frame.
        layer: what kind of thing it is.
        geometry: in its own frame; items with equal meshes share one object.
        rgba: color (4,) in [0, 1], the last number its opacity; None: the colors of the geometry.
        is_bounded: whether a picture shows it whole and counts it for its size: not planes and grids.
        has_shadow: whether it throws one.
        is_note: whether it is a note, of which what shapes hide shines through.
        is_soft: whether the points of its surface move, while its triangles stay.
    """

    key: str = text()
    layer: Layer = checked(lambda name, layer: checked_member(name, Layer, layer))
    geometry: Geometry = part((TriangleSurface, Polyline, Lines, Points, Arrows, Label))
    rgba: Checked[ArrayLike | None, FloatArray | None] = checked(_color, default=None)
    is_bounded: bool = flag(default=True, kw_only=True)
    has_shadow: bool = flag(default=True, kw_only=True)
    is_note: bool = flag(default=False, kw_only=True)
    is_soft: bool = flag(default=False, kw_only=True)

    def looks_like(self, other: DrawnItem) -> bool:
        """Whether both are drawn alike, with one geometry, at whatever pose."""
        if self is other:
            return True
        return _same_geometry(self.geometry, other.geometry) and self._has_look_of(other)

    def deforms(self, other: DrawnItem) -> bool:
        """Whether it differs from another one by no more than where the points of its surface are."""
        return (
            isinstance(self.geometry, TriangleSurface)
            and isinstance(other.geometry, TriangleSurface)
            and self.geometry.triangles is other.geometry.triangles
            and self.geometry.colors is other.geometry.colors
            and self._has_look_of(other)
        )

    def _has_look_of(self, other: DrawnItem) -> bool:
        """Whether layer, flags and color are those of another one."""
        flags = (self.layer, self.is_bounded, self.has_shadow, self.is_note, self.is_soft)
        others = (other.layer, other.is_bounded, other.has_shadow, other.is_note, other.is_soft)
        return flags == others and same_color(self.rgba, other.rgba)


def _same_geometry(first: Geometry, second: Geometry) -> bool:
    """Surfaces of one mesh are one object; of what is small the numbers are compared."""
    if first is second:
        return True
    if isinstance(first, TriangleSurface) and len(first.points) > _SMALL:
        return False
    return first == second


def same_color(first: FloatArray | None, second: FloatArray | None) -> bool:
    """Whether two colors (4,), dimensionless, or their absence, are the same."""
    if first is None or second is None:
        return first is second
    return first is second or np.array_equal(first, second)
