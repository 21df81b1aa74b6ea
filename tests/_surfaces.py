"""Surfaces of triangles for kido, and for coal."""

from __future__ import annotations

import coal
import trimesh
from _solids import Floats

from kido import _core
from kido.collision import triangle_mesh


def compiled(mesh: trimesh.Trimesh) -> _core.CollisionShape:
    """A mesh for the native detector."""
    surface = triangle_mesh(mesh.vertices, mesh.faces)
    return _core.CollisionShape.mesh(surface.vertices, surface.triangles.ravel().tolist())


def coal_surface(vertices: Floats, faces: Floats) -> coal.BVHModelOBBRSS:
    """Triangles, faces (m, 3) of vertices (n, 3), for coal."""
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in vertices:
        points.append(vertex)
    for face in faces.tolist():
        triangles.append(coal.Triangle(*face))
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(vertices))
    model.addSubModel(points, triangles)
    model.endModel()
    return model
