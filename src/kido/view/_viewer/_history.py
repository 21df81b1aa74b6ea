"""Snapshots of a world on its way."""

from __future__ import annotations

from bisect import bisect_right

from kido.world import Snapshot, World

__all__ = ["History"]


class History:
    """Snapshots of a world on its way, of which there are never more than a certain number.

    Where there would be more, every second one is dropped, and the time between them doubles: so memory is
    bounded, and all of the way is there. A snapshot can be restored while the world is built as it was:
    after an edit of structure or constants the history begins anew.
    """

    __slots__ = ("_every", "_most", "_skipped", "_snapshots")

    def __init__(self, most: int = 1200) -> None:
        """An empty history of at most so many snapshots, two or more."""
        self._most = most
        self._snapshots: list[Snapshot] = []
        self._every = 1
        self._skipped = 0

    def __len__(self) -> int:
        return len(self._snapshots)

    @property
    def start(self) -> float:
        """Time of the first snapshot [s]; 0 where there is none."""
        return self._snapshots[0].time if self._snapshots else 0.0

    @property
    def end(self) -> float:
        """Time of the last snapshot [s]; 0 where there is none."""
        return self._snapshots[-1].time if self._snapshots else 0.0

    def begin(self, world: World) -> None:
        """Forget everything, and keep the world as it stands as the first snapshot."""
        self._snapshots, self._every, self._skipped = [world.snapshot()], 1, 0

    def add(self, world: World) -> None:
        """Keep the world as it stands, after what was kept; what was kept of later times is dropped."""
        self.cut(world.time)
        self._skipped += 1
        if self._snapshots and self._skipped < self._every:
            return
        snapshot = world.snapshot()
        if not self._snapshots or snapshot.compiled is not self._snapshots[-1].compiled:
            self._snapshots, self._every = [], 1
        self._skipped = 0
        self._snapshots.append(snapshot)
        if len(self._snapshots) > self._most:
            del self._snapshots[1::2]
            self._every *= 2

    def cut(self, time: float) -> None:
        """Drop what was kept of a time [s] and later, but for the first snapshot."""
        while len(self._snapshots) > 1 and self._snapshots[-1].time >= time:
            self._snapshots.pop()

    def at(self, time: float) -> Snapshot | None:
        """The last snapshot that is not later than a time [s], or the first one; None where there is none."""
        if not self._snapshots:
            return None
        times = [snapshot.time for snapshot in self._snapshots]
        return self._snapshots[max(bisect_right(times, time) - 1, 0)]
