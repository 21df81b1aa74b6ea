"""Shapes as the native world takes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kido import _core
from kido.collision import CollisionDetector, NativeShape, native_shape
from kido.errors import ModelFileError, UnsupportedShapeError
from kido.shape import Shape
from kido.skeleton import ShapeNode, Skeleton, SkinNode
from kido.typing import FloatArray, frozen_array

__all__ = ["NativeCollider", "colliders_of"]


class NativeCollider(NamedTuple):
    """A shape: its node, indices of its body and of the body's parent (-1: none) in the skeleton, what the
    detector takes, its pose (4, 4) on the body [m], and that in the shape's own frame (4, 4) [m]."""

    node: ShapeNode
    body: int
    parent: int
    shape: _core.CollisionShape
    pose: FloatArray
    T_shape_compiled: FloatArray


def colliders_of(skeleton: Skeleton, detector: CollisionDetector | None = None) -> Iterator[NativeCollider]:
    """The shapes of a skeleton that can touch others.

    Shapes that only `detector` knows are boxes of the bounds that it tells.

    Raises UnsupportedShapeError naming the node.
    """
    for index, body in enumerate(skeleton.bodies):
        if not body.collidable:
            continue
        parent = body.parent_body
        for node in body.shape_nodes:
            if node.collision and not isinstance(node, SkinNode):
                yield _collider(node, index, -1 if parent is None else parent.index, detector)


def _collider(node: ShapeNode, body: int, parent: int, detector: CollisionDetector | None) -> NativeCollider:
    try:
        native = _native(node.shape, detector)
    except UnsupportedShapeError as error:
        raise UnsupportedShapeError(type(node.shape).__name__, node.name, error.detector) from error
    except ModelFileError as error:
        raise ValueError(f"{node.name}: mesh {error}") from error
    except ValueError as error:
        raise type(error)(f"{node.name}: {error}") from error
    pose = native.placed(node.relative_transform)
    return NativeCollider(node, body, parent, native.compiled, pose, native.T_shape_compiled)


def _native(shape: Shape, detector: CollisionDetector | None) -> NativeShape:
    try:
        return native_shape(shape)
    except UnsupportedShapeError:
        if detector is None:
            raise
    low, high = (frozen_array("bounds", corner, (3,), "m") for corner in detector.bounds(shape))
    if not (low < high).all():
        raise ValueError(f"bounds: expected the least and the greatest coordinates, got {low}, {high}")
    T = np.eye(4)
    T[:3, 3] = (low + high) / 2
    return NativeShape(_core.CollisionShape("box", (high - low) / 2), T)
