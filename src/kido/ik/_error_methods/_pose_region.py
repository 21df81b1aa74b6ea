"""A region of poses, as the search knows it."""

from __future__ import annotations

from dataclasses import dataclass

from kido.frame import Frame
from kido.typing import FloatArray

__all__ = ["PoseRegion"]


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
