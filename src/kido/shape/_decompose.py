"""Convex parts of meshes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.errors import MissingDependencyError
from kido.shape._mesh import Mesh
from kido.shape._mesh_cache import mesh_cache
from kido.shape._triangles import Triangles, load_triangles
from kido.values import checked_positive, checked_whole

__all__ = ["decompose"]

_MOST_PARTS = 1024
_MOST_ITERATIONS = 10_000


def decompose(
    mesh: Mesh, *, max_parts: int = 32, concavity: float = 0.05, iterations: int = 150
) -> tuple[Mesh, ...]:
    """Convex meshes that together nearly are a mesh, by CoACD (Wei, Liu, Ling and Su, "Approximate convex
    decomposition for 3D meshes with collision-aware concavity and tree search", 2022).

    The parts touch each other and nearly fill its volume; each touches others as what it is. They are kept in
    the user's cache (see `mesh_cache`), and have the mesh's name with a number. A mesh that is not closed, or
    whose triangles cross each other, is wrapped first, which makes it larger by up to a fiftieth.

    Args:
        mesh: with triangles.
        max_parts: most parts, 1 to 1024.
        concavity: how far a part may be from its hull, by half of the mesh's size, 0.01 to 1 [-].
        iterations: of the search for each cut, 1 to 10000; fewer are quicker and leave more parts.

    Raises:
        MissingDependencyError: coacd is not installed.
        ModelFileError, ValueError: as `load_triangles`; a mesh without triangles.
        TypeError, ValueError: a setting that is no number, or out of its range.
    """
    settings = {
        "max_parts": _within("max_parts", checked_whole("max_parts", max_parts), 1, _MOST_PARTS),
        "concavity": _within("concavity", checked_positive("concavity", concavity, "-"), 0.01, 1.0),
        "iterations": _within("iterations", checked_whole("iterations", iterations), 1, _MOST_ITERATIONS),
    }
    surface = load_triangles(mesh).joined
    if not len(surface.triangles):
        raise ValueError(f"mesh {mesh.uri!r}: expected triangles, got none")
    cache = mesh_cache()
    key = "" if cache is None else cache.key("coacd", surface.vertices, surface.triangles, **settings)
    found = None if cache is None else cache.load(key)
    if found is None:
        found = _parts(surface, settings)
        if cache is not None:
            cache.store(key, found)
    return tuple(
        Mesh(None, f"{mesh.uri}#{k}", vertices=found[f"vertices{k}"], triangles=found[f"triangles{k}"])
        for k in range(len(found) // 2)
    )


def _within(name: str, number: float, least: float, most: float) -> float:
    if not least <= number <= most:
        raise ValueError(f"{name}: expected {least:g} to {most:g}, got {number:g}")
    return number


def _parts(surface: Triangles, settings: dict[str, float]) -> dict[str, NDArray[Any]]:
    try:
        import coacd
    except ImportError as error:
        raise MissingDependencyError("coacd", "decomposition", "decompose") from error
    coacd.set_log_level("error")
    parts = coacd.run_coacd(
        coacd.Mesh(surface.vertices, surface.triangles.astype(np.int32)),
        threshold=settings["concavity"],
        max_convex_hull=int(settings["max_parts"]),
        mcts_iterations=int(settings["iterations"]),
        seed=0,
    )
    found: dict[str, NDArray[Any]] = {}
    for k, (points, faces) in enumerate(parts):
        found[f"vertices{k}"] = np.asarray(points, dtype=np.float64)
        found[f"triangles{k}"] = np.asarray(faces, dtype=np.intp).reshape(-1, 3)
    return found
