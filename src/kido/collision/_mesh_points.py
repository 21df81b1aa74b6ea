"""Points of mesh files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido.shape import Mesh
from kido.typing import FloatArray

if TYPE_CHECKING:
    from trimesh import Scene

__all__ = ["mesh_points", "mesh_scene", "meters_of"]


def mesh_points(mesh: Mesh) -> FloatArray:
    """The points of a mesh in the coordinates of its shape (n, 3) [m], of triangles or not.

    Lengths are meters unless the file has its unit.

    Raises:
        ValueError: the file is missing, or cannot be read.
    """
    return _points(mesh_scene(mesh)) * mesh.scale


def mesh_scene(mesh: Mesh) -> Scene:
    """What stands in a mesh file, or the triangles that the mesh has itself.

    Raises ValueError where the file is missing, or cannot be read.
    """
    import trimesh

    if mesh.vertices is not None and mesh.triangles is not None:
        faces = mesh.triangles.astype(np.int64)
        return trimesh.Scene(trimesh.Trimesh(mesh.vertices, faces, process=False))
    if mesh.path is None:
        raise ValueError(f"mesh {mesh.uri!r}: the file was not found")
    try:
        return trimesh.load_scene(mesh.path)
    except Exception as error:  # parsers of foreign files raise whatever a broken file leads them to
        raise ValueError(f"mesh {mesh.path}: {type(error).__name__}: {error}") from error


def meters_of(scene: Scene) -> float:
    """Length of the unit of a file [m]; 1 where it has none."""
    from trimesh.units import unit_conversion

    return 1.0 if scene.units is None else float(unit_conversion(scene.units, "meters"))


def _points(scene: Scene) -> FloatArray:
    parts = [np.empty((0, 3))]
    for node in sorted(scene.graph.nodes_geometry):
        transform, name = scene.graph[node]
        points = np.asarray(scene.geometry[name].vertices)
        parts.append(points @ transform[:3, :3].T + transform[:3, 3])
    joined = np.concatenate(parts) * meters_of(scene)
    return np.asarray(joined[np.isfinite(joined).all(axis=1)])
