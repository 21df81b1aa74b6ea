"""Constraints and costs of a posture problem, as the user adds them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from kido.collision import CollisionFilter
from kido.ik._posture._costs import (
    AngleBetweenVectorsCost,
    CenterOfMassCost,
    GazeTargetCost,
    OrientationCost,
    PointToLineDistanceCost,
    PointToPointDistanceCost,
    PositionCost,
    PostureCost,
)
from kido.ik._posture._custom import FunctionConstraint, FunctionCost
from kido.ik._posture._direction_constraints import AngleBetweenVectorsConstraint, GazeTargetConstraint
from kido.ik._posture._equilibrium import StaticEquilibriumConstraint, SupportContact
from kido.ik._posture._frame_place import FrameLike
from kido.ik._posture._own_parts import of_own_parts
from kido.ik._posture._point_distances import PointToLineDistanceConstraint, PointToPointDistanceConstraint
from kido.ik._posture._pose_constraints import (
    LoopClosureConstraint,
    OrientationConstraint,
    PolyhedronConstraint,
    PositionConstraint,
)
from kido.ik._posture._shape_distances import (
    MinimumDistanceLowerBoundConstraint,
    MinimumDistanceUpperBoundConstraint,
    Pair,
    ShapeDistanceConstraint,
    ShapePairs,
)
from kido.ik._posture._term import PostureConstraint, PostureCostTerm, PostureTerm
from kido.ik._posture._whole_body import CenterOfMassConstraint, JointCouplingConstraint
from kido.optimize import DeclaredAttributes
from kido.skeleton import DegreeOfFreedom, ShapeNode, Skeleton
from kido.typing import ArrayLike, RotationLike

__all__ = ["ConstraintList"]

T = TypeVar("T", bound=PostureTerm)
_ORIGIN = (0.0, 0.0, 0.0)


class ConstraintList(DeclaredAttributes):
    """Base of posture problems: constraints and costs, listed, added and removed.

    Each method makes a value of the class of its name, adds it and returns it; arguments, units and errors
    are the class's. One that cannot be added leaves the problem as it was.
    """

    __slots__ = ("_constraints", "_costs")

    def __init__(self) -> None:
        self._constraints: tuple[PostureConstraint, ...] = ()
        self._costs: tuple[PostureCostTerm, ...] = ()

    @property
    @abstractmethod
    def skeletons(self) -> tuple[Skeleton, ...]:
        """Whose positions are looked for."""

    @abstractmethod
    def _require(self, terms: tuple[PostureTerm, ...]) -> None:
        """Take note of a change; raises where added terms do not go with the skeletons."""

    @property
    def constraints(self) -> tuple[PostureConstraint, ...]:
        """Constraints of postures, in the order in which they were added."""
        return self._constraints

    @property
    def costs(self) -> tuple[PostureCostTerm, ...]:
        """Costs of postures."""
        return self._costs

    def add(self, term: T) -> T:
        """Add a constraint or a cost; returns it.

        Raises TypeError for what is none, ValueError or UnknownNameError where it names what is not there.
        """
        if isinstance(term, PostureConstraint):
            self._require((term,))
            self._constraints = (*self._constraints, term)
        elif isinstance(term, PostureCostTerm):
            self._require((term,))
            self._costs = (*self._costs, term)
        else:
            raise TypeError(f"term: expected a constraint or cost of postures, got {type(term).__name__}")
        return term

    def remove(self, term: PostureTerm) -> None:
        """Remove the last constraint or cost that is equal to one. Raises ValueError where there is none."""
        for listed in (self._constraints, self._costs):
            for i in range(len(listed) - 1, -1, -1):
                if listed[i] is term or listed[i] == term:
                    rest = (*listed[:i], *listed[i + 1 :])
                    if listed is self._constraints:
                        self._set(rest, self._costs)
                    else:
                        self._set(self._constraints, rest)
                    return
        raise ValueError("term: expected a constraint or cost of the problem")

    def clear(self) -> None:
        """Remove all constraints and costs."""
        self._set((), ())

    def _set(self, constraints: tuple[PostureConstraint, ...], costs: tuple[PostureCostTerm, ...]) -> None:
        known = {id(term) for term in (*self._constraints, *self._costs)}
        self._require(tuple(term for term in (*constraints, *costs) if id(term) not in known))
        self._constraints, self._costs = constraints, costs

    # ---- constraints

    @of_own_parts
    def add_position_constraint(
        self,
        frame: FrameLike,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        point: ArrayLike = _ORIGIN,
        relative_to: FrameLike = None,
    ) -> PositionConstraint:
        """A point (3,) of a frame is in a box of another one: lower (3,) and upper (3,) [m]."""
        return self.add(PositionConstraint(frame, lower, upper, point=point, relative_to=relative_to))

    @of_own_parts
    def add_orientation_constraint(
        self,
        frame: FrameLike,
        angle_bound: float = 0.0,
        *,
        rotation: RotationLike | None = None,
        relative_to: FrameLike = None,
    ) -> OrientationConstraint:
        """The axes of a frame are those of a rotation (3, 3) in another, turned by at most an angle [rad]."""
        return self.add(OrientationConstraint(frame, angle_bound, rotation=rotation, relative_to=relative_to))

    @of_own_parts
    def add_gaze_target_constraint(
        self,
        frame: FrameLike,
        axis: ArrayLike,
        target: ArrayLike,
        half_angle: float,
        *,
        source: ArrayLike = _ORIGIN,
        target_frame: FrameLike = None,
    ) -> GazeTargetConstraint:
        """A target (3,) [m] is within the cone of a frame about an axis (3,) [rad]."""
        return self.add(
            GazeTargetConstraint(frame, axis, target, half_angle, source=source, target_frame=target_frame)
        )

    @of_own_parts
    def add_angle_between_vectors_constraint(
        self,
        frame: FrameLike,
        vector: ArrayLike,
        other_vector: ArrayLike,
        lower: float,
        upper: float,
        *,
        other_frame: FrameLike = None,
    ) -> AngleBetweenVectorsConstraint:
        """The angle between vectors (3,) of two frames is between bounds [rad]."""
        return self.add(
            AngleBetweenVectorsConstraint(frame, vector, other_vector, lower, upper, other_frame=other_frame)
        )

    @of_own_parts
    def add_point_to_point_distance_constraint(
        self,
        frame: FrameLike,
        lower: float,
        upper: float,
        *,
        point: ArrayLike = _ORIGIN,
        other_frame: FrameLike = None,
        other_point: ArrayLike = _ORIGIN,
    ) -> PointToPointDistanceConstraint:
        """The distance of points (3,) of two frames is between bounds [m]."""
        return self.add(
            PointToPointDistanceConstraint(
                frame, lower, upper, point=point, other_frame=other_frame, other_point=other_point
            )
        )

    @of_own_parts
    def add_point_to_line_distance_constraint(
        self,
        frame: FrameLike,
        direction: ArrayLike,
        lower: float,
        upper: float,
        *,
        point: ArrayLike = _ORIGIN,
        line_frame: FrameLike = None,
        line_point: ArrayLike = _ORIGIN,
    ) -> PointToLineDistanceConstraint:
        """The distance of a point (3,) from a line of another frame is between bounds [m]."""
        return self.add(
            PointToLineDistanceConstraint(
                frame, direction, lower, upper, point=point, line_frame=line_frame, line_point=line_point
            )
        )

    @of_own_parts
    def add_polyhedron_constraint(
        self,
        frame: FrameLike,
        points: ArrayLike,
        A: ArrayLike,
        b: ArrayLike,
        *,
        relative_to: FrameLike = None,
    ) -> PolyhedronConstraint:
        """Points (n, 3) of a frame satisfy A p <= b in another one [m]."""
        return self.add(PolyhedronConstraint(frame, points, A, b, relative_to=relative_to))

    @of_own_parts
    def add_distance_constraint(
        self, first: ShapeNode, second: ShapeNode, lower: float, upper: float = np.inf
    ) -> ShapeDistanceConstraint:
        """The signed distance of two shapes is between bounds [m]."""
        return self.add(ShapeDistanceConstraint(first, second, lower, upper))

    @of_own_parts
    def add_minimum_distance_lower_bound_constraint(
        self,
        bound: float,
        influence_distance_offset: float = 0.01,
        *,
        pairs: Iterable[Pair] | None = None,
        filter: CollisionFilter | None = None,
    ) -> MinimumDistanceLowerBoundConstraint:
        """No two shapes are nearer than a bound [m].

        Args:
            bound: least signed distance [m].
            influence_distance_offset: how far beyond the bound pairs count [m], above 0.
            pairs: of shape nodes; None: those within and between the skeletons that a filter lets meet.
            filter: None: a CollisionFilter with self-collisions, of bodies that are not parent and child.

        Raises TypeError or ValueError naming the argument.
        """
        found = ShapePairs.of(self.skeletons, pairs, filter)
        influence = bound + _offset(influence_distance_offset)
        return self.add(MinimumDistanceLowerBoundConstraint(found.shapes, found.indices, bound, influence))

    @of_own_parts
    def add_minimum_distance_upper_bound_constraint(
        self,
        bound: float,
        influence_distance_offset: float,
        *,
        pairs: Iterable[Pair] | None = None,
        filter: CollisionFilter | None = None,
    ) -> MinimumDistanceUpperBoundConstraint:
        """Two shapes of one pair at least are nearer than a bound [m]; arguments as of the lower bound."""
        found = ShapePairs.of(self.skeletons, pairs, filter)
        influence = bound + _offset(influence_distance_offset)
        return self.add(MinimumDistanceUpperBoundConstraint(found.shapes, found.indices, bound, influence))

    @of_own_parts
    def add_center_of_mass_constraint(
        self,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        A: ArrayLike | None = None,
        relative_to: FrameLike = None,
        skeleton: Skeleton | str | None = None,
    ) -> CenterOfMassConstraint:
        """The centre of mass of a skeleton, or of all, is in a region: lower <= A c <= upper (m,) [m]."""
        return self.add(CenterOfMassConstraint(lower, upper, A=A, relative_to=relative_to, skeleton=skeleton))

    @of_own_parts
    def add_joint_limits(
        self, dof: DegreeOfFreedom | str, lower: float, upper: float
    ) -> JointCouplingConstraint:
        """Tighten the limits of a dof [rad, m]; equal ones lock it there."""
        return self.add(JointCouplingConstraint({dof: 1.0}, lower, upper))

    @of_own_parts
    def add_joint_coupling_constraint(
        self, coefficients: Mapping[str | DegreeOfFreedom, float], lower: float, upper: float
    ) -> JointCouplingConstraint:
        """A sum of positions of dofs, each times a number, is between bounds."""
        return self.add(JointCouplingConstraint(coefficients, lower, upper))

    @of_own_parts
    def add_loop_closure_constraint(
        self, first: FrameLike, second: FrameLike, kind: str = "weld", *, axis: ArrayLike = (0.0, 0.0, 1.0)
    ) -> LoopClosureConstraint:
        """Two frames are held together: "weld", "ball" or "hinge" about an axis (3,) of both."""
        return self.add(LoopClosureConstraint(first, second, kind, axis=axis))

    @of_own_parts
    def add_static_equilibrium_constraint(
        self,
        contacts: Iterable[SupportContact],
        *,
        skeleton: Skeleton | str | None = None,
        torque_limits: float | Mapping[str | DegreeOfFreedom, float] | None = None,
    ) -> StaticEquilibriumConstraint:
        """Forces at points and torques of dofs, within limits [N m, N], balance the weight of a skeleton."""
        given = tuple(contacts)
        return self.add(StaticEquilibriumConstraint(given, skeleton=skeleton, torque_limits=torque_limits))

    @of_own_parts
    def add_function_constraint(
        self,
        function: Any,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        derivative: Any = None,
        name: str = "function",
    ) -> FunctionConstraint:
        """A function of positions (num_dofs,) is between bounds (m,), in units of its own [-]."""
        return self.add(FunctionConstraint(function, lower, upper, derivative=derivative, name=name))

    # ---- costs

    @of_own_parts
    def add_position_cost(
        self,
        frame: FrameLike,
        target: ArrayLike,
        C: ArrayLike = 1.0,
        *,
        point: ArrayLike = _ORIGIN,
        relative_to: FrameLike = None,
    ) -> PositionCost:
        """(p - target)' C (p - target) of a point (3,) of a frame [m]."""
        return self.add(PositionCost(frame, target, C, point=point, relative_to=relative_to))

    @of_own_parts
    def add_orientation_cost(
        self,
        frame: FrameLike,
        weight: float = 1.0,
        *,
        rotation: RotationLike | None = None,
        relative_to: FrameLike = None,
    ) -> OrientationCost:
        """weight (1 - cos angle) of the rotation (3, 3) between the axes of two frames."""
        return self.add(OrientationCost(frame, weight, rotation=rotation, relative_to=relative_to))

    @of_own_parts
    def add_angle_between_vectors_cost(
        self,
        frame: FrameLike,
        vector: ArrayLike,
        other_vector: ArrayLike,
        weight: float = 1.0,
        *,
        other_frame: FrameLike = None,
    ) -> AngleBetweenVectorsCost:
        """weight (1 - cos angle) of the angle between vectors (3,) of two frames [-]."""
        return self.add(AngleBetweenVectorsCost(frame, vector, other_vector, weight, other_frame=other_frame))

    @of_own_parts
    def add_center_of_mass_cost(
        self,
        target: ArrayLike,
        C: ArrayLike = 1.0,
        *,
        relative_to: FrameLike = None,
        skeleton: Skeleton | str | None = None,
    ) -> CenterOfMassCost:
        """(c - target)' C (c - target) of the centre of mass c (3,) [m]."""
        return self.add(CenterOfMassCost(target, C, relative_to=relative_to, skeleton=skeleton))

    @of_own_parts
    def add_gaze_target_cost(
        self,
        frame: FrameLike,
        axis: ArrayLike,
        target: ArrayLike,
        weight: float = 1.0,
        *,
        source: ArrayLike = _ORIGIN,
        target_frame: FrameLike = None,
    ) -> GazeTargetCost:
        """weight (1 - cos angle) of the angle between an axis (3,) and the way to a target (3,) [m]."""
        return self.add(GazeTargetCost(frame, axis, target, weight, source=source, target_frame=target_frame))

    @of_own_parts
    def add_point_to_point_distance_cost(
        self,
        frame: FrameLike,
        weight: float = 1.0,
        *,
        point: ArrayLike = _ORIGIN,
        other_frame: FrameLike = None,
        other_point: ArrayLike = _ORIGIN,
    ) -> PointToPointDistanceCost:
        """weight times the square of the distance of points (3,) of two frames [m]."""
        return self.add(
            PointToPointDistanceCost(
                frame, weight, point=point, other_frame=other_frame, other_point=other_point
            )
        )

    @of_own_parts
    def add_point_to_line_distance_cost(
        self,
        frame: FrameLike,
        direction: ArrayLike,
        weight: float = 1.0,
        *,
        point: ArrayLike = _ORIGIN,
        line_frame: FrameLike = None,
        line_point: ArrayLike = _ORIGIN,
    ) -> PointToLineDistanceCost:
        """weight times the square of the distance of a point (3,) from a line of another frame [m]."""
        return self.add(
            PointToLineDistanceCost(
                frame, direction, weight, point=point, line_frame=line_frame, line_point=line_point
            )
        )

    @of_own_parts
    def add_posture_cost(self, positions: ArrayLike, weight: ArrayLike = 1.0) -> PostureCost:
        """d' W d of how far positions (num_dofs,) are from given ones [rad, m]."""
        return self.add(PostureCost(positions, weight))

    @of_own_parts
    def add_function_cost(
        self, function: Any, *, derivative: Any = None, name: str = "function"
    ) -> FunctionCost:
        """A function of positions (num_dofs,) that gives a number."""
        return self.add(FunctionCost(function, derivative=derivative, name=name))


def _offset(given: float) -> float:
    offset = float(given)
    if not 0.0 < offset < np.inf:
        raise ValueError(f"influence_distance_offset: expected above 0, finite [m], got {offset}")
    return offset
