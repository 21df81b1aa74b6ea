"""Properties of the shipped nodes, as values."""

from __future__ import annotations

from enum import Enum

from kido.description import Material
from kido.shape import Shape, Surface
from kido.skeleton._placement import frozen_placement
from kido.typing import ArrayLike, FloatArray, frozen_array, frozen_color
from kido.values import Array, Checked, Transform, Value, checked, checked_member, flag, part, register, value

__all__ = [
    "MarkerConstraint",
    "MarkerProperties",
    "Placed",
    "ShapeProperties",
    "support_corners",
]


@value
class Placed(Value):
    """Properties of a node with a place: its pose (4, 4) in the body [m]."""

    transform: Transform = checked(frozen_placement, default=None)


@register
class MarkerConstraint(str, Enum):
    """Strictness with which a marker's target is to be met."""

    NONE = "none"
    SOFT = "soft"
    HARD = "hard"


def _constraint(name: str, value: MarkerConstraint | str) -> MarkerConstraint:
    return checked_member(name, MarkerConstraint, value)


@value
class MarkerProperties(Value):
    """Pose (4, 4) on the body [m], color (4,) in [0, 1], constraint."""

    transform: Transform = checked(frozen_placement, default=None)
    rgba: Array = checked(frozen_color, default=(1.0, 1.0, 1.0, 1.0))
    constraint: Checked[MarkerConstraint | str, MarkerConstraint] = checked(
        _constraint, default=MarkerConstraint.NONE
    )


@value
class ShapeProperties(Value):
    """Pose (4, 4) on the body [m], shape, look, what the shape is used for, and its surface."""

    transform: Transform = checked(frozen_placement, default=None)
    shape: Shape | None = part(Shape, default=None)
    material: Material | None = part(Material, default=None)
    visual: bool = flag(default=True)
    collision: bool = flag(default=True)
    surface: Surface = part(Surface, default=Surface())


def support_corners(name: str, value: ArrayLike) -> FloatArray:
    """Corners (k, 3) [m], none or several. Raises TypeError or ValueError."""
    points = frozen_array(name, value, None, "m")
    if points.size == 0:
        points = points.reshape(0, 3)
    return frozen_array(name, points, (-1, 3), "m")
