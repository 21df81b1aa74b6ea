"""Geometry of meshes, out of files and by their triangles."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.errors import ModelFileError
from kido.shape import Mesh, meters_of, read_mesh_scene, scene_parts
from kido.typing import FloatArray
from kido.view._color import GREY
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._shading import shaded

if TYPE_CHECKING:
    from trimesh import Scene, Trimesh

__all__ = ["MeshGeometryError", "mesh_geometry"]

_KEPT_FILES = 512
_MOST_TRIANGLES = 4_000_000
"""Triangles of all scaled meshes that are kept."""


class MeshGeometryError(Exception):
    """A mesh that cannot be drawn; the message says why."""


def mesh_geometry(mesh: Mesh) -> TriangleSurface:
    """The triangles of a mesh in the coordinates of its shape, with normals, and with the colors that its
    file gives them; the same object for the same mesh.

    Lengths are meters unless the file has its unit. Files are read once, and again if they changed.

    Raises:
        MeshGeometryError: no such file, or nothing in it can be drawn.
        MissingDependencyError: the format needs a package that is not installed.
    """
    scale = tuple(mesh.scale.tolist())
    if mesh.vertices is not None and mesh.triangles is not None:
        return _KEPT.surface(
            (_digest(mesh.vertices, mesh.triangles), scale), lambda: _plain(mesh), mesh.scale
        )
    if mesh.path is None:
        raise MeshGeometryError(f"{mesh.uri}: file not found")
    place = os.path.abspath(mesh.path)
    try:
        stamp = os.stat(place).st_mtime_ns
    except OSError as error:
        raise MeshGeometryError(f"{place}: {error.strerror}") from None
    found = _read(place, stamp)
    if isinstance(found, str):
        raise MeshGeometryError(f"{place}: {found}")
    return _KEPT.surface((place, stamp, scale), lambda: found, mesh.scale)


class _ScaledMeshes:
    """Scaled surfaces by what they are made of; those used longest ago go first."""

    def __init__(self) -> None:
        self._found: OrderedDict[Any, TriangleSurface] = OrderedDict()
        self._count = 0

    def surface(self, key: Any, make: Any, scale: FloatArray) -> TriangleSurface:
        """The surface of a key, made and scaled by (3,) [1] unless it is known."""
        if key in self._found:
            self._found.move_to_end(key)
            return self._found[key]
        made = _scaled(make(), scale)
        self._found[key] = made
        self._count += len(made.triangles)
        while self._count > _MOST_TRIANGLES and len(self._found) > 1:
            self._count -= len(self._found.popitem(last=False)[1].triangles)
        return made


_KEPT = _ScaledMeshes()


def _plain(mesh: Mesh) -> TriangleSurface:
    assert mesh.vertices is not None and mesh.triangles is not None
    return shaded(_joined_points(mesh.vertices, mesh.triangles.astype(np.int64)))


def _joined_points(points: FloatArray, triangles: Any) -> TriangleSurface:
    """Equal points become one, so that normals are smooth where triangles have points of their own."""
    unique, inverse = np.unique(points + 0.0, axis=0, return_inverse=True)
    return TriangleSurface(unique, inverse.reshape(-1)[triangles])


def _scaled(surface: TriangleSurface, scale: FloatArray) -> TriangleSurface:
    if (scale == 1.0).all() or not len(surface.triangles):
        return surface
    triangles = surface.triangles[:, ::-1] if np.prod(scale) < 0.0 else surface.triangles
    if (scale == scale[0]).all():
        normals = surface.normals
        turned = None if normals is None else normals * np.sign(scale[0])
        return TriangleSurface(surface.points * scale, triangles, turned, surface.colors)
    return shaded(TriangleSurface(surface.points * scale, triangles, None, surface.colors))


def _digest(*arrays: FloatArray) -> bytes:
    digest = hashlib.blake2b()
    for array in arrays:
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


@lru_cache(maxsize=_KEPT_FILES)
def _read(path: str, stamp: int) -> TriangleSurface | str:
    """The surface, or why there is none; `stamp` is the time of the file's last change."""
    try:
        parts = _parts(Path(path), read_mesh_scene(Path(path)))
    except ModelFileError as error:
        return error.message
    if any(part.colors is not None for part in parts):
        parts = [part if part.colors is not None else part.painted(GREY) for part in parts]
    surface = TriangleSurface.joined(map(shaded, parts))
    return surface if len(surface.triangles) else "there are no triangles in it"


def _parts(path: Path, scene: Scene) -> list[TriangleSurface]:
    from trimesh import Trimesh

    meters = meters_of(scene)
    parts = []
    for transform, geometry in scene_parts(path, scene):
        if isinstance(geometry, Trimesh):
            points = np.asarray(geometry.vertices, dtype=np.float64)
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is left out
                placed = (points @ transform[:3, :3].T + transform[:3, 3]) * meters
            triangles = np.asarray(geometry.faces, dtype=np.int64)
            mirrored = np.linalg.det(transform[:3, :3]) < 0.0
            parts.append(_finite(placed, triangles[:, ::-1] if mirrored else triangles, _colors(geometry)))
    return parts


def _colors(mesh: Trimesh) -> FloatArray | None:
    """Colors (k, 4) that the file gives the points; None where it gives none."""
    visual, count = mesh.visual, len(mesh.vertices)
    if visual.kind is None:
        return None
    if visual.kind == "texture":
        image = getattr(visual.material, "image", getattr(visual.material, "baseColorTexture", None))
        textured = image is not None and visual.uv is not None
        rgba = visual.to_color().vertex_colors if textured else visual.material.main_color
    else:
        rgba = visual.vertex_colors
    return np.broadcast_to(np.asarray(rgba, dtype=np.float64) / 255.0, (count, 4))


def _finite(points: FloatArray, triangles: Any, colors: FloatArray | None) -> TriangleSurface:
    """A surface without triangles that reach to infinity, and without points that no triangle has."""
    finite = np.asarray(np.isfinite(points).all(axis=1))
    kept = triangles[finite[triangles].all(axis=1)]
    used, renumbered = np.unique(kept, return_inverse=True)
    return TriangleSurface(
        points[used], renumbered.reshape(-1, 3), None, None if colors is None else colors[used]
    )
