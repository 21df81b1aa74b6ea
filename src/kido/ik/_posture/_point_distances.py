"""Constraints of distances of points."""

from __future__ import annotations

import numpy as np

from kido.ik._posture._frame_place import (
    FrameLike,
    FramePlace,
    checked_direction,
    checked_place,
    checked_point,
)
from kido.ik._posture._layout import Layout
from kido.ik._posture._native_term import NativeTerm, across
from kido.ik._posture._pose_constraints import checked_bounds
from kido.ik._posture._term import PostureConstraint
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Checked, checked, value

__all__ = ["PointToLineDistanceConstraint", "PointToPointDistanceConstraint", "checked_distance"]


def checked_distance(name: str, given: float) -> float:
    """A distance, 0 or above, or infinite [m]. Raises TypeError or ValueError."""
    distance = float(frozen_array(name, given, (), "m", finite=False))
    if not distance >= 0.0:
        raise ValueError(f"{name}: expected 0 or above [m], got {distance}")
    return distance


@value
class PointToPointDistanceConstraint(PostureConstraint):
    """The distance of points of two frames is between bounds.

    Value: the distance (1,) [m].

    Attributes:
        frame: that carries the first point.
        lower, upper: bounds of the distance [m], 0 or above; may be infinite.
        point: (3,) in `frame` [m].
        other_frame: that carries the second point, and may move; None: the world.
        other_point: (3,) in it [m].

    Source: PointToPointDistanceConstraint of Drake's InverseKinematics, which bounds the square instead.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    lower: Checked[float, float] = checked(checked_distance)
    upper: Checked[float, float] = checked(checked_distance)
    point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=(0.0, 0.0, 0.0), kw_only=True)
    other_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)
    other_point: Checked[ArrayLike, FloatArray] = checked(
        checked_point, default=(0.0, 0.0, 0.0), kw_only=True
    )

    def _check(self) -> None:
        checked_bounds(np.array(self.lower), np.array(self.upper))

    @property
    def text(self) -> str:
        """Distance of points of the frames."""
        return f"distance of points of {self.frame} and {self.other_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The vector between the points, and its length."""
        return [
            NativeTerm(
                kind="distance",
                rows=4,
                frame=layout.place(self.frame.moved(self.point)),
                base=layout.place(self.other_frame),
                matrix=np.eye(3),
                target=self.other_point,
                least=self.lower,
                most=self.upper,
                shown=slice(3, 4),
            )
        ]


@value
class PointToLineDistanceConstraint(PostureConstraint):
    """The distance of a point from a line of another frame is between bounds.

    Value: the distance (1,) [m].

    Attributes:
        frame: that carries the point.
        direction: (3,) of the line, in `line_frame`.
        lower, upper: bounds of the distance [m], 0 or above; may be infinite.
        point: (3,) in `frame` [m].
        line_frame: that carries the line, and may move; None: the world.
        line_point: (3,) on the line, in `line_frame` [m].

    Source: PointToLineDistanceConstraint of Drake's InverseKinematics, which bounds the square instead.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    direction: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    lower: Checked[float, float] = checked(checked_distance)
    upper: Checked[float, float] = checked(checked_distance)
    point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=(0.0, 0.0, 0.0), kw_only=True)
    line_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)
    line_point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=(0.0, 0.0, 0.0), kw_only=True)

    def _check(self) -> None:
        checked_bounds(np.array(self.lower), np.array(self.upper))

    @property
    def text(self) -> str:
        """Distance of a point from a line."""
        return f"distance of a point of {self.frame} from a line of {self.line_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The point in two directions across the line, and their length."""
        return [
            NativeTerm(
                kind="distance",
                rows=3,
                frame=layout.place(self.frame.moved(self.point)),
                base=layout.place(self.line_frame),
                matrix=across(self.direction),
                target=self.line_point,
                least=self.lower,
                most=self.upper,
                shown=slice(2, 3),
            )
        ]
