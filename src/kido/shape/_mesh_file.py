"""Mesh files: STL, OBJ, DAE, PLY, GLB, glTF, OFF and MSH."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kido.errors import MissingDependencyError, ModelFileError
from kido.shape._mesh_checks import check_mesh_bytes, plain_mesh_bytes
from kido.shape._msh import msh_triangles
from kido.shape._stl import binary_stl_points
from kido.typing import FloatArray

if TYPE_CHECKING:
    from trimesh import Scene

__all__ = [
    "MAX_MESH_BYTES",
    "MESH_SUFFIXES",
    "meters_of",
    "not_finite",
    "read_mesh_bytes",
    "read_mesh_scene",
    "read_msh",
    "read_stl_points",
    "scene_parts",
]

MAX_MESH_BYTES = 512 * 2**20
"""Size of the largest mesh file that is read."""

MESH_SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off", ".msh")
"""Formats of meshes, by suffix."""


def read_mesh_bytes(path: Path) -> bytes:
    """Content of a mesh file: a regular one, of a known format, of at most `MAX_MESH_BYTES`.

    Raises ModelFileError.
    """
    if path.suffix.lower() not in MESH_SUFFIXES:
        known = ", ".join(MESH_SUFFIXES)
        raise ModelFileError(str(path), None, None, f"expected a mesh of suffix {known}")
    return _regular_bytes(path)


def _regular_bytes(path: Path) -> bytes:
    try:
        return _read_regular(path)
    except OSError as error:
        raise ModelFileError(str(path), None, None, error.strerror or str(error)) from error


def _read_regular(path: Path) -> bytes:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError(str(path), None, None, "expected a regular file")
    if status.st_size > MAX_MESH_BYTES:
        limit = f"expected a mesh of at most {MAX_MESH_BYTES // 2**20} MiB"
        raise ModelFileError(str(path), None, None, f"{limit}, got {status.st_size / 2**20:.0f} MiB")
    with open(path, "rb") as file:
        return file.read(MAX_MESH_BYTES)


def read_stl_points(path: Path, scale: FloatArray) -> FloatArray | None:
    """Corners (3 n, 3) of the n triangles of a binary STL file, times `scale` (3,); None for a text.

    Raises ModelFileError, for coordinates that are not finite too.
    """
    found = _stl_points(path, read_mesh_bytes(path), scale.tolist())
    if found is None:
        return None
    points, wrong = found
    if wrong:
        raise not_finite(str(path), wrong)
    return points


def _stl_points(path: Path, data: bytes, scale: Sequence[float]) -> tuple[FloatArray, int] | None:
    """As `binary_stl_points`; raises ModelFileError."""
    x, y, z = scale
    try:
        return binary_stl_points(data, (x, y, z))
    except ValueError as error:
        raise ModelFileError(str(path), None, None, str(error)) from None


def read_msh(path: Path) -> tuple[FloatArray, NDArray[np.intp]]:
    """Points (n, 3) and triangles (m, 3) of an MSH file. Raises ModelFileError."""
    data = read_mesh_bytes(path)
    try:
        return msh_triangles(data)
    except ValueError as error:
        raise ModelFileError(str(path), None, None, str(error)) from None


def not_finite(file: str, count: int) -> ModelFileError:
    """The error of a mesh that has points that are not finite."""
    return ModelFileError(file, None, None, f"expected finite coordinates, got {count} points that are not")


def read_mesh_scene(path: Path, *, joined: bool = True, others: list[str] | None = None) -> Scene:
    """Content of a mesh file, as trimesh has it.

    Equal points are `joined`, and those that are not finite left out; else all are as the file has them.
    Names in it lead to files in the folder above the mesh's, and nowhere else; `others` gets those that were
    looked for.

    Raises ModelFileError for what cannot be read, is no mesh, or is cut off; MissingDependencyError for a
    format that needs another package.
    """
    import trimesh

    suffix = path.suffix.lower()
    if suffix == ".msh":
        return trimesh.Scene(trimesh.Trimesh(*read_msh(path), process=joined))
    data = read_mesh_bytes(path)
    corners = _stl_points(path, data, (1.0, 1.0, 1.0)) if suffix == ".stl" else None
    if corners is not None:
        triangles = np.arange(len(corners[0])).reshape(-1, 3)
        return trimesh.Scene(trimesh.Trimesh(corners[0], triangles, process=joined))
    resolver = _resolver(path.parent, [] if others is None else others)
    try:
        check_mesh_bytes(suffix, data)
        data = plain_mesh_bytes(suffix, data)
        with warnings.catch_warnings():
            # What a parser does with newer versions of numpy is not the file's fault.
            warnings.simplefilter("ignore", DeprecationWarning)
            return trimesh.load_scene(BytesIO(data), file_type=suffix[1:], resolver=resolver, process=joined)
    except ImportError as error:
        raise MissingDependencyError("pycollada", "render", path.name) from error
    except MemoryError:
        raise
    except Exception as error:  # parsers of foreign files raise whatever a broken file leads them to
        raise _mesh_error(path, error) from error


def scene_parts(path: Path, scene: Scene) -> Iterator[tuple[FloatArray, Any]]:
    """The parts of a mesh file, each with its transform (4, 4), by the names of their nodes.

    Raises ModelFileError: transforms are put together when they are asked for.
    """
    try:
        for node in sorted(scene.graph.nodes_geometry):
            transform, name = scene.graph[node]
            yield transform, scene.geometry[name]
    except Exception as error:
        raise _mesh_error(path, error) from error


def _mesh_error(path: Path, error: Exception) -> ModelFileError:
    """Error of the file for what a parser of meshes raised."""
    text = str(error) or "what it says cannot be"
    text = text if type(error) is ValueError else f"{type(error).__name__}: {text}"
    return ModelFileError(str(path), None, None, text)


def meters_of(scene: Scene) -> float:
    """Length of the unit of a file [m]; 1 where it has none."""
    from trimesh.units import unit_conversion

    return 1.0 if scene.units is None else float(unit_conversion(scene.units, "meters"))


def _resolver(folder: Path, others: list[str]) -> Any:
    """Finds the files that a mesh names, images, materials, buffers, and adds them to `others`."""
    from trimesh.resolvers import Resolver

    root = os.path.realpath(folder.parent)

    class NearbyFiles(Resolver):  # type: ignore[misc]
        """Files in the folder above that of a mesh, and below it."""

        def __init__(self) -> None:
            pass

        def get(self, name: str) -> bytes:
            place = os.path.realpath(folder / name.strip())
            others.append(place)
            if not place.startswith(root + os.sep):
                raise ValueError(f"a file outside of {root}: {name[:200]}")
            return _regular_bytes(Path(place))

        def write(self, name: str, data: bytes) -> None:
            raise NotImplementedError

        def keys(self) -> list[str]:
            return []

        def namespaced(self, namespace: str) -> Any:
            return _resolver(folder / namespace, others)

    return NearbyFiles()
