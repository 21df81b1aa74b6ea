"""Items of shapes and inertias."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kido.errors import MissingDependencyError
from kido.shape import Plane
from kido.skeleton import ShapeNode, Skeleton
from kido.typing import FloatArray
from kido.view._color import GREY, INERTIA, MISSING, TOUCHING
from kido.view._scene._inertia_box import inertia_box
from kido.view._scene._item import DrawnItem, Layer
from kido.view._scene._mesh_geometry import MeshGeometryError
from kido.view._scene._placed import Placed, joined_key
from kido.view._scene._shape_geometry import shape_geometry
from kido.view._scene._stick_figure import skeleton_size
from kido.view._scene._substitute import substitute_box

__all__ = ["inertia_items", "shape_items"]

_BEHIND_STICKS, _OF_CONTACTS, _OF_INERTIAS = 0.25, 0.4, 0.6
"""Opacity of shapes that sticks are seen through, of shapes for contact around those for looks, of boxes of
inertia."""


def shape_items(
    skeleton: Skeleton, path: str, layers: tuple[Layer, ...], problems: list[str]
) -> Iterator[Placed]:
    """The shapes of a skeleton; `problems` gets what cannot be drawn, in whose place a box stands."""
    looks, contacts = Layer.VISUAL in layers, Layer.COLLISION in layers
    fade = _BEHIND_STICKS if Layer.STICKS in layers else 1.0
    for index, body in enumerate(skeleton.bodies):
        for node in body.shape_nodes:
            if looks and node.visual:
                yield _shape(node, index, path, Layer.VISUAL, fade, problems)
            elif contacts and node.collision:
                yield _shape(node, index, path, Layer.COLLISION, fade, problems, over=looks)


def inertia_items(skeleton: Skeleton, path: str) -> Iterator[Placed]:
    """Boxes that have the inertias of the bodies; none of a skeleton that cannot move."""
    if not (skeleton.mobile and skeleton.num_dofs):
        return
    for index, body in enumerate(skeleton.bodies):
        found = inertia_box(body.inertia)
        if found is not None:
            key = joined_key(path, body.name, Layer.INERTIA.value)
            rgba = INERTIA * np.array([1.0, 1.0, 1.0, _OF_INERTIAS])
            yield Placed(DrawnItem(key, Layer.INERTIA, found[0], rgba), index, found[1], body)


def _shape(
    node: ShapeNode,
    index: int,
    path: str,
    layer: Layer,
    fade: float,
    problems: list[str],
    *,
    over: bool = False,
) -> Placed:
    key = joined_key(path, node.body.name, layer.value, node.name)
    try:
        geometry = shape_geometry(node.shape)
    except (MeshGeometryError, MissingDependencyError) as error:
        problems.append(f"{node.skeleton.name!r}: mesh of {node.name!r} is drawn as a box: {error}")
        box, pose = substitute_box(node, skeleton_size(node.skeleton))
        return Placed(DrawnItem(key, layer, box, MISSING, has_shadow=False), index, pose, node)
    if over:
        rgba: FloatArray | None = TOUCHING * np.array([1.0, 1.0, 1.0, _OF_CONTACTS])
    elif node.material is not None:
        rgba = node.material.rgba * np.array([1.0, 1.0, 1.0, fade])
    elif geometry.colors is not None and fade == 1.0:
        rgba = None
    else:
        rgba = GREY * np.array([1.0, 1.0, 1.0, fade])
    ends = not isinstance(node.shape, Plane)
    item = DrawnItem(key, layer, geometry, rgba, is_bounded=ends, has_shadow=ends)
    return Placed(item, index, node.relative_transform, node)
