"""Constraints of positions and orientations."""

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
from kido.ik._posture._native_term import NativePlace, NativeTerm
from kido.ik._posture._term import PostureConstraint
from kido.math import as_rotation_matrix
from kido.typing import ArrayLike, FloatArray, RotationLike, frozen_array
from kido.values import Array, Checked, array, checked, value

__all__ = [
    "LoopClosureConstraint",
    "OrientationConstraint",
    "PolyhedronConstraint",
    "PositionConstraint",
    "checked_angle",
    "checked_bounds",
    "checked_rotation",
]


_IDENTITY = frozen_array("", np.eye(3), (3, 3))


def checked_rotation(name: str, given: RotationLike | None) -> FloatArray:
    """A rotation (3, 3); None: no rotation. Raises TypeError or ValueError."""
    if given is None:
        return _IDENTITY
    return frozen_array(name, np.asarray(as_rotation_matrix(given, name)), (3, 3))


def checked_angle(name: str, given: float) -> float:
    """An angle from 0 to half a turn [rad]. Raises TypeError or ValueError."""
    angle = float(frozen_array(name, given, (), "rad"))
    if not 0.0 <= angle <= np.pi:
        raise ValueError(f"{name}: expected 0 to pi [rad], got {angle}")
    return angle


def checked_bounds(lower: FloatArray, upper: FloatArray, names: str = "lower, upper") -> None:
    """Raises ValueError where a lower bound is above the upper one, or bounds leave nothing."""
    for low, high in zip(lower.ravel().tolist(), upper.ravel().tolist(), strict=True):
        if low > high or low == np.inf or high == -np.inf:
            raise ValueError(f"{names}: expected lower <= upper, got {low}, {high}")


@value
class PositionConstraint(PostureConstraint):
    """A point of a frame is in a box of another frame: lower <= p <= upper.

    Value: p (3,) [m] in axes and from the origin of the box's frame.

    Attributes:
        frame: that carries the point.
        lower, upper: corners (3,) of the box [m]; may be infinite; equal where the position is given.
        point: (3,) in `frame` [m].
        relative_to: the frame of the box, which may move; None: the world.

    Source: PositionConstraint of Drake's InverseKinematics.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    lower: Array = array(3, unit="m", finite=False)
    upper: Array = array(3, unit="m", finite=False)
    point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=(0.0, 0.0, 0.0), kw_only=True)
    relative_to: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    def _check(self) -> None:
        checked_bounds(self.lower, self.upper)

    @property
    def text(self) -> str:
        """Position of the frame in the other one."""
        return f"position of {self.frame} in {self.relative_to}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """One point in three rows."""
        return [
            NativeTerm(
                kind="points",
                rows=3,
                frame=layout.place(self.frame),
                base=layout.place(self.relative_to),
                points=self.point,
                matrix=_IDENTITY,
                lower=self.lower,
                upper=self.upper,
            )
        ]


@value
class OrientationConstraint(PostureConstraint):
    """The axes of a frame are those of another one, turned by at most an angle.

    Value: the angle (1,) of the rotation from one to the other [rad].

    Attributes:
        frame: whose axes they are.
        angle_bound: largest angle [rad], 0 to pi.
        rotation: (3, 3) of the wanted axes in `relative_to`; None: its own.
        relative_to: the other frame, which may move; None: the world.

    Source: OrientationConstraint of Drake's InverseKinematics, which bounds the trace instead: for small
    angles that has lost half of its digits.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    angle_bound: Checked[float, float] = checked(checked_angle, default=0.0)
    rotation: Checked[RotationLike | None, FloatArray] = checked(checked_rotation, default=None, kw_only=True)
    relative_to: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    @property
    def text(self) -> str:
        """Orientation of the frame in the other one."""
        return f"orientation of {self.frame} in {self.relative_to}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The rotation vector and its length."""
        base = turned(layout.place(self.relative_to), self.rotation)
        return [_orientation(layout.place(self.frame), base, self.angle_bound)]


