"""Points of mesh files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.shape import Mesh
from kido.typing import FloatArray

if TYPE_CHECKING:
    from trimesh import Scene

__all__ = ["mesh_points"]


def mesh_points(mesh: Mesh) -> FloatArray:
    """The points of a mesh in the coordinates of its shape (n, 3) [m], of triangles or not.

    Lengths are meters unless the file has its unit.

    Raises:
        ValueError: the file is missing, or cannot be read.
    """
    if mesh.path is None:
        raise ValueError(f"mesh {mesh.uri!r}: the file was not found")
    import trimesh

    try:
        scene = trimesh.load_scene(mesh.path)
    except Exception as error:  # parsers of foreign files raise whatever a broken file leads them to
        raise ValueError(f"mesh {mesh.path}: {type(error).__name__}: {error}") from error
    return _points(scene) * mesh.scale


def _points(scene: Scene) -> FloatArray:
    from trimesh.units import unit_conversion

    metres = 1.0 if scene.units is None else unit_conversion(scene.units, "meters")
    parts = [np.empty((0, 3))]
    for node in sorted(scene.graph.nodes_geometry):
        transform, name = scene.graph[node]
        points = np.asarray(scene.geometry[name].vertices)
        parts.append(points @ transform[:3, :3].T + transform[:3, 3])
    joined = np.concatenate(parts) * metres
    return np.asarray(joined[np.isfinite(joined).all(axis=1)])
