"""Turns of many things that are each done once in a while."""

from __future__ import annotations

import math

__all__ = ["Turns"]


class Turns:
    """Tells whose turn it is, so that each comes once in a period, and about as many in every frame.

    Browsers take some milliseconds for every widget that changes: many at once would stop the picture.
    """

    __slots__ = ("_next", "_owed", "_period")

    def __init__(self, period: float) -> None:
        """All come in the first frame, and then each in a period [s]."""
        self._period, self._owed, self._next = period, math.inf, 0

    def take(self, count: int, seconds: float) -> list[int]:
        """Indices below `count` of those whose turn it is, some seconds after the last frame."""
        self._owed = min(self._owed + count * seconds / self._period, count)
        taken = int(self._owed)
        self._owed -= taken
        first, self._next = self._next, self._next + taken
        return [(first + k) % count for k in range(taken)]
