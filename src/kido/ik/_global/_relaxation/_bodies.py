"""Bodies of a skeleton in maximal coordinates: rotations and positions as variables, joints as rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from kido.ik._global._body_frame import BodyFrame
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._global._relaxation._options import RelaxationOptions
from kido.ik._global._relaxation._program import Affine, MixedIntegerProgram
from kido.ik._global._relaxation._rotation import add_rotation, unit_directions
from kido.skeleton import (
    BallJoint,
    BodyNode,
    EulerJoint,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    ScrewJoint,
    Skeleton,
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
        self._bounds: dict[str | None, tuple[FloatArray, FloatArray]] = {None: (np.eye(3), np.eye(3))}
        wanted = {one.name for name in names for one in skeleton.body(name).ancestors()}
        self.names = [body.name for body in skeleton.bodies if body.name in wanted]
        for name in self.names:
            self._add(skeleton.body(name))

    # ---- places

    def rotation(self, frame: BodyFrame) -> list[Vector]:
        """Rotation (3, 3) of a frame on a body."""
        return _times(self._rotations[frame.body], frame.pose[:3, :3])

    def position(self, frame: BodyFrame) -> Vector:
        """Position (3,) of a frame's origin [m]."""
        moved = _apply(self._rotations[frame.body], frame.pose[:3, 3])
        return _sum(self._positions[frame.body], moved)

    def values(self, x: FloatArray) -> dict[str, FloatArray]:
        """Poses (4, 4) [m] of the bodies at values of all variables; rotations need not be rotations."""
        poses = {}
        for name in self.names:
            pose = np.eye(4)
            pose[:3, :3] = [[entry.value(x) for entry in row] for row in self._rotations[name]]
            pose[:3, 3] = [entry.value(x) for entry in self._positions[name]]
            poses[name] = pose
        return poses

    # ---- joints

    def _add(self, body: BodyNode) -> None:
        joint, parent = body.parent_joint, body.parent_body
        above = None if parent is None else parent.name
        low, high = self._rotation_bounds(joint, above)
        self._bounds[body.name] = low, high
        if (high - low).max() < 1e-12:
            self._rotations[body.name] = [
                [Affine(None, float(low[i, j])) for j in range(3)] for i in range(3)
            ]
        elif isinstance(joint, WeldJoint | PrismaticJoint):
            turn = joint.T_parent_joint[:3, :3] @ joint.T_child_joint[:3, :3].T
            self._rotations[body.name] = _times(self._rotations[above], turn)
        else:
            self._rotations[body.name] = add_rotation(self.program, low, high, self._options)
        origin = [self.program.variable(-self._reach, self._reach) for _ in range(3)]
        self._positions[body.name] = origin
        self._join(joint, above, body.name)

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
            self._near(gap, joint)
        if isinstance(joint, RevoluteJoint | ScrewJoint):
            self._align(self.rotation(parent), self.rotation(child), joint.axis, dofs[0])

    def _close(self, gap: Vector) -> None:
        for part in gap:
            self.program.add_row(part, 0.0, 0.0)

    def _slide(self, gap: Vector, axes: list[Vector], axis: FloatArray, pitch: float, dof: int) -> None:
        """gap = pitch q (axes axis), each product in McCormick's envelope."""
        low, high = self._range(dof)
        low, high = sorted((pitch * low, pitch * high))
        travel = self.program.variable(low, high)
        for part, along in zip(gap, _apply(axes, axis), strict=True):
            for (corner, is_low), end in itertools.product(((low, True), (high, False)), (-1.0, 1.0)):
                same = is_low == (end < 0.0)
                # (travel - corner) (along - end) is positive where both are lower ends or both upper ones.
                rows = [(1.0, part), (-end, travel), (-corner, along)]
                total = Affine.sum_of(rows, corner * end)
                self.program.add_row(total, 0.0 if same else -np.inf, np.inf if same else 0.0)

    def _near(self, gap: Vector, joint: Joint) -> None:
        """Translations of other joints: none of the gap's parts is larger than all of them together."""
        most = self._reach
        for part in gap:
            self.program.add_row(part, -most, most)

    def _align(self, above: list[Vector], below: list[Vector], axis: FloatArray, dof: int) -> None:
        """The axis is the same in both, and vectors normal to it are within the limits' angle."""
        self._close(_sum(_apply(below, axis), _apply(above, axis), -1.0))
        low, high = self._range(dof)
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
        for direction in unit_directions():
            row = Affine.sum_of(zip(direction.tolist(), vector, strict=True))
            self.program.add_row(row, -np.inf, most)

    # ---- bounds

    def _range(self, dof: int) -> tuple[float, float]:
        """Least and largest position of a dof, by its leader's [rad, m]."""
        leader, factor, offset = self._ranges.couplings[dof]
        ends = (
            factor * self._ranges.lower[int(leader)] + offset,
            factor * self._ranges.upper[int(leader)] + offset,
        )
        return min(ends), max(ends)

    def _rotation_bounds(self, joint: Joint, above: str | None) -> tuple[FloatArray, FloatArray]:
        """Bounds (3, 3), (3, 3) of the entries of a child's rotation."""
        low, high = self._bounds[above]
        if isinstance(joint, WeldJoint | PrismaticJoint):
            turn = np.array(joint.T_parent_joint[:3, :3] @ joint.T_child_joint[:3, :3].T)
            return _clipped(*_interval_product(low, high, turn, turn))
        if not isinstance(joint, RevoluteJoint | ScrewJoint):
            return -np.ones((3, 3)), np.ones((3, 3))
        least, most = self._turn_bounds(joint.axis, *self._range(joint.dofs[0].index))
        before, after = joint.T_parent_joint[:3, :3], joint.T_child_joint[:3, :3].T
        low, high = _interval_product(low, high, before, before)
        low, high = _interval_product(low, high, least, most)
        return _clipped(*_interval_product(low, high, after, after))

    @staticmethod
    def _turn_bounds(axis: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
        """Bounds of the entries of rotations about an axis by an angle between limits."""
        cosines, sines = _range_of_cosine(low, high), _range_of_cosine(low - 0.5 * np.pi, high - 0.5 * np.pi)
        along = np.outer(axis, axis)
        across, turn = np.eye(3) - along, np.cross(np.eye(3), axis)
        parts = [
            np.minimum(matrix * least, matrix * most)
            for matrix, (least, most) in ((across, cosines), (turn, sines))
        ]
        ends = [
            np.maximum(matrix * least, matrix * most)
            for matrix, (least, most) in ((across, cosines), (turn, sines))
        ]
        return along + parts[0] + parts[1], along + ends[0] + ends[1]


def _range_of_cosine(low: float, high: float) -> tuple[float, float]:
    ends = np.cos(low), np.cos(high)
    has_most = np.floor(high / (2 * np.pi)) >= np.ceil(low / (2 * np.pi))
    has_least = np.floor((high - np.pi) / (2 * np.pi)) >= np.ceil((low - np.pi) / (2 * np.pi))
    return (-1.0 if has_least else min(ends), 1.0 if has_most else max(ends))


def _interval_product(
    low: FloatArray, high: FloatArray, least: FloatArray, most: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds of the products of matrices (3, 3) between bounds."""
    corners = np.stack([a[:, :, None] * b[None] for a in (low, high) for b in (least, most)])
    return corners.min(axis=0).sum(axis=1), corners.max(axis=0).sum(axis=1)


def _clipped(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    margin = np.where(high - low < 1e-12, 0.0, 1e-9)
    return np.clip(low - margin, -1.0, 1.0), np.clip(high + margin, -1.0, 1.0)


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
