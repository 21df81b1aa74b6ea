"""Substitute for a mesh that cannot be read: the edges of a box."""

from __future__ import annotations

import numpy as np

from kido.skeleton import ShapeNode
from kido.typing import FloatArray
from kido.view._scene._geometry import Lines
from kido.view._scene._inertia_box import inertia_edges
from kido.view._scene._mesh_geometry import MeshGeometryError
from kido.view._scene._shape_geometry import shape_geometry

__all__ = ["substitute_box"]

_THICKNESS = 0.01
"""Radius of the edges, by the diagonal of the box."""
_LARGEST = 0.4
"""Diagonal of a box that nothing but the inertia tells, by the size of the skeleton."""
_SMALL = 0.1
"""Edge of the box on a body without mass, by the size of the skeleton."""


def substitute_box(node: ShapeNode, size: float) -> tuple[Lines, FloatArray]:
    """A box around the other shapes of the body of a mesh, or as large as the body's inertia tells, and its
    pose (4, 4) on the body [m]; `size` of the skeleton [m]."""
    points = _other_points(node)
    pose = np.eye(4)
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
        pose[:3, 3] = 0.5 * (low + high)
        edges = high - low
    else:
        found = inertia_edges(node.body.inertia)
        edges, pose = (np.full(3, _SMALL * size), pose) if found is None else found
        edges = edges * min(1.0, _LARGEST * size / float(np.linalg.norm(edges)))
    return _edges_of(edges), pose


def _other_points(node: ShapeNode) -> FloatArray:
    """Points (k, 3) of the other shapes of its body, in the body's frame [m]."""
    found = [np.empty((0, 3))]
    for other in node.body.shape_nodes:
        try:
            points = shape_geometry(other.shape).points if other is not node else found[0]
        except MeshGeometryError:
            continue
        found.append(points @ other.relative_transform[:3, :3].T + other.relative_transform[:3, 3])
    return np.concatenate(found)


def _edges_of(lengths: FloatArray) -> Lines:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * lengths
    pairs = [(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit]
    return Lines(corners[np.array(pairs)], _THICKNESS * float(np.linalg.norm(lengths)))
