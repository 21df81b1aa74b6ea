"""Costs of postures. All but the user's own are sums of squares, so that their curvature is known."""

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
from kido.ik._posture._pose_constraints import checked_rotation, turned
from kido.ik._posture._term import PostureCostTerm
from kido.ik._posture._whole_body import checked_skeleton_name
from kido.typing import ArrayLike, FloatArray, RotationLike, frozen_array
from kido.values import Array, Checked, array, checked, value

__all__ = [
    "AngleBetweenVectorsCost",
    "CenterOfMassCost",
    "GazeTargetCost",
    "OrientationCost",
    "PointToLineDistanceCost",
    "PointToPointDistanceCost",
    "PositionCost",
    "PostureCost",
]


def _checked_matrix(name: str, given: ArrayLike) -> FloatArray:
    """A symmetric matrix (3, 3) without negative eigenvalues; a number: a multiple of the identity."""
    given = frozen_array(name, given, None)
    C = frozen_array(name, given * np.eye(3) if given.ndim == 0 else given, (3, 3))
    C = 0.5 * (C + C.T)
    if np.linalg.eigvalsh(C).min() < -1e-12 * max(1.0, np.abs(C).max()):
        raise ValueError(f"{name}: expected no negative eigenvalues of its symmetric part")
    return frozen_array(name, C, (3, 3))


def _checked_weight(name: str, given: float) -> float:
    weight = float(frozen_array(name, given, ()))
    if not weight >= 0.0:
        raise ValueError(f"{name}: expected 0 or above, got {weight}")
    return weight


_ORIGIN = (0.0, 0.0, 0.0)


@value
class PositionCost(PostureCostTerm):
    """(p - target)' C (p - target) of a point p of a frame, seen from another one.

    Attributes:
        frame: that carries the point.
        target: (3,) in `relative_to` [m].
        C: (3, 3) or a number [1/m²]; its symmetric part counts, which has no negative eigenvalues.
        point: (3,) in `frame` [m].
        relative_to: the frame of the target, which may move; None: the world.

    Source: AddPositionCost of Drake's InverseKinematics.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    target: Checked[ArrayLike, FloatArray] = checked(checked_point)
    C: Checked[ArrayLike, FloatArray] = checked(_checked_matrix, default=1.0)
    point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=_ORIGIN, kw_only=True)
    relative_to: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    @property
    def text(self) -> str:
        """Cost of the position of the frame."""
        return f"cost of the position of {self.frame} in {self.relative_to}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The vector from the target."""
        return [
            NativeTerm(
                kind="points",
                rows=3,
                frame=layout.place(self.frame),
                base=layout.place(self.relative_to.moved(self.target)),
                points=self.point,
                matrix=np.eye(3),
                weight=2.0 * self.C,
            )
        ]


@value
class OrientationCost(PostureCostTerm):
    """weight (1 - cos angle) of the rotation between the axes of two frames.

    Attributes:
        frame: whose axes they are.
        weight: 0 or above.
        rotation: (3, 3) of the wanted axes in `relative_to`; None: its own.
        relative_to: the other frame, which may move; None: the world.

    Source: AddOrientationCost of Drake's InverseKinematics.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    weight: Checked[float, float] = checked(_checked_weight, default=1.0)
    rotation: Checked[RotationLike | None, FloatArray] = checked(checked_rotation, default=None, kw_only=True)
    relative_to: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    @property
    def text(self) -> str:
        """Cost of the orientation of the frame."""
        return f"cost of the orientation of {self.frame} in {self.relative_to}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """2 sin(angle / 2) times the axis: its square is 2 (1 - cos angle)."""
        return [
            NativeTerm(
                kind="turn",
                rows=3,
                frame=layout.place(self.frame),
                base=turned(layout.place(self.relative_to), self.rotation),
                weight=np.full(3, self.weight),
            )
        ]


@value
class AngleBetweenVectorsCost(PostureCostTerm):
    """weight (1 - cos angle) of the angle between vectors of two frames.

    Attributes:
        frame: that carries the first vector.
        vector: (3,) in it.
        other_vector: (3,) in `other_frame`.
        weight: 0 or above.
        other_frame: that carries the second vector, and may move; None: the world.

    Source: AddAngleBetweenVectorsCost of Drake's InverseKinematics.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    vector: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    other_vector: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    weight: Checked[float, float] = checked(_checked_weight, default=1.0)
    other_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    @property
    def text(self) -> str:
        """Cost of the angle between vectors of the frames."""
        return f"cost of the angle between vectors of {self.frame} and {self.other_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The difference of the unit vectors: its square is 2 (1 - cos angle)."""
        return [
            NativeTerm(
                kind="chord",
                rows=3,
                frame=layout.place(self.frame),
                base=layout.place(self.other_frame),
                axis=self.vector,
                target=self.other_vector,
                weight=np.full(3, self.weight),
            )
        ]


