"""Shapes as the native world takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kido import _core
from kido.collision import native_shape
from kido.errors import UnsupportedShapeError
from kido.skeleton import ShapeNode, Skeleton
from kido.typing import FloatArray

__all__ = ["NativeCollider", "colliders_of"]


@dataclass(frozen=True)
class NativeCollider:
    """A shape: its node, indices of its body and of the body's parent (-1: none) in the skeleton, what the
    detector takes, its pose (4, 4) on the body [m]."""

    node: ShapeNode
    body: int
    parent: int
    shape: _core.CollisionShape
    pose: FloatArray


def colliders_of(skeleton: Skeleton) -> Iterator[NativeCollider]:
    """The shapes of a skeleton that can touch others.

    Raises UnsupportedShapeError naming the node.
    """
    for index, body in enumerate(skeleton.bodies):
        if not body.collidable:
            continue
        parent = body.parent_body
        for node in body.shape_nodes:
            if node.collision:
                yield _collider(node, index, -1 if parent is None else parent.index)


def _collider(node: ShapeNode, body: int, parent: int) -> NativeCollider:
    try:
        native = native_shape(node.shape)
    except UnsupportedShapeError as error:
        raise UnsupportedShapeError(type(node.shape).__name__, node.name, error.detector) from error
    except ValueError as error:
        raise type(error)(f"{node.name}: {error}") from error
    return NativeCollider(
        node, body, parent, native.compiled, node.relative_transform @ native.T_shape_compiled
    )
