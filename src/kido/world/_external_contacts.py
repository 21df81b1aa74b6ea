"""Contacts of a step that another detector than the native one finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido import _core
from kido.collision import CollisionDetector, ContactPoints
from kido.errors import UnsupportedShapeError
from kido.shape import Sphere
from kido.skeleton import ShapeNode
from kido.typing import FloatArray

__all__ = ["ExternalContacts"]

_UNIT = 1e-6
"""By how much normals of a detector may differ from unit length."""


@dataclass(frozen=True, eq=False)
class _Shape:
    """A shape of the world: its node, its size [m], its frame in that of the native collider (4, 4)."""

    node: ShapeNode
    size: float
    T_compiled_shape: FloatArray


class ExternalContacts:
    """Asks a detector for the contacts of all pairs that are near each other, and hands them to the world."""

    __slots__ = ("_detector", "_native", "_shapes")

    def __init__(self, native: _core.World, detector: CollisionDetector) -> None:
        self._native, self._detector = native, detector
        self._shapes: list[_Shape] = []

    def add(self, node: ShapeNode, compiled: _core.CollisionShape, T_shape_compiled: FloatArray) -> None:
        """The next collider of the world."""
        self._shapes.append(_Shape(node, compiled.radius, np.asarray(np.linalg.inv(T_shape_compiled))))

    def find(self) -> None:
        """Bring the contacts of the next step into the world.

        Raises:
            UnsupportedShapeError: a pair that the detector cannot test, naming both nodes.
            TypeError, ValueError: what the detector gave is no contact points, naming the nodes.
        """
        indices, numbers = self._native.near_pairs()
        found = [
            self._ask(self._shapes[i], self._shapes[j], row)
            for (_, i, j), row in zip(indices.tolist(), numbers, strict=True)
        ]
        for (index, i, j), rows in zip(indices.tolist(), found, strict=True):
            first, second = self._shapes[i], self._shapes[j]
            single = isinstance(first.node.shape, Sphere) or isinstance(second.node.shape, Sphere)
            self._native.set_contacts(index, rows, min(first.size, second.size), single)

    def _ask(self, first: _Shape, second: _Shape, row: FloatArray) -> FloatArray:
        T_first = _transform(row[1:13]) @ first.T_compiled_shape
        T_second = _transform(row[13:25]) @ second.T_compiled_shape
        a, b = first.node, second.node
        try:
            points = self._detector.contacts(a.shape, T_first, b.shape, T_second, margin=float(row[0]))
        except UnsupportedShapeError as error:
            shapes = f"{type(a.shape).__name__} and {type(b.shape).__name__}"
            raise UnsupportedShapeError(shapes, _names(a, b), error.detector) from error
        return self._checked(points, a, b)

    def _checked(self, points: ContactPoints, a: ShapeNode, b: ShapeNode) -> FloatArray:
        """Rows of normal, points on both, gap (n, 10)."""
        what = f"{self._detector.name}, contacts of {_names(a, b)}"
        if not isinstance(points, ContactPoints):
            raise TypeError(f"{what}: expected ContactPoints, got {type(points).__name__}")
        count = len(points.depth)
        columns = [
            np.asarray(points.normal, dtype=np.float64),
            np.asarray(points.on_first, dtype=np.float64),
            np.asarray(points.on_second, dtype=np.float64),
        ]
        if any(column.shape != (count, 3) for column in columns):
            raise ValueError(f"{what}: expected arrays of shape ({count}, 3) beside {count} depths")
        rows = np.ascontiguousarray(np.column_stack([*columns, -np.asarray(points.depth, dtype=np.float64)]))
        if not np.isfinite(rows).all():
            raise ValueError(f"{what}: expected finite numbers")
        if (np.abs(np.linalg.norm(columns[0], axis=1) - 1.0) > _UNIT).any():
            raise ValueError(f"{what}: expected normals of unit length")
        return rows


def _names(a: ShapeNode, b: ShapeNode) -> str:
    return f"{a.skeleton.name}.{a.name} and {b.skeleton.name}.{b.name}"


def _transform(pose: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, 3] = pose[:3]
    T[:3, :3] = pose[3:].reshape(3, 3).T
    return T
