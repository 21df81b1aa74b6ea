"""A triangle mesh in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kido.shape._shape import Shape
from kido.typing import ArrayLike, FloatArray, PathLike, frozen_array

__all__ = ["Mesh"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Mesh(Shape):
    """Mesh read from a file, in its own coordinates times `scale` (3,) [1].

    `path` is None where the file was not found; `uri` is the name that the model gives it
    ("package://panda_description/meshes/hand.dae"). A negative scale mirrors; zero is refused.
    """

    path: Path | None
    uri: str
    scale: FloatArray

    def __init__(self, path: PathLike | None, uri: str = "", scale: ArrayLike = (1.0, 1.0, 1.0)) -> None:
        factors = frozen_array("scale", scale, (3,))
        if not factors.all():
            raise ValueError(f"scale: expected nonzero numbers, got {factors.tolist()}")
        place = None if path is None else Path(path)
        self._assign(path=place, uri=uri or ("" if place is None else str(place)), scale=factors)
