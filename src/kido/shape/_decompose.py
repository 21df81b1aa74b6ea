"""Convex parts of meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from kido.errors import MissingDependencyError
from kido.shape._mesh import Mesh
from kido.shape._mesh_cache import mesh_cache
from kido.shape._triangles import load_triangles
from kido.typing import FloatArray
from kido.values import checked_positive, checked_whole

__all__ = ["decompose"]

_MOST_PARTS = 1024
_MOST_VOXELS = 2**24
_LEAST_VOXELS = 1000


def decompose(
    mesh: Mesh, *, max_parts: int = 32, resolution: int = 100_000, max_error: float = 1.0
) -> tuple[Mesh, ...]:
    """Convex meshes that together nearly are a mesh, by V-HACD (Mamou, Lengyel and Peters 2016).

    The parts overlap slightly and fill its volume; each touches others as what it is. They are kept in the
    user's cache (see `mesh_cache`), and have the mesh's name with a number.

    Args:
        mesh: with triangles that bound a volume; small holes are closed.
        max_parts: most parts, 1 to 1024.
        resolution: number of voxels by which the mesh is understood, 1000 to 2**24.
        max_error: volume of a part's hull that may lie outside of the mesh, in percent [-].

    Raises:
        MissingDependencyError: vhacdx is not installed.
        ModelFileError, ValueError: as `load_triangles`; a mesh without triangles.
        TypeError, ValueError: a setting that is no number, or out of its range.
    """
    settings = {
        "max_parts": _within("max_parts", max_parts, 1, _MOST_PARTS),
        "resolution": _within("resolution", resolution, _LEAST_VOXELS, _MOST_VOXELS),
        "max_error": checked_positive("max_error", max_error, "-"),
    }
    surface = load_triangles(mesh).joined
    if not len(surface.triangles):
        raise ValueError(f"mesh {mesh.uri!r}: expected triangles, got none")
    cache = mesh_cache()
    key = "" if cache is None else cache.key("vhacd", surface.vertices, surface.triangles, **settings)
    found = None if cache is None else cache.load(key)
    if found is None:
        found = _parts(surface.vertices, surface.triangles, settings)
        if cache is not None:
            cache.store(key, found)
    count = len(found) // 2
    return tuple(
        Mesh(None, f"{mesh.uri}#{k}", vertices=found[f"vertices{k}"], triangles=found[f"triangles{k}"])
        for k in range(count)
    )


def _within(name: str, value: int, least: int, most: int) -> int:
    number = checked_whole(name, value)
    if not least <= number <= most:
        raise ValueError(f"{name}: expected {least} to {most}, got {number}")
    return number


def _parts(vertices: FloatArray, triangles: Any, settings: dict[str, float]) -> dict[str, Any]:
    try:
        from vhacdx import compute_vhacd
    except ImportError as error:
        raise MissingDependencyError("vhacdx", "decomposition", "decompose") from error
    parts = compute_vhacd(
        vertices,
        triangles.astype(np.uint32),
        maxConvexHulls=int(settings["max_parts"]),
        resolution=int(settings["resolution"]),
        minimumVolumePercentErrorAllowed=settings["max_error"],
    )
    found: dict[str, Any] = {}
    for k, (points, faces) in enumerate(parts):
        found[f"vertices{k}"] = np.asarray(points, dtype=np.float64)
        found[f"triangles{k}"] = np.asarray(faces, dtype=np.intp).reshape(-1, 3)
    return found
