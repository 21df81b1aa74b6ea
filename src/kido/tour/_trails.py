"""Lines behind points that move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kido.skeleton import BodyNode
from kido.typing import ArrayLike, FloatArray
from kido.world import World

__all__ = ["Trails"]


class Trails:
    """Lines behind points of bodies that a world moves; where it goes back in time, they do so as well."""

    __slots__ = ("_interval", "_points", "_rows", "_seconds", "_times", "_world")

    def __init__(
        self,
        world: World,
        points: Sequence[tuple[BodyNode, ArrayLike]],
        *,
        seconds: float = 3.0,
        interval: float = 0.03,
    ) -> None:
        """Begin where the points are.

        Args:
            world: which moves the bodies.
            points: bodies, and points (3,) in their coordinates [m].
            seconds: how far back a line reaches [s].
            interval: least time between two of its points [s].
        """
        self._world, self._seconds, self._interval = world, seconds, interval
        self._points = [(body, np.append(np.asarray(point, dtype=float), 1.0)) for body, point in points]
        self._times: list[float] = []
        self._rows: list[FloatArray] = []
        self.see()

    def see(self) -> bool:
        """Look where the points are; whether the lines changed."""
        now, times = self._world.time, self._times
        count = len(times)
        while times and times[-1] > now + 1e-9:
            del times[-1], self._rows[-1]
        if times and len(times) == count and now < times[-1] + self._interval - 1e-9:
            return False
        while times and times[0] < now - self._seconds:
            del times[0], self._rows[0]
        times.append(now)
        self._rows.append(np.array([(body.transform() @ point)[:3] for body, point in self._points]))
        return True

    @property
    def lines(self) -> list[FloatArray]:
        """The lines (k, 3) [m]."""
        return list(np.stack(self._rows, axis=1)) if len(self._rows) > 1 else []
