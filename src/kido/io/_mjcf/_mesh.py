"""The <mesh> element: triangles in a file or inline, and the mass that they bound."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kido.errors import MissingDependencyError, ModelFileError
from kido.io._mjcf._node import Node
from kido.io._mjcf._orientation import from_quaternion, moved_by
from kido.math import inverse_transform
from kido.shape import Mesh, MeshSolid, hull_triangles, load_triangles, mesh_solid
from kido.typing import FloatArray

__all__ = ["MeshAsset"]

_NO_TURN = (1.0, 0.0, 0.0, 0.0)


class MeshAsset:
    """A mesh among the assets. Its file is opened only where a mass, or a solid that fits it, is asked for.

    `path` None: the file was not found.
    """

    def __init__(self, node: Node, path: Path | None) -> None:
        self._node = node
        self._path = path
        self.scale = np.array(node.numbers("scale", (1.0, 1.0, 1.0)))
        if not self.scale.all():
            raise node.error(f"scale: expected nonzero numbers, got {node.text('scale')[:200]}", "scale")
        turn = from_quaternion(node.numbers("refquat", _NO_TURN))
        if turn is None:
            raise node.error("refquat: expected no zero quaternion", "refquat")
        self._turn = turn
        self._offset = np.array(node.numbers("refpos", (0.0, 0.0, 0.0)))
        if not node.has("file") and not node.has("vertex"):
            node.note("mesh", "expected a file or vertices, got neither")
        elif node.has("file") and path is None:
            node.note("mesh", f"file not found: {node.get('file')}", "file")

    @cached_property
    def shape(self) -> Mesh:
        """The mesh as a shape, in the coordinates of its file times the scale, or in those of the geom."""
        uri = self._node.get("file") or self._node.get("name") or "mesh"
        if self._needs_content:
            triangles = self.triangles
            if triangles is not None:
                return Mesh(None, uri, vertices=triangles[0], triangles=triangles[1])
        return Mesh(self._path, uri, self.scale)

    @property
    def T_geom_mesh(self) -> FloatArray:
        """Pose of `shape` in the frame of a geom (4, 4)."""
        if self._needs_content:
            return np.eye(4)
        turn = np.eye(4)
        turn[:3, :3] = self._turn
        return inverse_transform(turn) @ moved_by(*(-self.scale * self._offset))

    @property
    def _needs_content(self) -> bool:
        """Whether the file by itself does not say where its points are: none, or one that is scaled after it
        was turned."""
        turned = bool((self._turn != np.eye(3)).any())
        return not self._node.has("file") or (turned and bool((self.scale != self.scale[0]).any()))

    @cached_property
    def triangles(self) -> tuple[FloatArray, NDArray[np.intp]] | None:
        """Vertices (n, 3) in the frame of a geom [m] and triangles (m, 3); None, with a diagnostic, if there
        are none."""
        try:
            vertices, faces = self._content()
        except (ModelFileError, MissingDependencyError, OSError, ValueError) as error:
            self._node.note("mesh", f"cannot be read: {error}")
            return None
        if not len(vertices) or not len(faces):
            self._node.note("mesh", "cannot be read: there are no triangles in it")
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            placed = ((vertices - self._offset) @ self._turn) * self.scale
        if not np.isfinite(placed).all():
            self._node.note("mesh", "cannot be read: vertices are not finite")
            return None
        if np.prod(self.scale) < 0.0:
            faces = faces[:, ::-1]
        return placed, faces

    @cached_property
    def solid(self) -> MeshSolid | None:
        """Solid that the mesh bounds; None, with a diagnostic, where that cannot be said."""
        return self.solid_of(False)

    def solid_of(self, shell: bool) -> MeshSolid | None:
        """Solid that the mesh bounds, or its surface as a `shell`; None where there is none."""
        if self.triangles is None:
            return None
        mode = self._node.choice("inertia", ("convex", "exact", "legacy", "shell"), "legacy")
        try:
            return mesh_solid(*self.triangles, "shell" if shell else mode)
        except ValueError as error:
            self._node.note("mesh", f"has no mass: {error}")
            return None

    def _content(self) -> tuple[FloatArray, NDArray[np.intp]]:
        node = self._node
        if node.has("vertex"):
            numbers = node.floats("vertex")
            faces = node.floats("face") if node.has("face") else ()
            for name, given in (("vertex", numbers), ("face", faces)):
                if len(given) % 3:
                    raise node.error(f"{name}: expected three numbers each, got {len(given)}", name)
            vertices = np.array(numbers).reshape(-1, 3)
            corners = np.array(faces).reshape(-1, 3).astype(np.intp)
            _check_corners(corners, len(vertices))
            return vertices, corners if len(corners) else hull_triangles(vertices)
        if self._path is None:
            raise ValueError("the file was not found")
        found = load_triangles(Mesh(self._path))
        return found.vertices, found.triangles


def _check_corners(corners: NDArray[np.intp], count: int) -> None:
    if corners.size and (corners.min() < 0 or corners.max() >= count):
        raise ValueError(f"face: expected indices of {count} vertices")
