"""Geometry of what is drawn: triangles, lines, points, arrows and texts, as frozen values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike as IndexLike
from numpy.typing import NDArray

from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Checked, Value, array, checked, number, text, value

__all__ = ["Arrows", "Geometry", "Label", "Lines", "Points", "Polyline", "TriangleSurface"]


def _indices(name: str, given: IndexLike) -> NDArray[np.int64]:
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "iu":
        numbers = frozen_array(name, given, None)
        if (numbers % 1.0).any():
            raise ValueError(f"{name}: expected whole numbers")
    index = np.array(numbers, dtype=np.int64)
    index = index.reshape(0, 3) if index.size == 0 else index
    if index.ndim != 2 or index.shape[1] != 3:
        raise ValueError(f"{name}: expected shape (n, 3), got {index.shape}")
    index.flags.writeable = False
    return index


def _rows(width: int, low: float | None = None) -> Any:
    def check(name: str, given: ArrayLike | None) -> FloatArray | None:
        if given is None:
            return None
        rows = frozen_array(name, given, (-1, width))
        if low is not None and not ((rows >= low) & (rows <= 1.0)).all():
            raise ValueError(f"{name}: expected numbers in [0, 1]")
        return rows

    return check


@value
class TriangleSurface(Value):
    """Triangles (m, 3) of points (k, 3) [m], by index, counterclockwise seen from outside.

    `normals` (k, 3): unit vectors of the points; None: each triangle has its own. `colors` (k, 4) in [0, 1];
    None: the color of what has this geometry.
    """

    points: Array = array(-1, 3, unit="m")
    triangles: Checked[IndexLike, NDArray[np.int64]] = checked(_indices)
    normals: Checked[ArrayLike | None, FloatArray | None] = checked(_rows(3), default=None)
    colors: Checked[ArrayLike | None, FloatArray | None] = checked(_rows(4, 0.0), default=None)

    def _check(self) -> None:
        count = len(self.points)
        for name in ("normals", "colors"):
            rows = getattr(self, name)
            if rows is not None and len(rows) != count:
                raise ValueError(f"{name}: expected one for each of {count} points, got {len(rows)}")
        if len(self.triangles) and not 0 <= self.triangles.min() <= self.triangles.max() < count:
            raise ValueError(f"triangles: expected indices of {count} points")

    def moved(self, transform: FloatArray) -> TriangleSurface:
        """The same surface in another frame, at a rigid transform (4, 4) [m]."""
        R = transform[:3, :3]
        normals = None if self.normals is None else self.normals @ R.T
        return TriangleSurface(self.points @ R.T + transform[:3, 3], self.triangles, normals, self.colors)

    def deformed(self, points: ArrayLike, normals: ArrayLike) -> TriangleSurface:
        """The same triangles and colors with points elsewhere (k, 3) [m], and normals (k, 3), unit vectors:
        `triangles` of both is one array."""
        made = TriangleSurface(points, (), normals, self.colors)
        if len(made.points) != len(self.points):
            raise ValueError(f"points: expected {len(self.points)}, got {len(made.points)}")
        object.__setattr__(made, "triangles", self.triangles)
        return made

    def painted(self, rgba: ArrayLike) -> TriangleSurface:
        """The same surface with all points in one color (4,), dimensionless."""
        return TriangleSurface(self.points, self.triangles, self.normals, _everywhere(rgba, len(self.points)))

    @classmethod
    def joined(cls, surfaces: Iterable[TriangleSurface]) -> TriangleSurface:
        """One surface of several; it has normals and colors where all have them."""
        parts = [part for part in surfaces if len(part.points)]
        starts = np.cumsum([0, *(len(part.points) for part in parts)])
        shifted = [part.triangles + start for part, start in zip(parts, starts, strict=False)]
        return cls(
            np.concatenate([np.empty((0, 3)), *(part.points for part in parts)]),
            np.concatenate([np.empty((0, 3), dtype=np.int64), *shifted]),
            _all_rows([part.normals for part in parts], 3),
            _all_rows([part.colors for part in parts], 4),
        )


@value
class Polyline(Value):
    """A line through points (k, 3), as thick as a tube of `radius` [m]."""

    points: Array = array(-1, 3, unit="m")
    radius: float = number(unit="m", positive=True)


@value
class Lines(Value):
    """Straight lines from point to point, `segments` (k, 2, 3), each as thick as a rod of `radius` [m]."""

    segments: Array = array(-1, 2, 3, unit="m")
    radius: float = number(unit="m", positive=True)


@value
class Points(Value):
    """Points (k, 3), as large as balls of `radius` [m]."""

    points: Array = array(-1, 3, unit="m")
    radius: float = number(unit="m", positive=True)


@value
class Arrows(Value):
    """Arrows from `starts` (k, 3) along `vectors` (k, 3), their shafts of `radius` [m]."""

    starts: Array = array(-1, 3, unit="m")
    vectors: Array = array(-1, 3, unit="m")
    radius: float = number(unit="m", positive=True)

    def _check(self) -> None:
        if len(self.starts) != len(self.vectors):
            raise ValueError(f"vectors: expected one for each of {len(self.starts)} starts")


@value
class Label(Value):
    """A text that stands at the origin of its frame and faces the camera, `height` pixels high."""

    text: str = text()
    height: float = number(positive=True, default=14.0)


Geometry: TypeAlias = TriangleSurface | Polyline | Lines | Points | Arrows | Label
"""What can be drawn."""


def _everywhere(rgba: ArrayLike, count: int) -> FloatArray:
    return np.broadcast_to(np.asarray(rgba, dtype=np.float64), (count, 4))


def _all_rows(rows: list[FloatArray | None], width: int) -> FloatArray | None:
    found = [one for one in rows if one is not None]
    return np.concatenate([np.empty((0, width)), *found]) if len(found) == len(rows) else None
