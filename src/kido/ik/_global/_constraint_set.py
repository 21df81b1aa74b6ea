"""Constraints of a skeleton, as the user adds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from kido.frame import Frame
from kido.ik._global._body_frame import BodyFrame
from kido.ik._global._constraints import Constraint, Orientation, Position, Region, WorldRelativePosition
from kido.ik._global._polytope import Polytope
from kido.ik._global._posture_cost import PostureCost
from kido.math import as_rotation_matrix, as_transform_matrix
from kido.skeleton import DegreeOfFreedom, Skeleton
from kido.typing import ArrayLike, FloatArray, RotationLike, TransformLike, frozen_array, read_only
from kido.values import checked_part, checked_positive

__all__ = ["ConstraintSet"]

R = TypeVar("R")

_LEAST_TOLERANCE = 1e-8
"""Below it a search cannot tell a posture that is a solution from one that is not [m, rad]."""


class ConstraintSet:
    """Base of global inverse kinematics: a skeleton, constraints on its postures, and tolerances.

    Frames are bodies, nodes, or frames under them; constraints keep where on its body a frame is when they
    are added, and bodies by their names.
    """

    __slots__ = ("_constraints", "_costs", "_guess", "_limits", "_skeleton", "_tolerances")

    def __init__(
        self, skeleton: Skeleton, *, linear_tolerance: float = 1e-6, angular_tolerance: float = 1e-6
    ) -> None:
        """A problem without constraints.

        Args:
            skeleton: whose postures are looked for; it stays as it is.
            linear_tolerance: by which a posture may miss constraints [m]: one within both tolerances is a
                solution, and a proof excludes all such postures.
            angular_tolerance: the same of angles [rad].

        Raises TypeError, ValueError for tolerances below 1e-8.
        """
        self._skeleton = checked_part("skeleton", Skeleton, skeleton)
        self._tolerances = (
            _tolerance("linear_tolerance", linear_tolerance, "m"),
            _tolerance("angular_tolerance", angular_tolerance, "rad"),
        )
        self._constraints: tuple[Constraint, ...] = ()
        self._costs: tuple[PostureCost, ...] = ()
        self._limits: dict[str, tuple[float, float]] = {}
        self._guess: FloatArray | None = None

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton whose postures are looked for."""
        return self._skeleton

    @property
    def linear_tolerance(self) -> float:
        """By which a posture may miss constraints [m]."""
        return self._tolerances[0]

    @property
    def angular_tolerance(self) -> float:
        """By which a posture may miss constraints [rad]."""
        return self._tolerances[1]

    @property
    def num_constraints(self) -> int:
        """Number of constraints, a pose being two."""
        return len(self._constraints)

    def __repr__(self) -> str:
        count = len(self._constraints)
        return f"<{type(self).__name__}: {count} constraints on {self._skeleton.name!r}>"

    # ---- positions

    def add_world_position_constraint(
        self,
        frame: Frame,
        position: ArrayLike | None = None,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        tolerance: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        T_world_box: TransformLike | None = None,
    ) -> None:
        """Require a point of a frame at a position in the world, or in a box.

        Args:
            frame: a body, node, or frame under one.
            position: of the point (3,) [m], in axes and from the origin of the box's frame.
            point: (3,) in the frame [m].
            tolerance: by which each coordinate may differ, one number or (3,) [m]; None: the problem's.
            lower: lower corner (3,) of a box instead of position and tolerance [m]; may be infinite.
            upper: upper corner (3,) of the box [m]; may be infinite.
            T_world_box: pose (4, 4) of the box's frame [m]; None: the world.

        Raises TypeError, ValueError: arguments of another shape, a tolerance that is not positive, a frame of
        another skeleton, both a position and a box.
        """
        reference = BodyFrame(None, read_only(_pose("T_world_box", T_world_box)))
        self._add_position(frame, reference, position, point, tolerance, lower, upper)

    def add_relative_position_constraint(
        self,
        frame: Frame,
        relative_to: Frame,
        position: ArrayLike | None = None,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        tolerance: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> None:
        """Require a point of a frame at a position, or in a box, in another frame, which may move.

        Arguments and errors are those of `add_world_position_constraint`: position (3,), tolerance, lower and
        upper (3,) [m] in the axes of `relative_to`.
        """
        reference = BodyFrame.of("relative_to", relative_to, self._skeleton)
        self._add_position(frame, reference, position, point, tolerance, lower, upper)

    def add_world_relative_position_constraint(
        self,
        frame: Frame,
        other: Frame,
        position: ArrayLike | None = None,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        other_point: ArrayLike = (0.0, 0.0, 0.0),
        tolerance: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        R_world_box: RotationLike | None = None,
    ) -> None:
        """Require the vector between points of two frames at a value, or in a box, in axes of the world.

        Args:
            frame: the vector leads to a point of it.
            other: the vector leads from a point of it.
            position: the vector (3,) [m], in the axes of the box.
            point: (3,) in `frame` [m].
            other_point: (3,) in `other` [m].
            tolerance: as of `add_world_position_constraint` [m].
            lower: as of `add_world_position_constraint` [m].
            upper: as of `add_world_position_constraint` [m].
            R_world_box: rotation (3, 3) of the box; None: axes of the world.

        Raises as `add_world_position_constraint` does.
        """
        there, here = self._frame("frame", frame, point), self._frame("other", other, other_point)
        axes = np.eye(3) if R_world_box is None else np.array(as_rotation_matrix(R_world_box, "R_world_box"))
        low, high = self._box(position, tolerance, lower, upper)
        self._constraints += (WorldRelativePosition(there, here, read_only(axes), low, high),)

    # ---- orientations and poses

    def add_world_orientation_constraint(
        self, frame: Frame, rotation: RotationLike, *, tolerance: float | None = None
    ) -> None:
        """Require the axes of a frame to be those of a rotation (3, 3), turned by at most an angle.

        Args:
            frame: a body, node, or frame under one.
            rotation: from frame to world (3, 3).
            tolerance: the angle [rad]; None: the problem's.

        Raises TypeError, ValueError: no rotation, a tolerance that is not positive, a foreign frame.
        """
        self._add_orientation(frame, BodyFrame.of("world", None, self._skeleton), rotation, tolerance)

    def add_relative_orientation_constraint(
        self, frame: Frame, relative_to: Frame, rotation: RotationLike, *, tolerance: float | None = None
    ) -> None:
        """Require the axes of a frame to be those of a rotation (3, 3) in another frame, which may move.

        Arguments and errors are those of `add_world_orientation_constraint`, tolerance in [rad].
        """
        reference = BodyFrame.of("relative_to", relative_to, self._skeleton)
        self._add_orientation(frame, reference, rotation, tolerance)

    def add_world_pose_constraint(
        self,
        frame: Frame,
        transform: TransformLike,
        *,
        linear_tolerance: ArrayLike | None = None,
        angular_tolerance: float | None = None,
    ) -> None:
        """Require a frame at a pose in the world: position and orientation in one.

        Args:
            frame: a body, node, or frame under one.
            transform: pose (4, 4) [m].
            linear_tolerance: one number or (3,), in the axes of the pose [m]; None: the problem's.
            angular_tolerance: [rad]; None: the problem's.

        Raises as the constraints of position and orientation do.
        """
        pose = _pose("transform", transform)
        before = self._constraints
        try:
            self.add_world_position_constraint(
                frame, (0.0, 0.0, 0.0), tolerance=linear_tolerance, T_world_box=pose
            )
            self.add_world_orientation_constraint(frame, pose[:3, :3], tolerance=angular_tolerance)
        except (TypeError, ValueError):
            self._constraints = before
            raise

    # ---- regions

    def add_point_in_one_of_regions(
        self, frame: Frame, regions: Iterable[ArrayLike], *, point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        """Require a point of a frame in one of several convex regions of the world.

        Args:
            frame: a body, node, or frame under one.
            regions: vertices (n, 3) of each [m]; a region may be flat.
            point: (3,) in the frame [m].

        Raises TypeError, ValueError: other shapes, no region, a foreign frame.
        """
        place = self._frame("frame", frame, point)
        polytopes = tuple(Polytope.of_vertices(f"regions[{i}]", r) for i, r in enumerate(_listed(regions)))
        if not polytopes:
            raise ValueError("regions: expected one or more regions, got none")
        self._constraints += (Region(place, 0.0, polytopes),)

    def add_sphere_in_one_of_polytopes(
        self,
        frame: Frame,
        radius: float,
        polytopes: Iterable[tuple[ArrayLike, ArrayLike]],
        *,
        center: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Require a sphere around a point of a frame in one of several bounded polytopes of the world.

        Args:
            frame: a body, node, or frame under one.
            radius: of the sphere [m]; 0 or more.
            polytopes: A (m, 3) and b (m,) [m] of each: points x with A @ x <= b.
            center: (3,) in the frame [m].

        Raises TypeError, ValueError: other shapes, no polytope, one without end, a foreign frame.
        """
        place = self._frame("frame", frame, center)
        size = float(frozen_array("radius", radius, (), "m"))
        if size < 0.0:
            raise ValueError(f"radius: expected a number that is not negative [m], got {size}")
        found = [
            Polytope.of_half_spaces(f"polytopes[{i}]", *_pair(f"polytopes[{i}]", pair), size)
            for i, pair in enumerate(_listed(polytopes))
        ]
        if not found:
            raise ValueError("polytopes: expected one or more polytopes, got none")
        self._constraints += (Region(place, size, tuple(one for one in found if one is not None)),)

    # ---- joints

    def add_joint_limits(self, dof: DegreeOfFreedom | str, lower: float, upper: float) -> None:
        """Tighten the limits of a dof [rad, m]; looser ones than it has change nothing.

        Raises TypeError, UnknownNameError, ValueError: no dof of the skeleton, lower > upper, or nothing left
        within its own limits.
        """
        one = self._skeleton.dof(dof) if isinstance(dof, str) else dof
        if not isinstance(one, DegreeOfFreedom):
            raise TypeError(f"dof: expected a dof or its name, got {type(dof).__name__}")
        if one.skeleton is not self._skeleton:
            raise ValueError(
                f"dof: expected one of {self._skeleton.name!r}, got {one.name!r} of another skeleton"
            )
        low, high = (
            float(frozen_array(name, value, (), one.coordinate.unit, finite=False))
            for name, value in (("lower", lower), ("upper", upper))
        )
        if low > high:
            raise ValueError(f"limits of {one.name!r}: expected lower <= upper, got {low}, {high}")
        known = self._limits.get(one.name, (-np.inf, np.inf))
        low, high = max(low, known[0]), min(high, known[1])
        if max(low, one.position_lower_limit) > min(high, one.position_upper_limit):
            own = f"[{one.position_lower_limit}, {one.position_upper_limit}]"
            raise ValueError(
                f"limits of {one.name!r}: expected some within its own {own}, got [{low}, {high}]"
            )
        self._limits = {**self._limits, one.name: (low, high)}

    def add_posture_cost(
        self, positions: ArrayLike, *, position_cost: ArrayLike = 1.0, orientation_cost: ArrayLike = 1.0
    ) -> None:
        """Prefer postures near a desired one: a cost of distances and 1 - cos of angles between where bodies
        are and where the desired posture has them, added up.

        Args:
            positions: (num_dofs,) the desired posture [rad, m].
            position_cost: of a distance, one number or (num_bodies,) [1/m]; not negative.
            orientation_cost: of 1 - cos of an angle, likewise, dimensionless.

        Raises TypeError, ValueError: other shapes, negative costs.
        """
        desired = frozen_array("positions", positions, (self._skeleton.num_dofs,), "rad, m")
        names = self._skeleton.tree.body_names
        costs = [
            dict(zip(names, _costs(name, given, len(names)), strict=True))
            for name, given in (("position_cost", position_cost), ("orientation_cost", orientation_cost))
        ]
        self._costs += (PostureCost(desired, *costs),)

    def set_initial_guess(self, positions: ArrayLike | None) -> None:
        """Positions (num_dofs,) that the search starts from [rad, m]; None: those of the skeleton.

        Where they satisfy the constraints, they are the answer, but for costs.

        Raises TypeError, ValueError for another shape.
        """
        if positions is None:
            self._guess = None
            return
        self._guess = frozen_array("positions", positions, (self._skeleton.num_dofs,), "rad, m")

    # ---- helpers

    def _frame(self, name: str, frame: Frame, point: ArrayLike) -> BodyFrame:
        if frame is None:
            raise TypeError(f"{name}: expected a frame of the skeleton, got None")
        place = BodyFrame.of(name, frame, self._skeleton)
        return place.moved(frozen_array("point", point, (3,), "m"))

    def _add_position(
        self,
        frame: Frame,
        reference: BodyFrame,
        position: ArrayLike | None,
        point: ArrayLike,
        tolerance: ArrayLike | None,
        lower: ArrayLike | None,
        upper: ArrayLike | None,
    ) -> None:
        place = self._frame("frame", frame, point)
        low, high = self._box(position, tolerance, lower, upper)
        self._constraints += (Position(place, reference, low, high),)

    def _add_orientation(
        self, frame: Frame, base: BodyFrame, rotation: RotationLike, tolerance: float | None
    ) -> None:
        R = as_rotation_matrix(rotation, "rotation")
        if R.ndim != 2:
            raise ValueError(f"rotation: expected shape (3, 3), got {R.shape}")
        angle = 0.0 if tolerance is None else checked_positive("tolerance", tolerance, "rad")
        pose = base.pose.copy()
        pose[:3, :3] = pose[:3, :3] @ R
        place = self._frame("frame", frame, (0.0, 0.0, 0.0))
        self._constraints += (Orientation(place, BodyFrame(base.body, read_only(pose)), angle),)

    def _box(
        self,
        position: ArrayLike | None,
        tolerance: ArrayLike | None,
        lower: ArrayLike | None,
        upper: ArrayLike | None,
    ) -> tuple[FloatArray, FloatArray]:
        if (position is None) == (lower is None and upper is None):
            raise ValueError("position: expected either a position or corners `lower` and `upper` of a box")
        if position is not None:
            center = frozen_array("position", position, (3,), "m")
            half = np.zeros(3) if tolerance is None else _positive("tolerance", tolerance)
            return read_only(center - half), read_only(center + half)
        if tolerance is not None:
            raise ValueError("tolerance: expected none beside `lower` and `upper`")
        low = frozen_array("lower", np.full(3, -np.inf) if lower is None else lower, (3,), "m", finite=False)
        high = frozen_array("upper", np.full(3, np.inf) if upper is None else upper, (3,), "m", finite=False)
        if (low > high).any():
            raise ValueError(f"lower, upper: expected lower <= upper, got {low.tolist()}, {high.tolist()}")
        return low, high


def _costs(name: str, value: ArrayLike, count: int) -> list[float]:
    numbers = frozen_array(name, value, None)
    if numbers.shape not in ((), (count,)):
        raise ValueError(f"{name}: expected one number or shape ({count},), got {numbers.shape}")
    if (numbers < 0.0).any():
        raise ValueError(f"{name}: expected numbers that are not negative, got {numbers.tolist()}")
    costs: list[float] = np.broadcast_to(numbers, (count,)).tolist()
    return costs


def _tolerance(name: str, value: float, unit: str) -> float:
    number = checked_positive(name, value, unit)
    if number < _LEAST_TOLERANCE:
        raise ValueError(f"{name}: expected at least {_LEAST_TOLERANCE} [{unit}], got {number}")
    return number


def _positive(name: str, value: ArrayLike) -> FloatArray:
    numbers = np.broadcast_to(np.asarray(frozen_array(name, value, None, "m")), (3,))
    if not (numbers > 0.0).all():
        raise ValueError(f"{name}: expected positive numbers [m], got {numbers.tolist()}")
    return np.array(numbers)


def _pose(name: str, transform: TransformLike | None) -> FloatArray:
    if transform is None:
        return np.eye(4)
    T = np.array(as_transform_matrix(transform, name))
    if T.ndim != 2:
        raise ValueError(f"{name}: expected shape (4, 4) [m], got {T.shape}")
    return T


def _listed(items: Iterable[R]) -> Sequence[R]:
    try:
        return tuple(items)
    except TypeError:
        raise TypeError(f"expected several regions, got {type(items).__name__}") from None


def _pair(name: str, pair: object) -> tuple[ArrayLike, ArrayLike]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"{name}: expected a pair of A (m, 3) and b (m,), got {type(pair).__name__}")
    return pair[0], pair[1]