@value
class GazeTargetCost(PostureCostTerm):
    """weight (1 - cos angle) of the angle between an axis of a frame and the way to a target.

    Attributes:
        frame: that looks.
        axis: (3,) along which it looks, in `frame`.
        target: (3,) in `target_frame` [m].
        weight: 0 or above.
        source: (3,) where it looks from, in `frame` [m].
        target_frame: that carries the target, and may move; None: the world.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    axis: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    target: Checked[ArrayLike, FloatArray] = checked(checked_point)
    weight: Checked[float, float] = checked(_checked_weight, default=1.0)
    source: Checked[ArrayLike, FloatArray] = checked(checked_point, default=_ORIGIN, kw_only=True)
    target_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)

    @property
    def text(self) -> str:
        """Cost of the gaze of the frame."""
        return f"cost of the gaze of {self.frame} at a point of {self.target_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The difference of the unit vectors."""
        return [
            NativeTerm(
                kind="sight_chord",
                rows=3,
                frame=layout.place(self.frame.moved(self.source)),
                base=layout.place(self.target_frame),
                axis=self.axis,
                target=self.target,
                weight=np.full(3, self.weight),
            )
        ]


@value
class PointToPointDistanceCost(PostureCostTerm):
    """weight times the square of the distance of points of two frames.

    Attributes:
        frame: that carries the first point.
        weight: 0 or above [1/m²].
        point: (3,) in `frame` [m].
        other_frame: that carries the second point, and may move; None: the world.
        other_point: (3,) in it [m].
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    weight: Checked[float, float] = checked(_checked_weight, default=1.0)
    point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=_ORIGIN, kw_only=True)
    other_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)
    other_point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=_ORIGIN, kw_only=True)

    @property
    def text(self) -> str:
        """Cost of the distance of points of the frames."""
        return f"cost of the distance of points of {self.frame} and {self.other_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The vector between the points."""
        return [
            NativeTerm(
                kind="distance",
                rows=3,
                frame=layout.place(self.frame.moved(self.point)),
                base=layout.place(self.other_frame),
                matrix=np.eye(3),
                target=self.other_point,
                weight=np.full(3, 2.0 * self.weight),
            )
        ]


@value
class PointToLineDistanceCost(PostureCostTerm):
    """weight times the square of the distance of a point from a line of another frame.

    Attributes:
        frame: that carries the point.
        direction: (3,) of the line, in `line_frame`.
        weight: 0 or above [1/m²].
        point: (3,) in `frame` [m].
        line_frame: that carries the line, and may move; None: the world.
        line_point: (3,) on the line, in `line_frame` [m].
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    direction: Checked[ArrayLike, FloatArray] = checked(checked_direction)
    weight: Checked[float, float] = checked(_checked_weight, default=1.0)
    point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=_ORIGIN, kw_only=True)
    line_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)
    line_point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=_ORIGIN, kw_only=True)

    @property
    def text(self) -> str:
        """Cost of the distance of a point from a line."""
        return f"cost of the distance of a point of {self.frame} from a line of {self.line_frame}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The point in two directions across the line."""
        return [
            NativeTerm(
                kind="distance",
                rows=2,
                frame=layout.place(self.frame.moved(self.point)),
                base=layout.place(self.line_frame),
                matrix=across(self.direction),
                target=self.line_point,
                weight=np.full(2, 2.0 * self.weight),
            )
        ]


