"""Regions of error methods, as native searches know them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from kido.frame import Frame
from kido.typing import FloatArray

__all__ = [
    "GazeRegion",
    "MassRegion",
    "PoseRegion",
    "PostureRegion",
    "Region",
    "axes_for_search",
    "describes",
    "is_native",
    "moves_with",
]


@dataclass(frozen=True, slots=True, eq=False)
class PoseRegion:
    """Bounds of a node's displacement from its target.

    Attributes:
        lower, upper: bounds (6,), angles first [rad, m]; both None for the target's pose itself.
        weights: weight of each component (6,) [-].
        axes: the frame in whose coordinates the displacement is taken.
        from_center: whether errors are taken from the middle of the bounds rather than from the edge.
    """

    lower: FloatArray | None
    upper: FloatArray | None
    weights: FloatArray
    axes: Frame
    from_center: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class GazeRegion:
    """Poses in which an axis of the node aims at the target's origin.

    Attributes:
        axis: its direction (3,) in the node's coordinates [-].
        half_angle: of the cone in which it may be [rad].
        weight: of a radian [-].
    """

    axis: FloatArray
    half_angle: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class MassRegion:
    """Positions with the skeleton's center of mass at the target's origin.

    Attributes:
        weights: weight of each component (3,) [-]; one with weight 0 is free.
        axes: the frame in whose coordinates the displacement is taken.
    """

    weights: FloatArray
    axes: Frame


@dataclass(frozen=True, slots=True, eq=False)
class PostureRegion:
    """Positions of dofs.

    Attributes:
        dofs: their places (m,) in the skeleton; the angles of a rotation stand together, in order.
        positions: the desired ones (m,) [rad, m].
        weights: weight of each (m,) [-].
    """

    dofs: list[int]
    positions: FloatArray
    weights: FloatArray


def axes_for_search(axes: Frame, target: Frame) -> tuple[FloatArray, bool]:
    """The axes (3, 3) of a frame as columns, and whether they move with a target: then in its coordinates,
    else in those of the world [-]."""
    if not moves_with(axes, target):
        return axes.transform()[:3, :3], False
    rotation = np.eye(3)
    while axes is not target:
        rotation = axes.relative_transform[:3, :3] @ rotation
        axes = axes.parent_frame
    return rotation, True


def moves_with(frame: Frame, other: Frame) -> bool:
    """Whether a frame is another one, or under it."""
    while not frame.is_world:
        if frame is other:
            return True
        frame = frame.parent_frame
    return False


Region = PoseRegion | GazeRegion | MassRegion | PostureRegion

_KNOWN = ("compute_error", "compute_jacobian", "weights", "lengths", "axes")


def is_native(method: object) -> bool:
    """Whether the region of a method is all that it wants: no subclass has changed what it computes and kept
    the region."""
    return describes(method, "region", _KNOWN)


def describes(method: object, member: str, others: Collection[str]) -> bool:
    """Whether a member of a method stands for others: no subclass has changed these and kept the member."""
    for kind in type(method).__mro__:
        if member in vars(kind):
            return True
        if any(name in vars(kind) for name in others):
            return False
    return True
