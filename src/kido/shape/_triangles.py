"""Triangles of a mesh, and what they bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kido.errors import ModelFileError
from kido.shape._mesh import Mesh
from kido.shape._mesh_cache import is_cache_off
from kido.shape._mesh_file import (
    meters_of,
    not_finite,
    read_mesh_scene,
    read_msh,
    read_stl_points,
    scene_parts,
)
from kido.shape._recent_files import RecentFiles, mark_of
from kido.typing import FloatArray, read_only

__all__ = ["Triangles", "load_triangles"]

_MOST_BYTES = 256 * 2**20
"""Memory of the triangles that are kept."""
_WITH_JOINED = 2
"""Size of triangles and what is computed of them, by that of triangles."""
_NUMBERS: NDArray[np.intp] = np.arange(3 * 2**16)
"""Points in a row, of which most meshes take the first."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """Points and triangles of a mesh.

    `vertices` (n, 3) [m] may be equal, and some may be in no triangle; `triangles` (m, 3) are of them by
    index, counterclockwise seen from outside.
    """

    vertices: FloatArray
    triangles: NDArray[np.intp]

    @cached_property
    def open_edges(self) -> int:
        """Number of sides that do not have one triangle on each side, wound alike; equal points are one."""
        index = self.joined.triangles
        if not len(index):
            return 0
        sides = np.concatenate([index[:, [0, 1]], index[:, [1, 2]], index[:, [2, 0]]])
        ends = np.sort(sides, axis=1)
        key = ends[:, 0] * (int(index.max()) + 1) + ends[:, 1]
        direction = np.where(sides[:, 0] < sides[:, 1], 1, -1)
        _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
        balance = np.bincount(inverse.reshape(-1), weights=direction)
        return int(((counts != 2) | (balance != 0)).sum())

    @property
    def is_watertight(self) -> bool:
        """Whether the triangles bound a volume: closed, and wound alike."""
        return len(self.triangles) > 0 and self.open_edges == 0

    @cached_property
    def joined(self) -> Triangles:
        """The same triangles with equal points joined; those that two corners of are one are left out."""
        unique, inverse = np.unique(self.vertices + 0.0, axis=0, return_inverse=True)
        index = inverse.reshape(-1)[self.triangles]
        a, b, c = index.T if len(index) else np.empty((3, 0), dtype=np.intp)
        return Triangles(unique, index[(a != b) & (b != c) & (c != a)])


def load_triangles(mesh: Mesh) -> Triangles:
    """The triangles of a mesh in the coordinates of its shape.

    Units of a file (DAE, glTF), transforms of its nodes and the mesh's scale are applied, and turn triangles
    over where they mirror. The up axis that a DAE file names is not: as for other readers of robots, its
    coordinates are those of the link. Triangles of files are kept in memory, up to 256 MiB, as long as the
    file stays as it is; `KIDO_CACHE=off` in the environment has them read every time.

    Raises:
        ModelFileError: what cannot be read, is no mesh, is cut off, or has numbers that are not finite or
            triangles of no point.
        ValueError: the file was not found.
        MissingDependencyError: the format needs a package that is not installed.
    """
    if mesh.vertices is not None and mesh.triangles is not None:
        return _triangles(mesh, np.asarray(mesh.vertices), mesh.triangles.astype(np.intp))
    if mesh.path is None:
        raise ValueError(f"mesh {mesh.uri!r}: the file was not found")
    if is_cache_off():
        return _read(mesh, mesh.path, [])
    key = (str(mesh.path), mesh.scale.tobytes())
    recent = _RECENT.find(key)
    return _read_and_keep(key, mesh, mesh.path) if recent is None else recent


def _read_and_keep(key: tuple[str, bytes], mesh: Mesh, path: Path) -> Triangles:
    marks = {str(path): mark_of(path)}
    others: list[str] = []
    found = _read(mesh, path, others)
    if not others:  # what it names was read meanwhile, and nothing tells whether it changed
        size = found.vertices.nbytes + found.triangles.nbytes
        _RECENT.keep(key, found, _WITH_JOINED * size, marks)
    return found


def _read(mesh: Mesh, path: Path, others: list[str]) -> Triangles:
    if path.suffix.lower() == ".stl":
        points = read_stl_points(path, mesh.scale)
        if points is not None:
            return Triangles(read_only(points), _turned(mesh, _consecutive(len(points))))
    return _triangles(mesh, *(read_msh(path) if path.suffix.lower() == ".msh" else _of_scene(path, others)))


def _triangles(mesh: Mesh, points: FloatArray, index: NDArray[np.intp]) -> Triangles:
    """Checked, in the coordinates of the shape. Raises ModelFileError."""
    _check(mesh, points, index)
    index.setflags(write=False)
    return Triangles(read_only(points * mesh.scale), _turned(mesh, index))


def _turned(mesh: Mesh, index: NDArray[np.intp]) -> NDArray[np.intp]:
    return index[:, ::-1] if np.prod(mesh.scale) < 0.0 else index


def _consecutive(count: int) -> NDArray[np.intp]:
    """Triangles (count / 3, 3) of points in a row; those of most meshes are parts of one array."""
    numbers = _NUMBERS if count <= len(_NUMBERS) else np.arange(count)
    numbers.setflags(write=False)
    return numbers[:count].reshape(-1, 3)


def _of_scene(path: Path, others: list[str]) -> tuple[FloatArray, NDArray[np.intp]]:
    """Points and triangles of a file that trimesh reads; files that it names are added to `others`."""
    scene = read_mesh_scene(path, joined=False, others=others)
    points, triangles, start = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.intp)], 0
    for transform, part in scene_parts(path, scene):
        local = np.asarray(part.vertices, dtype=np.float64)
        corners = np.asarray(getattr(part, "faces", triangles[0]), dtype=np.intp)
        if not local.size and not corners.size:
            continue
        if local.shape[1:] != (3,) or corners.shape[1:] != (3,):
            what = f"expected points and triangles (n, 3), got {local.shape} and {corners.shape}"
            raise ModelFileError(str(path), None, None, what)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            placed = local @ transform[:3, :3].T + transform[:3, 3]
        if len(corners) and not 0 <= corners.min() <= corners.max() < len(placed):
            raise ModelFileError(str(path), None, None, f"triangles of more than {len(placed)} points")
        mirrored = np.linalg.det(transform[:3, :3]) < 0.0
        triangles.append((corners[:, ::-1] if mirrored else corners) + start)
        points.append(placed)
        start += len(placed)
    return np.concatenate(points) * meters_of(scene), np.concatenate(triangles)


def _check(mesh: Mesh, points: FloatArray, index: NDArray[np.intp]) -> None:
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        raise not_finite(str(mesh.path or mesh.uri), int((~finite).sum()))
    if len(index) and not 0 <= index.min() <= index.max() < len(points):
        raise ModelFileError(
            str(mesh.path or mesh.uri), None, None, f"triangles of no point of {len(points)}"
        )


_RECENT: RecentFiles[Triangles] = RecentFiles(_MOST_BYTES)