@value
class CenterOfMassCost(PostureCostTerm):
    """(c - target)' C (c - target) of the centre of mass c of a skeleton, or of all.

    Attributes:
        target: (3,) in `relative_to` [m].
        C: (3, 3) or a number [1/m²]; its symmetric part counts, which has no negative eigenvalues.
        relative_to: the frame of the target, which may move; None: the world.
        skeleton: whose centre it is, or its name; None: of all skeletons together.
    """

    target: Checked[ArrayLike, FloatArray] = checked(checked_point)
    C: Checked[ArrayLike, FloatArray] = checked(_checked_matrix, default=1.0)
    relative_to: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)
    skeleton: Checked[object, str | None] = checked(checked_skeleton_name, default=None, kw_only=True)

    @property
    def text(self) -> str:
        """Whose centre of mass costs."""
        return f"cost of the centre of mass of {self.skeleton or 'all'} in {self.relative_to}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The vector from the target. Raises ValueError where there is no mass."""
        tree = -1 if self.skeleton is None else layout.skeleton_index(self.skeleton)
        counted = layout.skeletons if tree < 0 else (layout.skeletons[tree],)
        if not sum(s.mass for s in counted) > 0.0:
            raise ValueError("skeleton: expected mass, and so a centre of it; there is none")
        return [
            NativeTerm(
                kind="center_of_mass",
                rows=3,
                base=layout.place(self.relative_to.moved(self.target)),
                matrix=np.eye(3),
                weight=2.0 * self.C,
                tree=tree,
            )
        ]


def _checked_weights(name: str, given: ArrayLike) -> FloatArray:
    """Numbers 0 or above, or a symmetric matrix without negative eigenvalues."""
    W = frozen_array(name, given, None)
    if W.ndim > 2 or (W.ndim == 2 and W.shape[0] != W.shape[1]):
        raise ValueError(f"{name}: expected a number, one for each dof, or a square matrix, got {W.shape}")
    if W.ndim == 2:
        W = frozen_array(name, 0.5 * (W + W.T), (-1, -1))
    least = np.linalg.eigvalsh(W).min(initial=0.0) if W.ndim == 2 else W.min(initial=0.0)
    if least < -1e-12 * max(1.0, float(np.abs(W).max(initial=0.0))):
        raise ValueError(f"{name}: expected 0 or above, got {least:g}")
    return W


@value
class PostureCost(PostureCostTerm):
    """d' W d of how far positions are from given ones: the difference along the groups of joints, in axes of
    the moved body for ball and free joints.

    Attributes:
        positions: (num_dofs,) of all skeletons, one after the other [rad, m].
        weight: (num_dofs, num_dofs), a diagonal (num_dofs,), or one number [1/rad², 1/m²]; no negative
            eigenvalues.

    Source: AddQuadraticErrorCost of Drake, whose difference is of quaternions.
    """

    positions: Array = array(-1, unit="rad, m")
    weight: Checked[ArrayLike, FloatArray] = checked(_checked_weights, default=1.0)

    def _check(self) -> None:
        n = len(self.positions)
        if self.weight.shape not in ((), (n,), (n, n)):
            raise ValueError(f"weight: expected shape (), ({n},) or ({n}, {n}), got {self.weight.shape}")

    @property
    def text(self) -> str:
        """Cost of the posture."""
        return "cost of the posture"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The difference. Raises ValueError for another number of dofs."""
        n = layout.num_dofs
        if len(self.positions) != n:
            raise ValueError(f"positions: expected shape ({n},) [rad, m], got {self.positions.shape}")
        weight = np.broadcast_to(self.weight, (n,)) if self.weight.ndim < 2 else self.weight
        return [NativeTerm(kind="posture", rows=n, desired=self.positions, weight=2.0 * weight)]
