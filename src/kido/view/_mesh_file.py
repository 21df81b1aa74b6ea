"""Triangles from mesh files."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kido.errors import ModelFileError
from kido.shape import meters_of, read_mesh_scene, scene_parts
from kido.typing import FloatArray, PathLike
from kido.view._surface import Surface, joined

if TYPE_CHECKING:
    from trimesh import Scene, Trimesh

__all__ = ["MeshFileError", "read_mesh"]

_KEPT_FILES = 256


class MeshFileError(Exception):
    """A mesh that cannot be drawn; the message says why."""


def read_mesh(path: PathLike) -> Surface:
    """The triangles of a file in its own coordinates [m]; transparent white where it says no color.

    Lengths are meters unless the file has its unit. Files are read once, and again if they changed.

    Raises:
        MeshFileError: no such file, or nothing in it can be drawn.
        MissingDependencyError: the format needs a package that is not installed.
    """
    place = os.path.abspath(path)
    try:
        stamp = os.stat(place).st_mtime_ns
    except OSError as error:
        raise MeshFileError(f"{place}: {error.strerror}") from None
    result = _read(place, stamp)
    if isinstance(result, str):
        raise MeshFileError(f"{place}: {result}")
    return result


@lru_cache(maxsize=_KEPT_FILES)
def _read(path: str, stamp: int) -> Surface | str:
    """The surface, or why there is none; `stamp` is the time of the file's last change."""
    try:
        surface = joined(_parts(Path(path), read_mesh_scene(Path(path))))
    except ModelFileError as error:
        return error.message
    return surface if len(surface.triangles) else "there are no triangles in it"


def _parts(path: Path, scene: Scene) -> list[Surface]:
    from trimesh import Trimesh

    metres = meters_of(scene)
    parts = []
    for transform, geometry in scene_parts(path, scene):
        if isinstance(geometry, Trimesh):
            surface = Surface(np.asarray(geometry.vertices), np.asarray(geometry.faces), _colors(geometry))
            parts.append(_finite(surface.moved(np.asarray(transform)).scaled(np.full(3, metres))))
    return parts


def _colors(mesh: Trimesh) -> FloatArray:
    """Colors (k, 4) that the file gives the points; transparent white where it gives none."""
    visual, count = mesh.visual, len(mesh.vertices)
    if visual.kind == "texture":
        image = getattr(visual.material, "image", getattr(visual.material, "baseColorTexture", None))
        textured = image is not None and visual.uv is not None
        rgba = visual.to_color().vertex_colors if textured else visual.material.main_color
    else:
        rgba = np.array([255, 255, 255, 0]) if visual.kind is None else visual.vertex_colors
    return np.broadcast_to(np.asarray(rgba, dtype=np.float64) / 255.0, (count, 4))


def _finite(surface: Surface) -> Surface:
    """The same surface without triangles that reach to infinity, and without points that no triangle has."""
    finite = np.asarray(np.isfinite(surface.points).all(axis=1))
    triangles = surface.triangles[finite[surface.triangles].all(axis=1)]
    used, renumbered = np.unique(triangles, return_inverse=True)
    return Surface(surface.points[used], renumbered.reshape(-1, 3), surface.rgba[used])
