"""Triangles with colors: what every part of a picture is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray

__all__ = ["Surface", "joined"]

_OPAQUE = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles: `points` (k, 3) [m], `triangles` (m, 3) of them by index, colors `rgba` (k, 4) in [0, 1].

    `bounded` says whether the picture has to show it whole.
    """

    points: FloatArray
    triangles: NDArray[np.int64]
    rgba: FloatArray
    bounded: bool = True

    def moved(self, transform: FloatArray) -> Surface:
        """The same surface in another frame; `transform` (4, 4) [m]."""
        return replace(self, points=self.points @ transform[:3, :3].T + transform[:3, 3])

    def scaled(self, factors: FloatArray) -> Surface:
        """The same surface with coordinates times `factors` (3,)."""
        return replace(self, points=self.points * factors)

    def painted(self, rgba: FloatArray) -> Surface:
        """The same surface in one color (4,)."""
        return replace(self, rgba=np.broadcast_to(rgba, (len(self.points), 4)))

    def faded(self, opacity: float) -> Surface:
        """The same surface, `opacity` times as opaque."""
        return replace(self, rgba=self.rgba * np.array([1.0, 1.0, 1.0, opacity]))

    @property
    def is_opaque(self) -> bool:
        """True if nothing is seen through the surface."""
        return bool((self.rgba[:, 3] >= _OPAQUE).all())


def joined(surfaces: Iterable[Surface]) -> Surface:
    """One surface of many; none give an empty one."""
    parts = list(surfaces)
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    empty = np.empty((0, 3))
    return Surface(
        np.concatenate([empty, *(part.points for part in parts)]),
        np.concatenate(
            [
                empty.astype(np.int64),
                *(part.triangles + start for part, start in zip(parts, starts, strict=False)),
            ]
        ),
        np.concatenate([np.empty((0, 4)), *(part.rgba for part in parts)]),
    )
