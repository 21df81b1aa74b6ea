"""A triangle mesh in a file."""

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


@value
class Mesh(Shape):
    """Mesh read from a file, in its own coordinates times `scale` (3,) [1].

    `path` is None where the file was not found; `uri` is the name that the model gives it
    ("package://panda_description/meshes/hand.dae"). A negative scale mirrors; zero is refused. `convex` says
    how it touches others: as its convex hull, or by its triangles as they are, solid on the side that their
    normals point away from (for ground, walls and tools; two such meshes do not touch each other).
    """

    path: Checked[PathLike | None, Path | None] = file_path(optional=True)
    uri: str = text(empty=True, default="")
    scale: Array = checked(_nonzero_factors, default=(1.0, 1.0, 1.0))
    convex: bool = flag(default=True)

    def _check(self) -> None:
        if not self.uri and self.path is not None:
            self._assign(uri=str(self.path))