def turned(place: NativePlace, rotation: FloatArray) -> NativePlace:
    """A place with the same origin and axes (3, 3) in it."""
    if rotation is _IDENTITY:
        return place
    tree, body, pose = place
    T = pose.copy()
    T[:3, :3] = pose[:3, :3] @ rotation
    return tree, body, T


def _orientation(frame: NativePlace, base: NativePlace, bound: float) -> NativeTerm:
    return NativeTerm(
        kind="orientation",
        rows=4,
        frame=frame,
        base=base,
        most=bound,
        shown=slice(3, 4),
        unit="rad",
    )


@value
class PolyhedronConstraint(PostureConstraint):
    """Points of a frame are in a polyhedron of another one: A p <= b for the points one after the other.

    Value: A p (m,), in the units of b.

    Attributes:
        frame: that carries the points.
        points: (n, 3) in it [m].
        A: (m, 3 n), so that rows may compare points.
        b: (m,).
        relative_to: the frame of the polyhedron, which may move; None: the world.

    Source: PolyhedronConstraint of Drake's InverseKinematics.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    points: Array = array(-1, 3, unit="m")
    A: Array = array(-1, -1)
    b: Array = array(-1, finite=False)
    relative_to: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    def _check(self) -> None:
        rows, columns = self.A.shape
        if not len(self.points) or not rows:
            raise ValueError("points: expected one at least, and one row of A")
        if columns != self.points.size or rows != len(self.b):
            expected = f"({len(self.b)}, {self.points.size})"
            raise ValueError(f"A: expected shape {expected} by b and points, got {self.A.shape}")
        checked_bounds(np.full(rows, -np.inf), self.b, "b")

    @property
    def text(self) -> str:
        """Points of the frame in a polyhedron."""
        return f"{len(self.points)} points of {self.frame} in a polyhedron of {self.relative_to}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """A row for each half space."""
        return [
            NativeTerm(
                kind="points",
                rows=len(self.b),
                frame=layout.place(self.frame),
                base=layout.place(self.relative_to),
                points=self.points,
                matrix=self.A,
                upper=self.b,
            )
        ]


_CLOSURES = ("weld", "ball", "hinge")


def _checked_closure(name: str, given: str) -> str:
    if given not in _CLOSURES:
        raise ValueError(f"{name}: expected one of {', '.join(_CLOSURES)}, got {given!r}")
    return given


@value
class LoopClosureConstraint(PostureConstraint):
    """Two frames are held together, as by a joint that closes a loop.

    Value: the vector between the origins (3,) [m] in axes of the second frame; of a weld, the angle between
    their axes [rad]; of a hinge, the angle between the first's `axis` and the second's.

    Attributes:
        first, second: the frames.
        kind: "weld" (same pose), "ball" (same origin) or "hinge" (same origin and axis).
        axis: (3,) of a hinge, in both frames.

    Source: the weld and ball constraints of Drake's InverseKinematics.
    """

    first: Checked[FrameLike, FramePlace] = checked(checked_place)
    second: Checked[FrameLike, FramePlace] = checked(checked_place)
    kind: str = checked(_checked_closure, default="weld")
    axis: Checked[ArrayLike, FloatArray] = checked(checked_direction, default=(0.0, 0.0, 1.0), kw_only=True)

    @property
    def text(self) -> str:
        """Names of the frames that are held together."""
        return f"{self.kind} of {self.first} and {self.second}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """Position, and orientation or direction."""
        first, second = layout.place(self.first), layout.place(self.second)
        zero = np.zeros(3)
        terms = [
            NativeTerm(
                kind="points",
                rows=3,
                frame=first,
                base=second,
                points=zero,
                matrix=_IDENTITY,
                lower=zero,
                upper=zero,
            )
        ]
        if self.kind == "weld":
            terms.append(_orientation(first, second, 0.0))
        elif self.kind == "hinge":
            terms.append(
                NativeTerm(
                    kind="direction",
                    rows=3,
                    frame=first,
                    base=second,
                    axis=self.axis,
                    target=self.axis,
                    most=0.0,
                    shown=slice(2, 3),
                    unit="rad",
                )
            )
        return terms
