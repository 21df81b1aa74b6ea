"""Bodies of a skeleton in maximal coordinates: rotations and positions as variables, joints as rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kido.ik._global._body_frame import BodyFrame
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._global._relaxation._options import RelaxationOptions
from kido.ik._global._relaxation._program import Affine, MixedIntegerProgram
from kido.ik._global._relaxation._rotation import Entry, add_rotation, unit_directions
from kido.ik._global._relaxation._rotation_bounds import (
    clipped,
    fixed_turn,
    interval_product,
    rotation_bounds,
)
from kido.skeleton import (
    BallJoint,
    BodyNode,
    EulerJoint,
    FreeJoint,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    ScrewJoint,
    Skeleton,
    TranslationalJoint,
    UniversalJoint,
    WeldJoint,
)
from kido.typing import FloatArray

__all__ = ["RelaxedBodies", "Vector"]

Vector = list[Affine]
_CLOSED = (WeldJoint, RevoluteJoint, UniversalJoint, EulerJoint, BallJoint)
"""Joints whose frames share their origins."""


class RelaxedBodies:
    """The bodies on the paths from the world to some bodies, as variables of a program."""

    def __init__(
        self,
        program: MixedIntegerProgram,
        skeleton: Skeleton,
        ranges: DofRanges,
        names: Iterable[str],
        known: Mapping[str, tuple[FloatArray, FloatArray]],
        options: RelaxationOptions,
        reach: float,
    ) -> None:
        self.program = program
        self.skeleton = skeleton
        self._ranges, self._options, self._reach = ranges, options, reach
        self._rotations: dict[str | None, list[Vector]] = {
            None: [[Affine(None, float(i == j)) for j in range(3)] for i in range(3)]
        }
        self._positions: dict[str | None, Vector] = {None: [Affine() for _ in range(3)]}
        self._entries: dict[str | None, tuple[list[list[Entry]], FloatArray]] = {}
        wanted = {one.name for name in names for one in skeleton.body(name).ancestors()}
        self.names = [body.name for body in skeleton.bodies if body.name in wanted]
        bounds = rotation_bounds([skeleton.body(name) for name in self.names], ranges, known)
        for name in self.names:
            self._add(skeleton.body(name), *bounds[name])

    # ---- places

    def rotation(self, frame: BodyFrame) -> list[Vector]:
        """Rotation (3, 3) of a frame on a body."""
        return _times(self._rotations[frame.body], frame.pose[:3, :3])

    def position(self, frame: BodyFrame) -> Vector:
        """Position (3,) of a frame's origin [m]."""
        moved = _apply(self._rotations[frame.body], frame.pose[:3, 3])
        return _sum(self._positions[frame.body], moved)

    def values(self, x: FloatArray) -> FloatArray:
        """Poses (b, 4, 4) [m] of the bodies at values of all variables; rotations need not be rotations."""
        poses = np.tile(np.eye(4), (len(self.names), 1, 1))
        for pose, name in zip(poses, self.names, strict=True):
            pose[:3, :3] = [[entry.value(x) for entry in row] for row in self._rotations[name]]
            pose[:3, 3] = [entry.value(x) for entry in self._positions[name]]
        return poses

    def near(self, rotations: Mapping[str, FloatArray]) -> tuple[Affine, dict[int, float]]:
        """Objective that is least where bodies have given rotations (3, 3), and the binary variables of the
        cells in which these are."""
        parts: list[tuple[float, Affine]] = []
        fixed: dict[int, float] = {}
        for name, (entries, axes) in self._entries.items():
            wanted = rotations[str(name)] @ axes
            for row, numbers in zip(entries, wanted.tolist(), strict=True):
                for entry, number in zip(row, numbers, strict=True):
                    parts.append((-number, entry.value))
                    cell = int(np.searchsorted(entry.points[1:-1], number))
                    fixed |= {j: float(sign > 0.0) for j, sign in entry.chosen[cell].terms.items()}
        return Affine.sum_of(parts), fixed

    # ---- joints

    def _add(self, body: BodyNode, low: FloatArray, high: FloatArray) -> None:
        """Variables of a body, whose rotation's entries are within bounds (3, 3), (3, 3)."""
        joint, parent = body.parent_joint, body.parent_body
        above = None if parent is None else parent.name
        turn = fixed_turn(joint, self._ranges)
        if (high - low).max() < 1e-12:
            self._rotations[body.name] = [[Affine(None, entry) for entry in row] for row in low.tolist()]
        elif turn is not None:
            self._rotations[body.name] = _times(self._rotations[above], turn)
            if above in self._entries:
                entries, axes = self._entries[above]
                self._entries[body.name] = entries, turn.T @ axes
        else:
            self._rotations[body.name] = self._add_rotation(body, above, low, high)
        self._positions[body.name] = [self.program.variable(-self._reach, self._reach) for _ in range(3)]
        self._join(joint, above, body.name)

    def _add_rotation(
        self, body: BodyNode, above: str | None, low: FloatArray, high: FloatArray
    ) -> list[Vector]:
        """The rotation of a body, whose variables are the entries of R @ axes: z along its own joint's axis,
        x normal to it and to z about the next one's, so that arms share a column from body to body."""
        axes, column = self._axes(body), None
        joint = body.parent_joint
        if isinstance(joint, RevoluteJoint | ScrewJoint) and above in self._entries:
            entries, others = self._entries[above]
            along = others.T @ joint.T_parent_joint[:3, :3] @ joint.axis
            k = int(np.argmax(np.abs(along)))
            if abs(abs(along[k]) - 1.0) < 1e-12:
                column = [row[k] if along[k] > 0.0 else row[k].negated() for row in entries]
        bounds = interval_product(low, high, axes, axes)
        found = add_rotation(self.program, *clipped(*bounds), self._options, column)
        self._entries[body.name] = found, axes
        return _times([[entry.value for entry in row] for row in found], axes.T)

    def _axes(self, body: BodyNode) -> FloatArray:
        """Axes (3, 3) of a body along which the entries of its rotation are taken, as columns."""
        joint = body.parent_joint
        if not isinstance(joint, RevoluteJoint | ScrewJoint):
            return np.eye(3)
        z = joint.T_child_joint[:3, :3] @ joint.axis
        x = _normal_to(z)
        for after in body.child_joints:
            if isinstance(after, RevoluteJoint | ScrewJoint):
                normal = after.T_parent_joint[:3, :3] @ after.axis
                normal = normal - z * (z @ normal)
                if np.linalg.norm(normal) > 1e-6:
                    x = normal / np.linalg.norm(normal)
                    break
        return np.stack([x, np.cross(z, x), z], axis=1)

    def _join(self, joint: Joint, above: str | None, below: str) -> None:
        """Rows that a joint imposes on parent and child."""
        parent = BodyFrame(above, joint.T_parent_joint)
        child = BodyFrame(below, joint.T_child_joint)
        gap = _sum(self.position(child), self.position(parent), -1.0)
        dofs = [dof.index for dof in joint.dofs]
        if isinstance(joint, _CLOSED):
            self._close(gap)
        elif isinstance(joint, PrismaticJoint | ScrewJoint):
            pitch = joint.pitch / (2.0 * np.pi) if isinstance(joint, ScrewJoint) else 1.0
            self._slide(gap, self.rotation(parent), joint.axis, pitch, dofs[0])
        else:
            self._near(gap, self.rotation(parent), joint)
        if isinstance(joint, RevoluteJoint | ScrewJoint):
            self._align(self.rotation(parent), self.rotation(child), joint.axis, dofs[0])

    def _close(self, gap: Vector) -> None:
        for part in gap:
            self.program.add_row(part, 0.0, 0.0)

    def _slide(self, gap: Vector, axes: list[Vector], axis: FloatArray, pitch: float, dof: int) -> None:
        """gap = pitch q (axes axis), each product in McCormick's envelope."""
        low, high = self._ranges.ends(dof)
        low, high = sorted((pitch * low, pitch * high))
        travel = self.program.variable(low, high)
        for part, along in zip(gap, _apply(axes, axis), strict=True):
            for (corner, is_low), end in itertools.product(((low, True), (high, False)), (-1.0, 1.0)):
                same = is_low == (end < 0.0)
                # (travel - corner) (along - end) is positive where both are lower ends or both upper ones.
                rows = [(1.0, part), (-end, travel), (-corner, along)]
                total = Affine.sum_of(rows, corner * end)
                self.program.add_row(total, 0.0 if same else -np.inf, np.inf if same else 0.0)

    def _near(self, gap: Vector, axes: list[Vector], joint: Joint) -> None:
        """Translations of other joints: within their limits where the parent's rotation is known, nowhere
        farther than all bodies together."""
        if isinstance(joint, FreeJoint | TranslationalJoint) and not any(
            x.terms for row in axes for x in row
        ):
            fixed = np.array([[x.constant for x in row] for row in axes])
            for k, dof in enumerate(joint.dofs[-3:]):
                along = Affine.sum_of((float(fixed[i, k]), gap[i]) for i in range(3))
                self.program.add_row(along, *self._ranges.ends(dof.index))
        for part in gap:
            self.program.add_row(part, -self._reach, self._reach)

    def _align(self, above: list[Vector], below: list[Vector], axis: FloatArray, dof: int) -> None:
        """The axis is the same in both, and vectors normal to it are within the limits' angle."""
        self._close(_sum(_apply(below, axis), _apply(above, axis), -1.0))
        low, high = self._ranges.ends(dof)
        if high - low >= 2.0 * np.pi - 1e-12:
            return
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        most = 2.0 * np.sin(0.5 * min(half, np.pi))
        first = _normal_to(axis)
        second = np.cross(axis, first)
        for normal in (first, second, (first + second) / np.sqrt(2.0), (first - second) / np.sqrt(2.0)):
            turned = np.cos(middle) * normal + np.sin(middle) * np.cross(axis, normal)
            off = _sum(_apply(above, turned), _apply(below, normal), -1.0)
            self._shorter(off, most)

    def _shorter(self, vector: Vector, most: float) -> None:
        """Require a vector's length below a number."""
        if not self._options.linear_constraint_only:
            self.program.add_cone(vector, Affine(None, most))
            return
        self.program.add_rows(unit_directions(), vector, -np.inf, most)


def _normal_to(axis: FloatArray) -> FloatArray:
    """A unit vector (3,) normal to one."""
    normal = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    unit: FloatArray = normal / np.linalg.norm(normal)
    return unit


def _times(R: list[Vector], matrix: FloatArray) -> list[Vector]:
    """A matrix of affine functions times one of numbers."""
    return [[Affine.sum_of((float(matrix[k, j]), row[k]) for k in range(3)) for j in range(3)] for row in R]


def _apply(R: list[Vector], vector: FloatArray) -> Vector:
    return [Affine.sum_of((float(vector[k]), row[k]) for k in range(3)) for row in R]


def _sum(a: Sequence[Affine], b: Sequence[Affine], factor: float = 1.0) -> Vector:
    return [Affine.sum_of([(1.0, x), (factor, y)]) for x, y in zip(a, b, strict=True)]
