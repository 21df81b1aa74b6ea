"""The mixed-integer convex relaxation of a problem of global inverse kinematics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import numpy as np

from kido.errors import UnknownNameError
from kido.ik._global._constraints import (
    Constraint,
    Orientation,
    Position,
    Region,
    WorldRelativePosition,
)
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._global._posture_cost import PostureCost
from kido.ik._global._relaxation._bodies import RelaxedBodies, Vector
from kido.ik._global._relaxation._options import RelaxationApproach, RelaxationOptions, RelaxationSolver
from kido.ik._global._relaxation._program import Affine, MixedIntegerProgram, ProgramResult
from kido.ik._global._relaxation._rotation import unit_directions
from kido.ik._global._relaxation._rotation_bounds import Bounds, clipped
from kido.math import so3_log
from kido.skeleton import PrismaticJoint, RevoluteJoint, ScrewJoint, Skeleton
from kido.typing import FloatArray
from kido.values import Value, array, flag, items, number, value, whole

__all__ = ["GlobalIKRelaxation", "RelaxedPosture"]


_SOLVER_TOLERANCE = 1e-5
"""By which constraints are loosened at least, so that solvers, which miss rows by 1e-6, do not call a program
infeasible that has a solution [m, rad]."""


_ROUNDS = 3
"""Of the feasibility pump, before the branch and bound: those that succeed mostly need one or two."""


@value
class RelaxedPosture(Value):
    """Solution of a relaxation: poses of bodies that need not be rigid, and bounds. Its array is
    read-only.

    Attributes:
        infeasible: whether the relaxation has no solution, and so no posture satisfies the constraints, as
            far as the solver's tolerances go.
        body_names: bodies that the constraints depend on; none where no poses were found.
        transforms: their poses (b, 4, 4) [m].
        cost: of the poses; bound: no posture costs less.
        nodes: of the solver's branch and bound.
    """

    infeasible: bool = flag()
    body_names: tuple[str, ...] = items(str)
    transforms: FloatArray = array(-1, 4, 4, unit="m")
    cost: float = number(finite=False, default=math.inf)
    bound: float = number(finite=False, default=-math.inf)
    nodes: int = whole(default=0)

    @property
    def found(self) -> bool:
        """Whether there are poses."""
        return bool(self.body_names)

    def body_rotation_matrix(self, name: str) -> FloatArray:
        """The matrix (3, 3) that stands for the rotation of a body, dimensionless; raises UnknownNameError
        where there is none."""
        rotation: FloatArray = self.transforms[self._index(name), :3, :3]
        return rotation

    def body_position(self, name: str) -> FloatArray:
        """The position (3,) of a body [m]; raises UnknownNameError where there is none."""
        position: FloatArray = self.transforms[self._index(name), :3, 3]
        return position

    def _index(self, name: str) -> int:
        if name not in self.body_names:
            raise UnknownNameError("body", name, self.body_names)
        return self.body_names.index(name)


class GlobalIKRelaxation:
    """The relaxation of Dai, Izatt and Tedrake, "Global inverse kinematics via mixed-integer convex
    optimization" (2019): rotation matrices and positions of the bodies are variables, joints are linear
    rows, and products of the entries of rotations are relaxed in cells that binary variables choose.

    Only bodies on the paths that constraints touch are variables; entries of rotations that the limits
    leave no choice have no binary variables. `GlobalIK.relaxation` makes one.
    """

    __slots__ = ("_bodies", "_options", "_program", "_ranges", "_search", "_skeleton")

    def __init__(
        self,
        skeleton: Skeleton,
        ranges: DofRanges,
        constraints: Sequence[Constraint],
        costs: Sequence[PostureCost],
        tolerances: tuple[float, float],
        reach: float,
        options: RelaxationOptions,
        search: Callable[[float], FloatArray | None],
    ) -> None:
        """`search`: gives positions (num_dofs,) that satisfy the constraints, if it finds any within a time
        [s]."""
        self._skeleton, self._ranges, self._options = skeleton, ranges, options
        self._search = search
        program = self._program = MixedIntegerProgram()
        names = {name for constraint in constraints for name in constraint.bodies if name is not None}
        length, angle = (max(tolerance, _SOLVER_TOLERANCE) for tolerance in tolerances)
        names |= {name for cost in costs for name in cost.names(skeleton)}
        self._bodies = RelaxedBodies(
            program, skeleton, ranges, names, _known(constraints, angle), options, reach
        )
        for constraint in constraints:
            self._require(constraint, length, angle)
        program.cost = Affine.sum_of([term for cost in costs for term in self._cost_terms(cost)])

    @property
    def options(self) -> RelaxationOptions:
        """Options that it was made with."""
        return self._options

    @property
    def num_variables(self) -> int:
        """Number of variables of the program."""
        return self._program.num_variables

    @property
    def num_binaries(self) -> int:
        """Number of variables that are 0 or 1."""
        return self._program.num_binaries

    @property
    def num_rows(self) -> int:
        """Number of linear rows."""
        return self._program.num_rows

    def solve(self, *, time_budget: float = 60.0) -> RelaxedPosture:
        """Solve the program within a time [s].

        Where any solution will do, it is looked for first beside a posture that inverse kinematics finds.
        """
        end = time.perf_counter() + time_budget
        found = None
        if self._any_will_do:
            found = self._beside_posture(end)
            if found is None and self._is_pumped:
                found = self._pump(end - time.perf_counter())
        if found is None:
            found = self._program.solve(self._options.solver, max(end - time.perf_counter(), 0.0))
        return self._posture(found)

    @property
    def _any_will_do(self) -> bool:
        """Whether any solution will do, and HiGHS is to find it."""
        is_linear = self._options.solver is RelaxationSolver.HIGHS
        return is_linear and not self._program.cost.terms and self._program.num_binaries > 0

    @property
    def _is_pumped(self) -> bool:
        """Whether branch and bound takes much longer than linear programs: where products are variables."""
        return self._options.approach is not RelaxationApproach.BOX_SPHERE_INTERSECTION

    def _beside_posture(self, end: float) -> ProgramResult | None:
        """A solution in the cells of rotations of a posture that is found by `end` [s], or None."""
        q = self._search(max(0.5 * (end - time.perf_counter()), 0.0))
        if q is None:
            return None
        _, fixed = self._bodies.near(self._rotations_at(q))
        found = self._program.solve_with(Affine(), fixed, max(end - time.perf_counter(), 0.0))
        return None if found.x is None else found

    def _pump(self, time_budget: float) -> ProgramResult | None:
        """A solution, a proof that there is none, or None, by a feasibility pump (Fischetti et al. 2005).

        Without its integers the program is a linear one; the joint positions that come near its solution have
        cells of rotations in which the program may have a solution, and are where the next linear one aims.
        """
        end, cost = time.perf_counter() + time_budget, Affine()

        def left() -> float:
            return max(end - time.perf_counter(), 0.0)

        for _ in range(_ROUNDS):
            relaxed = self._program.solve_with(cost, {}, left(), integral=False)
            if relaxed.infeasible:
                return relaxed
            if relaxed.x is None:
                return None
            cost, fixed = self._bodies.near(self._rotations(relaxed))
            found = self._program.solve_with(Affine(), fixed, left())
            if found.x is not None:
                return found
        return None

    def _rotations(self, found: ProgramResult) -> dict[str, FloatArray]:
        """Rotations (3, 3) of bodies at joint positions that come near a solution."""
        return self._rotations_at(self.reconstruct(self._posture(found)))

    def _rotations_at(self, q: FloatArray) -> dict[str, FloatArray]:
        tree = self._skeleton.tree
        indices = {name: self._skeleton.body(name).index for name in self._bodies.names}
        return {name: np.asarray(tree.transform(q, index))[:3, :3] for name, index in indices.items()}

    def _posture(self, found: ProgramResult) -> RelaxedPosture:
        names = () if found.x is None else tuple(self._bodies.names)
        poses = np.zeros((0, 4, 4)) if found.x is None else self._bodies.values(found.x)
        return RelaxedPosture(found.infeasible, names, poses, found.cost, found.bound, found.nodes)

    def reconstruct(self, posture: RelaxedPosture) -> FloatArray:
        """Positions (num_dofs,) [rad, m] that come near relaxed poses, within the limits: a seed, not a
        posture. Dofs of bodies that are not in the program keep the skeleton's positions."""
        q = np.array(self._skeleton.positions)
        poses = dict(zip(posture.body_names, posture.transforms, strict=True))
        for name in self._bodies.names:
            if name not in poses:
                continue
            body = self._skeleton.body(name)
            joint, parent = body.parent_joint, body.parent_body
            above = np.eye(4) if parent is None else poses[parent.name]
            F = above @ joint.T_parent_joint
            M = poses[name] @ joint.T_child_joint
            turn = _nearest_rotation(F[:3, :3].T @ M[:3, :3])
            if isinstance(joint, RevoluteJoint | ScrewJoint):
                q[joint.dofs[0].index] = _angle_about(turn, joint.axis)
            elif isinstance(joint, PrismaticJoint):
                q[joint.dofs[0].index] = float((F[:3, :3] @ joint.axis) @ (M[:3, 3] - F[:3, 3]))
            elif joint.num_dofs in (3, 6) and not joint.dofs[0].coordinate.is_additive:
                first = joint.dofs[0].index
                q[first : first + 3] = so3_log(turn)
                if joint.num_dofs == 6:
                    q[first + 3 : first + 6] = F[:3, :3].T @ (M[:3, 3] - F[:3, 3])
        return self._ranges.place_followers(self._ranges.clip(q))

    # ---- constraints

    def _require(self, constraint: Constraint, length: float, angle: float) -> None:
        if isinstance(constraint, Position):
            self._require_position(constraint, length)
        elif isinstance(constraint, WorldRelativePosition):
            there, here = self._bodies.position(constraint.frame), self._bodies.position(constraint.other)
            difference = [Affine.sum_of([(1.0, a), (-1.0, b)]) for a, b in zip(there, here, strict=True)]
            self._box(difference, constraint.axes, np.zeros(3), constraint.lower, constraint.upper, length)
        elif isinstance(constraint, Orientation):
            self._require_orientation(constraint, angle)
        elif isinstance(constraint, Region):
            self._require_region(constraint, length)

    def _require_position(self, constraint: Position, length: float) -> None:
        point, reference = self._bodies.position(constraint.frame), constraint.reference
        if reference.body is None:
            pose = reference.pose
            self._box(point, pose[:3, :3], pose[:3, 3], constraint.lower, constraint.upper, length)
            return
        # In a frame that turns, the box is in a ball about its centre.
        half = 0.5 * (constraint.upper - constraint.lower)
        if np.isfinite(half).all():
            center = self._bodies.position(reference.moved(0.5 * (constraint.lower + constraint.upper)))
            most = float(np.linalg.norm(half)) + length
            for direction in unit_directions():
                parts = [*zip(direction.tolist(), point, strict=True)]
                parts += zip((-direction).tolist(), center, strict=True)
                self._program.add_row(Affine.sum_of(parts), -np.inf, most)

    def _box(
        self,
        point: Vector,
        axes: FloatArray,
        origin: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        length: float,
    ) -> None:
        for k in range(3):
            row = Affine.sum_of(zip(axes[:, k].tolist(), point, strict=True), -float(axes[:, k] @ origin))
            self._program.add_row(row, float(lower[k]) - length, float(upper[k]) + length)

    def _require_orientation(self, constraint: Orientation, tolerance: float) -> None:
        angle = min(constraint.tolerance + tolerance, np.pi)
        R, wanted = self._bodies.rotation(constraint.frame), self._bodies.rotation(constraint.reference)
        most = 2.0 * np.sin(0.5 * angle)
        for i in range(3):
            for j in range(3):
                row = Affine.sum_of([(1.0, R[i][j]), (-1.0, wanted[i][j])])
                self._program.add_row(row, -most, most)
        if constraint.reference.body is None:
            pose = constraint.reference.pose
            parts = [(float(pose[i, j]), R[i][j]) for i in range(3) for j in range(3)]
            self._program.add_row(Affine.sum_of(parts), 1.0 + 2.0 * float(np.cos(angle)), np.inf)

    def _require_region(self, constraint: Region, length: float) -> None:
        """The point is the sum of one in the chosen polytope and zeros in the others."""
        point = self._bodies.position(constraint.frame)
        chosen = [self._program.variable(0.0, 1.0, binary=True) for _ in constraint.polytopes]
        self._program.add_row(Affine.sum_of((1.0, one) for one in chosen), 1.0, 1.0)
        parts: list[list[tuple[float, Affine]]] = [[(-1.0, point[k])] for k in range(3)]
        for polytope, one in zip(constraint.polytopes, chosen, strict=True):
            most = float(np.abs([polytope.lower, polytope.upper]).max()) + length
            own = [self._program.variable(-most, most) for _ in range(3)]
            for normal, offset in zip(polytope.normals, polytope.offsets, strict=True):
                rows = [*zip(normal.tolist(), own, strict=True), (-(float(offset) + length), one)]
                self._program.add_row(Affine.sum_of(rows), -np.inf, 0.0)
            for k in range(3):
                parts[k].append((1.0, own[k]))
                for sign in (1.0, -1.0):
                    self._program.add_row(Affine.sum_of([(sign, own[k]), (-most, one)]), -np.inf, 0.0)
        for part in parts:
            self._program.add_row(Affine.sum_of(part), 0.0, 0.0)

    def _cost_terms(self, cost: PostureCost) -> list[tuple[float, Affine]]:
        """Distances by cones, or by planes that touch them; 1 - cos of angles is linear."""
        total: list[tuple[float, Affine]] = []
        for frame, pose, position_cost, orientation_cost in cost.terms(self._skeleton):
            if position_cost > 0.0:
                distance = self._program.variable(0.0, 1e6)
                offsets = zip(self._bodies.position(frame), pose[:3, 3].tolist(), strict=True)
                off = [Affine.sum_of([(1.0, p)], -there) for p, there in offsets]
                if not self._options.linear_constraint_only:
                    self._program.add_cone(off, distance)
                for direction in unit_directions():
                    row = [*zip(direction.tolist(), off, strict=True), (-1.0, distance)]
                    self._program.add_row(Affine.sum_of(row), -np.inf, 0.0)
                total.append((position_cost, distance))
            if orientation_cost > 0.0:
                R = self._bodies.rotation(frame)
                parts = [(-0.5 * float(pose[i, j]), R[i][j]) for i in range(3) for j in range(3)]
                turned = Affine.sum_of(parts, 1.5)
                error = self._program.variable(0.0, 2.0)
                self._program.add_row(Affine.sum_of([(1.0, turned), (-1.0, error)]), -np.inf, 0.0)
                total.append((orientation_cost, error))
        return total


def _known(constraints: Sequence[Constraint], tolerance: float) -> dict[str, Bounds]:
    """Bounds of the rotations of bodies whose orientation in the world is required."""
    known = {}
    for one in constraints:
        if isinstance(one, Orientation) and one.reference.body is None and one.frame.body is not None:
            wanted = one.reference.pose[:3, :3] @ one.frame.pose[:3, :3].T
            most = 2.0 * np.sin(0.5 * min(one.tolerance + tolerance, np.pi))
            known[one.frame.body] = clipped(wanted - most, wanted + most)
    return known


def _nearest_rotation(M: FloatArray) -> FloatArray:
    """The rotation nearest to a matrix (3, 3)."""
    U, _, Vt = np.linalg.svd(M)
    sign = np.sign(np.linalg.det(U @ Vt))
    rotation: FloatArray = U @ np.diag([1.0, 1.0, sign]) @ Vt
    return rotation


def _angle_about(R: FloatArray, axis: FloatArray) -> float:
    """The angle [rad] of the rotation about an axis that is nearest to R."""
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(axis @ skew, np.trace(R) - axis @ R @ axis))
