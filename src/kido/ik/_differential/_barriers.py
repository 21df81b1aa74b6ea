"""Barriers: functions of positions that stay at 0 or above."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from kido.collision import CollisionFilter
from kido.collision import distance as nearest_shapes
from kido.frame import WORLD, Frame
from kido.ik._differential._limits import RowsLimit
from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.typing import FloatArray, frozen_array
from kido.values import checked_part, checked_positive

__all__ = ["BodySphereBarrier", "CollisionAvoidance", "DifferentialBarrier"]


class DifferentialBarrier(RowsLimit):
    """Functions h (m,) of positions that stay at 0 or above: dh/dt >= -gain h / dt.

    A barrier of your own derives from this class, calls `__init__`, and defines `compute_values` and
    `compute_jacobian`.

    Source: Ames et al., Control barrier functions: theory and applications (2019).
    """

    __slots__ = ("_gain",)

    def __init__(self, *, gain: float = 0.5) -> None:
        """The part of h that a step may use up [-], above 0, at most 1. Raises TypeError or ValueError."""
        self._gain = float(frozen_array("gain", gain, ()))
        if not 0.0 < self._gain <= 1.0:
            raise ValueError(f"gain: expected a number above 0, at most 1, got {self._gain}")

    @property
    def gain(self) -> float:
        """The part of h that a step may use up [-]."""
        return self._gain

    @abstractmethod
    def compute_values(self, robot: Skeleton) -> FloatArray:
        """h (m,) where the robot stands."""

    @abstractmethod
    def compute_jacobian(self, robot: Skeleton) -> FloatArray:
        """Derivative (m, num_dofs) of the rate of h by velocities."""

    def compute_rows(self, robot: Skeleton, dt: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The derivative, and the rate of h that is allowed."""
        h = np.atleast_1d(np.asarray(self.compute_values(robot), dtype=float))
        return np.atleast_2d(self.compute_jacobian(robot)), -self._gain / dt * h, np.full(len(h), np.inf)


class BodySphereBarrier(DifferentialBarrier):
    """The origins of two frames stay apart, as those of two balls."""

    __slots__ = ("_first", "_least", "_second")

    def __init__(self, first: Frame, second: Frame, distance: float, *, gain: float = 0.5) -> None:
        """Two frames, one of which the robot moves, and their least distance [m]."""
        super().__init__(gain=gain)
        self._first: Frame = checked_part("first", Frame, first)
        self._second: Frame = checked_part("second", Frame, second)
        self._least = checked_positive("distance", distance, "m")

    def compute_values(self, robot: Skeleton) -> FloatArray:
        """The distance less the least one (1,) [m]."""
        return np.array([np.linalg.norm(self._way()) - self._least])

    def compute_jacobian(self, robot: Skeleton) -> FloatArray:
        """Derivative (1, num_dofs) of the distance; zeros where the origins are the same."""
        way = self._way()
        length = float(np.linalg.norm(way))
        direction = way / length if length > 0.0 else np.zeros(3)
        J = _linear_jacobian(robot, self._first) - _linear_jacobian(robot, self._second)
        return np.asarray((direction @ J)[None])

    def _way(self) -> FloatArray:
        ends = (np.asarray(frame.transform())[:3, 3] for frame in (self._first, self._second))
        first, second = ends
        return np.asarray(first - second)


def _linear_jacobian(robot: Skeleton, frame: Frame, offset: FloatArray | None = None) -> FloatArray:
    """Of a point of a frame (3, num_dofs), in world axes; zeros where the robot does not move it."""
    J = robot.jacobian(frame, offset, in_coordinates_of=WORLD)
    return np.asarray(J[3:])


class CollisionAvoidance(DifferentialBarrier):
    """Shapes keep a distance: those of the robot among each other, or from others.

    Of every pair that is nearer than `influence`, the nearest points; the distance is that of kido's
    detectors, signed.
    """

    __slots__ = ("_filter", "_influence", "_least", "_pairs")

    def __init__(
        self,
        pairs: Sequence[tuple[ShapeNode, ShapeNode]],
        distance: float,
        *,
        influence: float | None = None,
        gain: float = 0.5,
    ) -> None:
        """Pairs of shape nodes, of one robot or two, and their least distance [m].

        Args:
            pairs: which are tested.
            distance: least distance [m], 0 or above.
            influence: the distance from which on a pair counts [m]; None: 0.1 m beyond the least.
            gain: the part of what is left that a step may use up.

        Raises TypeError or ValueError naming the argument.
        """
        super().__init__(gain=gain)
        self._pairs: tuple[tuple[ShapeNode, ShapeNode], ...] = tuple(
            (checked_part("pairs", ShapeNode, a), checked_part("pairs", ShapeNode, b)) for a, b in pairs
        )
        self._least = float(frozen_array("distance", distance, (), "m"))
        if self._least < 0.0:
            raise ValueError(f"distance: expected 0 or above [m], got {self._least}")
        self._influence = (
            self._least + 0.1 if influence is None else checked_positive("influence", influence, "m")
        )
        if self._influence <= self._least:
            raise ValueError(f"influence: expected above distance {self._least} [m], got {self._influence}")

    @classmethod
    def of(
        cls, robot: Skeleton, distance: float, *, filter: CollisionFilter | None = None, **settings: Any
    ) -> CollisionAvoidance:
        """Of all pairs of shapes of a robot that a filter lets meet; None: a new CollisionFilter."""
        shapes = nearest_shapes(robot, filter=filter).shapes
        return cls([(pair[0], pair[1]) for pair in shapes], distance, **settings)

    @property
    def pairs(self) -> tuple[tuple[ShapeNode, ShapeNode], ...]:
        """The pairs that are tested."""
        return self._pairs

    def compute_values(self, robot: Skeleton) -> FloatArray:
        """Distances less the least one (m,) [m], of pairs that are near."""
        return self._near(robot)[0]

    def compute_jacobian(self, robot: Skeleton) -> FloatArray:
        """Their derivative (m, num_dofs)."""
        return self._near(robot)[1]

    def compute_rows(self, robot: Skeleton, dt: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows of the pairs that are near."""
        h, J = self._near(robot)
        return J, -self.gain / dt * h, np.full(len(h), np.inf)

    def _near(self, robot: Skeleton) -> tuple[FloatArray, FloatArray]:
        h, rows = [], []
        for a, b in self._pairs:
            found = nearest_shapes(a, b)
            if not found.distance < self._influence:
                continue
            h.append(float(found.distance) - self._least)
            parts = ((a, found.on_first, 1.0), (b, found.on_second, -1.0))
            rows.append(
                sum(sign * (found.normal @ _point_jacobian(robot, node, p)) for node, p, sign in parts)
            )
        return np.array(h), np.array(rows).reshape(len(h), robot.num_dofs)


def _point_jacobian(robot: Skeleton, node: ShapeNode, point: FloatArray) -> FloatArray:
    """Of a point (3,) in the world that a shape's body carries (3, num_dofs)."""
    body: BodyNode = node.body
    if body.skeleton is not robot:
        return np.zeros((3, robot.num_dofs))
    T = np.asarray(body.transform())
    return _linear_jacobian(robot, body, T[:3, :3].T @ (point - T[:3, 3]))
