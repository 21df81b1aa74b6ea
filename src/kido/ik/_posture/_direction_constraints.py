"""Constraints of directions."""

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
from kido.ik._posture._native_term import NativeTerm
from kido.ik._posture._pose_constraints import checked_angle, checked_bounds
from kido.ik._posture._term import PostureConstraint
from kido.typing import ArrayLike, FloatArray
from kido.values import Checked, checked, value

__all__ = ["AngleBetweenVectorsConstraint", "GazeTargetConstraint"]


def _checked_cone(name: str, given: float) -> float:
    angle = checked_angle(name, given)
    if angle > np.pi / 2.0:
        raise ValueError(f"{name}: expected 0 to pi / 2 [rad], got {angle}")
    return angle


@value
class GazeTargetConstraint(PostureConstraint):
    """A point of a frame is within a cone of another one, as a target within what a camera sees.

    Value: the angle (1,) between the cone's axis and the way to the target [rad].

    Attributes:
        frame: that carries the cone.
        axis: (3,) of the cone, in `frame`.
        target: (3,) in `target_frame` [m].
        half_angle: of the cone [rad], 0 to pi / 2.
        source: tip (3,) of the cone, in `frame` [m].
        target_frame: that carries the target, and may move; None: the world.

    Source: GazeTargetConstraint of Drake's InverseKinematics.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    axis: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    target: Checked[ArrayLike, FloatArray] = checked(checked_point)
    half_angle: Checked[float, float] = checked(_checked_cone)
    source: Checked[ArrayLike, FloatArray] = checked(checked_point, default=(0.0, 0.0, 0.0), kw_only=True)
    target_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    @property
    def text(self) -> str:
        """Gaze of the frame."""
        return f"gaze of {self.frame} at a point of {self.target_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """Sines along two axes across, and the angle."""
        return [
            NativeTerm(
                kind="sight",
                rows=3,
                frame=layout.place(self.frame.moved(self.source)),
                base=layout.place(self.target_frame),
                axis=self.axis,
                target=self.target,
                most=self.half_angle,
                shown=slice(2, 3),
                unit="rad",
            )
        ]


@value
class AngleBetweenVectorsConstraint(PostureConstraint):
    """The angle between vectors of two frames is between bounds.

    Value: the angle (1,) [rad].

    Attributes:
        frame: that carries the first vector.
        vector: (3,) in it.
        other_vector: (3,) in `other_frame`.
        lower, upper: bounds of the angle [rad], 0 to pi.
        other_frame: that carries the second vector, and may move; None: the world.

    Source: AngleBetweenVectorsConstraint of Drake's InverseKinematics, which bounds the cosine instead.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    vector: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    other_vector: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    lower: Checked[float, float] = checked(checked_angle)
    upper: Checked[float, float] = checked(checked_angle)
    other_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    def _check(self) -> None:
        checked_bounds(np.array(self.lower), np.array(self.upper))

    @property
    def text(self) -> str:
        """Angle between vectors of the frames."""
        return f"angle between vectors of {self.frame} and {self.other_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """Sines along two axes across, and the angle; a cone about the opposite, where the bounds are one."""
        opposite = self.upper == np.pi and self.lower > 0.0
        low, high = (0.0, np.pi - self.lower) if opposite else (self.lower, self.upper)
        return [
            NativeTerm(
                kind="direction",
                rows=3,
                frame=layout.place(self.frame),
                base=layout.place(self.other_frame),
                axis=-self.vector if opposite else self.vector,
                target=self.other_vector,
                least=low,
                most=high,
                shown=slice(2, 3),
                flipped=opposite,
                unit="rad",
            )
        ]
