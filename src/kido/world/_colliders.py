"""Shapes as the native world takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kido.errors import UnsupportedShapeError
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Shape, Sphere
from kido.skeleton import ShapeNode, Skeleton
from kido.typing import FloatArray

__all__ = ["NativeCollider", "colliders_of"]

_SPHERE, _CAPSULE, _BOX, _CYLINDER, _CONE, _ELLIPSOID, _PLANE = range(7)


@dataclass(frozen=True)
class NativeCollider:
    """A shape: its node, indices of its body and of the body's parent (-1: none) in the skeleton, kind, sizes
    (3,) [m], pose (12,) on the body [m]: origin, then axes by columns."""

    node: ShapeNode
    body: int
    parent: int
    kind: int
    size: FloatArray
    pose: FloatArray


def colliders_of(skeleton: Skeleton) -> Iterator[NativeCollider]:
    """The shapes of a skeleton that can touch others.

    Raises UnsupportedShapeError naming the node.
    """
    for index, body in enumerate(skeleton.bodies):
        if not body.collidable:
            continue
        for node in body.nodes(ShapeNode):
            if node.collision:
                parent = body.parent_body
                yield _collider(node, index, -1 if parent is None else parent.index)


def _collider(node: ShapeNode, body: int, parent: int) -> NativeCollider:
    kind, size = _kind_and_size(node, node.shape)
    T = node.relative_transform
    if isinstance(node.shape, Plane):
        T = T @ _plane_pose(node.shape)
    pose = np.concatenate([T[:3, 3], T[:3, :3].T.ravel()])
    return NativeCollider(node, body, parent, kind, np.array(size, dtype=float), pose)


def _kind_and_size(node: ShapeNode, shape: Shape) -> tuple[int, tuple[float, float, float]]:
    match shape:
        case Sphere():
            return _SPHERE, (shape.radius, 0.0, 0.0)
        case Capsule():
            return _CAPSULE, (shape.radius, shape.length / 2, 0.0)
        case Box():
            x, y, z = (shape.size / 2).tolist()
            return _BOX, (x, y, z)
        case Cylinder():
            return _CYLINDER, (shape.radius, shape.length / 2, 0.0)
        case Cone():
            return _CONE, (shape.radius, shape.length / 2, 0.0)
        case Ellipsoid():
            x, y, z = shape.radii.tolist()
            return _ELLIPSOID, (x, y, z)
        case Plane():
            return _PLANE, (0.0, 0.0, 0.0)
    raise UnsupportedShapeError(type(shape).__name__, node.name, "the native detector")


def _plane_pose(plane: Plane) -> FloatArray:
    """A frame whose x-y plane is the plane, z outwards (4, 4)."""
    z = plane.normal
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (x @ z)
    x = x / np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    T[:3, 3] = z * plane.offset
    return T
