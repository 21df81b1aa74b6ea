"""Constraints as loops of joints that are to close, for the native branch and bound."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kido import _core
from kido.ik._global._body_frame import BodyFrame
from kido.ik._global._constraints import Constraint, Orientation, Position, Region, WorldRelativePosition
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._global._polytope import Polytope
from kido.math import so3_exp, so3_log
from kido.skeleton import ScrewJoint, Skeleton
from kido.typing import FloatArray

__all__ = ["LoopProblem", "ProblemTolerance"]

_AXES = np.eye(3)[::-1]
"""Axes of the three turns that stand for a rotation."""
_SMALL_LENGTH, _SMALL_ANGLE = 2e-3, 0.02
"""Half extents of boxes [m] and angles [rad] up to which a ball stands for what is allowed; beyond, it gets
variables of its own."""
_ROUNDING = 1e-14
"""Of the three turns that stand for a fixed rotation [rad]."""


@dataclass(frozen=True, slots=True)
class ProblemTolerance:
    """By how much constraints may be missed: lengths [m], angles [rad]; zeros for a search, which needs exact
    boxes instead of the balls around small ones that suit a proof."""

    length: float
    angle: float


@dataclass(slots=True, eq=False)
class LoopProblem:
    """Loops over variables: the dofs of a skeleton, and what constraints leave free.

    Attributes:
        skeleton, ranges: whose dofs they are, and in which ranges.
        tolerance: that loops are closed with.
        lower, upper: ranges of the variables [rad, m].
    """

    skeleton: Skeleton
    ranges: DofRanges
    tolerance: ProblemTolerance
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    _loops: list[tuple[_core.Loop, bool, bool, float, float]] = field(default_factory=list)
    _rows: list[tuple[list[int], FloatArray, float]] = field(default_factory=list)
    _angles: list[tuple[list[int], float]] = field(default_factory=list)
    _rotations: list[tuple[int, list[int]]] = field(default_factory=list)
    _couplings: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))

    def __post_init__(self) -> None:
        self.lower, self.upper = self.ranges.lower.tolist(), self.ranges.upper.tolist()
        self._couplings = self.ranges.couplings.copy()
        for i in np.flatnonzero(self.ranges.kinds.is_rotation).tolist():
            if self.skeleton.dofs[i].index_in_joint == 0:
                self._rotations.append((i, self._rotation_variables(i)))
                self._couplings[i : i + 3, 0] = self._rotations[-1][1]

    def add(self, constraints: list[Constraint], choice: dict[Region, int]) -> None:
        """Add constraints, regions by the polytope that is chosen of each."""
        positions = [c for c in constraints if isinstance(c, Position)]
        for constraint in constraints:
            if isinstance(constraint, Orientation):
                partner = next((p for p in positions if p.bodies == constraint.bodies), None)
                if partner is not None:
                    positions.remove(partner)
                if partner is not None and constraint.tolerance > _SMALL_ANGLE:
                    self._add_pose(partner, None)
                self._add_pose(partner, constraint)
        for position in positions:
            self._add_pose(position, None)
        for constraint in constraints:
            if isinstance(constraint, WorldRelativePosition):
                self._add_world_relative(constraint)
            if isinstance(constraint, Region):
                self._add_region(constraint, constraint.polytopes[choice[constraint]])

    def prover(self, lever: float) -> _core.LoopProver:
        """The native problem; a rotation of 1 rad counts as a lever [m]."""
        lower, upper = np.array(self.lower), np.array(self.upper)
        prover = _core.LoopProver(lower, upper, lever)
        for loop in self._loops:
            prover.add_loop(*loop)
        for row in self._rows:
            prover.add_row(*row)
        for angle in self._angles:
            prover.add_angle(*angle)
        return prover

    def start(self, positions: FloatArray) -> FloatArray:
        """Variables at positions (num_dofs,) of the skeleton, what is free in the middle [rad, m]."""
        count = len(positions)
        middle = 0.5 * (np.array(self.lower[count:]) + np.array(self.upper[count:]))
        variables = np.concatenate([positions, middle])
        for first, places in self._rotations:
            variables[places] = _angles_of(so3_exp(positions[first : first + 3]))
        return variables

    def positions(self, variables: FloatArray) -> FloatArray:
        """Positions (num_dofs,) of the skeleton at values of all variables [rad, m]."""
        positions = variables[: self.skeleton.num_dofs].copy()
        for first, places in self._rotations:
            turned = [so3_exp(axis * variables[place]) for axis, place in zip(_AXES, places, strict=True)]
            if not self.ranges.is_fixed_rotation[first]:
                positions[first : first + 3] = so3_log(turned[0] @ turned[1] @ turned[2])
        return self.ranges.place_followers(positions)

    def _rotation_variables(self, first: int) -> list[int]:
        """Three turns that stand for a rotation vector whose dofs begin at `first`."""
        if not self.ranges.is_fixed_rotation[first]:
            return [self._variable(-limit, limit) for limit in (np.pi, 0.5 * np.pi, np.pi)]
        angles = _angles_of(so3_exp(self.ranges.lower[first : first + 3]))
        return [self._variable(angle - _ROUNDING, angle + _ROUNDING) for angle in angles.tolist()]

    # ---- loops

    def _loop(self) -> _core.Loop:
        return _core.Loop(self.skeleton.tree, self._couplings)

    def _add_pose(self, position: Position | None, orientation: Orientation | None) -> None:
        one = position or orientation
        assert one is not None
        tree, loop = self.skeleton.tree, self._loop()
        tool, base = np.eye(4), np.eye(4)
        radius = angle = 0.0
        if orientation is not None:
            angle = self._add_turns(loop, orientation.tolerance)
            tool[:3, :3] = orientation.frame.pose[:3, :3]
            base[:3, :3] = orientation.reference.pose[:3, :3]
        if position is not None:
            tool[:3, 3] = position.frame.pose[:3, 3]
            box = position.reference.pose[:3, :3]
            loop.fixed(_rotation(base[:3, :3].T @ box))
            reach = self.reach(position.frame, position.reference)
            center, radius = self._add_slides(loop, position.lower, position.upper, reach)
            base = position.reference.moved(center).pose
        loop.fixed(np.linalg.inv(base))
        loop.path(one.reference.index(tree), one.frame.index(tree))
        loop.fixed(tool)
        self._loops.append((loop, position is not None, orientation is not None, radius, angle))

    def _add_world_relative(self, constraint: WorldRelativePosition) -> None:
        tree, loop = self.skeleton.tree, self._loop()
        world = BodyFrame(None, np.eye(4))
        reach = self.reach(constraint.frame, world) + self.reach(constraint.other, world)
        loop.fixed(np.linalg.inv(constraint.other.pose))
        loop.path(constraint.other.index(tree), -1)
        loop.fixed(_rotation(constraint.axes))
        center, radius = self._add_slides(loop, constraint.lower, constraint.upper, reach)
        shift = _rotation(constraint.axes.T)
        shift[:3, 3] = -center
        loop.fixed(shift)
        loop.path(-1, constraint.frame.index(tree))
        loop.fixed(constraint.frame.pose)
        self._loops.append((loop, True, False, radius, 0.0))

    def _add_region(self, constraint: Region, polytope: Polytope) -> None:
        tree, loop = self.skeleton.tree, self._loop()
        center = 0.5 * (polytope.lower + polytope.upper)
        slack = self.tolerance.length
        half = 0.5 * (polytope.upper - polytope.lower) + slack
        variables = [self._variable(-h, h) for h in half]
        for axis, variable in enumerate(variables):
            loop.slide(axis, variable, -1.0)
        for normal, offset in zip(polytope.normals, polytope.offsets, strict=True):
            self._rows.append((variables, normal, float(offset - normal @ center) + slack))
        base = np.eye(4)
        base[:3, 3] = -center
        loop.fixed(base)
        loop.path(-1, constraint.frame.index(tree))
        loop.fixed(constraint.frame.pose)
        self._loops.append((loop, True, False, 0.0, 0.0))

    # ---- what constraints leave free

    def _variable(self, low: float, high: float) -> int:
        self.lower.append(float(low))
        self.upper.append(float(high))
        return len(self.lower) - 1

    def _add_slides(
        self, loop: _core.Loop, lower: FloatArray, upper: FloatArray, reach: float
    ) -> tuple[FloatArray, float]:
        """Append the inverse of what a box of corners (3,), (3,) allows; its centre (3,), and the radius of
        what is left [m]."""
        low = np.where(np.isfinite(lower), lower, np.minimum(-reach, upper - 1.0))
        high = np.where(np.isfinite(upper), upper, np.maximum(reach, low + 1.0))
        center, half = 0.5 * (low + high), 0.5 * (high - low)
        small = _SMALL_LENGTH if self.tolerance.length > 0.0 else 0.0
        wide = half > small
        for axis in np.flatnonzero(wide).tolist():
            loop.slide(axis, self._variable(-half[axis], half[axis]), -1.0)
        return center, float(np.linalg.norm(half[~wide])) + self.tolerance.length

    def _add_turns(self, loop: _core.Loop, angle: float) -> float:
        """Append the inverse of what an angle allows; the angle that is left [rad]."""
        if angle <= (_SMALL_ANGLE if self.tolerance.angle > 0.0 else 0.0):
            return angle + self.tolerance.angle
        most = angle if angle < 0.5 * np.pi else np.pi
        ranges = (most, min(most, 0.5 * np.pi), most)  # of Rz Ry Rx
        variables = [self._variable(-limit, limit) for limit in ranges]
        for axis in range(3):
            loop.turn(axis, variables[2 - axis], -1.0)
        self._angles.append((variables, min(angle, np.pi)))
        return self.tolerance.angle

    def reach(self, *frames: BodyFrame) -> float:
        """More than frames on bodies can be away from each other [m]."""
        total = 0.0
        for frame in frames:
            total += float(np.linalg.norm(frame.pose[:3, 3]))
            if frame.body is None:
                continue
            body = self.skeleton.body(frame.body)
            for one in (body, *body.ancestors()):
                joint = one.parent_joint
                total += float(np.linalg.norm(joint.T_parent_joint[:3, 3]))
                total += float(np.linalg.norm(joint.T_child_joint[:3, 3]))
            total += sum(self._travel(i) for i in body.dependent_dof_indices)
        return total + 1.0

    def _travel(self, dof: int) -> float:
        """Largest motion of a body along the axis of a dof [m]."""
        leader, factor, offset = self.ranges.couplings[dof]
        ends = (self.ranges.lower[int(leader)], self.ranges.upper[int(leader)])
        most = max(abs(factor * end + offset) for end in ends)
        one = self.skeleton.dofs[dof]
        if isinstance(one.joint, ScrewJoint):
            return float(abs(one.joint.pitch) * most)
        return float(most) if one.coordinate.is_prismatic else 0.0


def _angles_of(R: FloatArray) -> FloatArray:
    """Angles a, b, c (3,) of R = Rz(a) Ry(b) Rx(c) [rad]."""
    a = np.arctan2(R[1, 0], R[0, 0])
    b = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    return np.array([a, b, np.arctan2(R[2, 1], R[2, 2])])


def _rotation(R: FloatArray) -> FloatArray:
    """A transform (4, 4) that only turns."""
    T = np.eye(4)
    T[:3, :3] = R
    return T
