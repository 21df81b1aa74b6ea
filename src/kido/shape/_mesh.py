"""A triangle mesh, in a file or by its triangles."""

from __future__ import annotations

from pathlib import Path

from kido.shape._shape import Shape
from kido.typing import ArrayLike, FloatArray, PathLike, frozen_array
from kido.values import Array, Checked, checked, file_path, flag, text, value

__all__ = ["Mesh"]


def _nonzero_factors(name: str, value: ArrayLike) -> FloatArray:
    factors = frozen_array(name, value, (3,))
    if not factors.all():
        raise ValueError(f"{name}: expected nonzero numbers, got {factors.tolist()}")
    return factors


def _points(name: str, value: ArrayLike | None) -> FloatArray | None:
    return None if value is None else frozen_array(name, value, (-1, 3), "m")


@value
class Mesh(Shape):
    """Mesh read from a file, in its own coordinates times `scale` (3,) [1].

    `path` is None where the file was not found, or there is none: then `vertices` (n, 3) [m] and `triangles`
    (m, 3), three of them by index, are the mesh. `uri` is the name that the model gives it
    ("package://panda_description/meshes/hand.dae"). A negative scale mirrors; zero is refused. `convex` says
    how it touches others: as its convex hull, or by its triangles as they are, solid on the side that their
    normals point away from (for ground, walls and tools; two such meshes touch each other as well).
    """

    path: Checked[PathLike | None, Path | None] = file_path(optional=True)
    uri: str = text(empty=True, default="")
    scale: Array = checked(_nonzero_factors, default=(1.0, 1.0, 1.0))
    convex: bool = flag(default=True)
    vertices: Checked[ArrayLike | None, FloatArray | None] = checked(_points, default=None, kw_only=True)
    triangles: Checked[ArrayLike | None, FloatArray | None] = checked(_points, default=None, kw_only=True)

    def _check(self) -> None:
        self._check_content()
        if not self.uri and self.path is not None:
            self._assign(uri=str(self.path))

    def _check_content(self) -> None:
        vertices, triangles = self.vertices, self.triangles
        if (vertices is None) != (triangles is None):
            raise ValueError("vertices, triangles: expected both or neither")
        if vertices is None or triangles is None:
            return
        if self.path is not None:
            raise ValueError("vertices: expected None for a mesh that has a path")
        if not len(triangles):
            raise ValueError("triangles: expected at least one, got none")
        inside = (triangles >= 0).all() and (triangles < len(vertices)).all()
        if not inside or (triangles % 1.0).any():
            raise ValueError(f"triangles: expected indices of {len(vertices)} vertices")
