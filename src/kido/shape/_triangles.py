"""Triangles of a mesh, and what they bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kido.errors import ModelFileError
from kido.shape._mesh import Mesh
from kido.shape._mesh_file import (
    meters_of,
    read_mesh_bytes,
    read_mesh_scene,
    scene_parts,
    stl_corners,
)
from kido.typing import FloatArray, read_only

__all__ = ["Triangles", "load_triangles"]


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
    coordinates are those of the link.

    Raises:
        ModelFileError: what cannot be read, is no mesh, is cut off, or has numbers that are not finite or
            triangles of no point.
        ValueError: the file was not found.
        MissingDependencyError: the format needs a package that is not installed.
    """
    if mesh.vertices is not None and mesh.triangles is not None:
        points, index = np.asarray(mesh.vertices), mesh.triangles.astype(np.intp)
    elif mesh.path is None:
        raise ValueError(f"mesh {mesh.uri!r}: the file was not found")
    else:
        corners = stl_corners(mesh.path, read_mesh_bytes(mesh.path)) if _is_stl(mesh) else None
        if corners is None:
            points, index = _of_scene(mesh)
        else:
            points, index = corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)
    _check(mesh, points, index)
    turned = index[:, ::-1] if np.prod(mesh.scale) < 0.0 else index
    return Triangles(read_only(points * mesh.scale), turned)


def _is_stl(mesh: Mesh) -> bool:
    return mesh.path is not None and mesh.path.suffix.lower() == ".stl"


def _of_scene(mesh: Mesh) -> tuple[FloatArray, NDArray[np.intp]]:
    assert mesh.path is not None
    scene = read_mesh_scene(mesh.path, joined=False)
    points, triangles, start = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.intp)], 0
    for transform, part in scene_parts(mesh.path, scene):
        local = np.asarray(part.vertices, dtype=np.float64)
        corners = np.asarray(getattr(part, "faces", triangles[0]), dtype=np.intp)
        if not local.size and not corners.size:
            continue
        if local.shape[1:] != (3,) or corners.shape[1:] != (3,):
            what = f"expected points and triangles (n, 3), got {local.shape} and {corners.shape}"
            raise ModelFileError(str(mesh.path), None, None, what)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            placed = local @ transform[:3, :3].T + transform[:3, 3]
        if len(corners) and not 0 <= corners.min() <= corners.max() < len(placed):
            raise ModelFileError(str(mesh.path), None, None, f"triangles of more than {len(placed)} points")
        mirrored = np.linalg.det(transform[:3, :3]) < 0.0
        triangles.append((corners[:, ::-1] if mirrored else corners) + start)
        points.append(placed)
        start += len(placed)
    return np.concatenate(points) * meters_of(scene), np.concatenate(triangles)


def _check(mesh: Mesh, points: FloatArray, index: NDArray[np.intp]) -> None:
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        wrong = f"expected finite coordinates, got {int((~finite).sum())} points that are not"
        raise ModelFileError(str(mesh.path or mesh.uri), None, None, wrong)
    if len(index) and not 0 <= index.min() <= index.max() < len(points):
        raise ModelFileError(
            str(mesh.path or mesh.uri), None, None, f"triangles of no point of {len(points)}"
        )
