"""A part of a recording: samples of one world between two edits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.errors import UnknownNameError
from kido.recording._layout import PartLayout
from kido.recording._tables import Rows, StoredPart
from kido.typing import FloatArray, read_only

__all__ = ["PER_DOF", "RecordingPart"]

PER_DOF = (
    "positions",
    "velocities",
    "commands",
    "accelerations",
    "actuator_forces",
    "friction_forces",
    "limit_forces",
)
"""Tables with a column for each dof."""


class RecordingPart:
    """Samples of a world that is not edited meanwhile, and whose time runs on.

    Attributes:
        index: of this part in its recording.
        layout: names and units of what is recorded.
    """

    __slots__ = ("_ends", "_first", "_last", "_stored", "_times", "index", "layout")

    def __init__(self, index: int, stored: StoredPart, first: int = 0, last: int | None = None) -> None:
        """`first`, `last`: the samples that count."""
        self.index = index
        self.layout: PartLayout = stored.layout
        self._stored = stored
        self._first, self._last = first, last
        self._times: FloatArray = np.zeros(0)
        self._ends: tuple[int, NDArray[np.int64]] = 0, np.zeros(1, dtype=np.int64)

    def __len__(self) -> int:
        return self.last - self._first

    @property
    def first(self) -> int:
        """The first sample that counts, of those in the store."""
        return self._first

    @property
    def last(self) -> int:
        """The one behind the last."""
        stored = len(self._stored.tables["time"])
        return stored if self._last is None else min(self._last, stored)

    @property
    def tables(self) -> Mapping[str, Any]:
        """The tables in the store by name."""
        return self._stored.tables

    @property
    def times(self) -> FloatArray:
        """Times of the samples (n,) [s], increasing; read-only."""
        if len(self._times) != len(self):
            self._times = read_only(self.rows("time"))
        return self._times

    @property
    def steps(self) -> NDArray[np.int64]:
        """Numbers of steps of the world at the samples (n,)."""
        return np.asarray(self.rows("step"), dtype=np.int64)

    def rows(self, name: str, start: int = 0, stop: int | None = None) -> Rows:
        """Rows of a table of samples, from one to before another of those that count; empty where there is
        none of that name."""
        first, last, _ = slice(start, stop).indices(len(self))
        if name not in self._stored.tables:
            return np.zeros((last - first, 0))
        return self._stored.tables[name].read(self._first + first, self._first + last)

    def has(self, name: str) -> bool:
        """Whether there is a table."""
        return name in self._stored.tables

    def columns(self, skeleton: str) -> slice:
        """Those of a skeleton in tables of dofs. Raises UnknownNameError."""
        found = self.layout.columns(skeleton)
        if found is None:
            names = [name for name, _ in self.layout.skeletons]
            raise UnknownNameError("skeleton", skeleton, names, f"part {self.index} of the recording")
        return found

    def between(self, start: float, stop: float) -> RecordingPart:
        """The samples from a time to another one [s], both included."""
        first = int(np.searchsorted(self.times, start, side="left"))
        last = int(np.searchsorted(self.times, stop, side="right"))
        return RecordingPart(self.index, self._stored, self._first + first, self._first + max(first, last))

    def sample_at(self, time: float) -> tuple[int, float]:
        """The last sample at or before a time [s], and the share of the way to the next one that the time
        is."""
        times = self.times
        place = int(np.searchsorted(times, time, side="right")) - 1
        if place < 0:
            return 0, 0.0
        if place >= len(times) - 1:
            return len(times) - 1, 0.0
        length = times[place + 1] - times[place]
        return place, float((time - times[place]) / length) if length > 0.0 else 0.0

    # ---- ragged tables

    def contact_rows(self, start: int = 0, stop: int | None = None) -> tuple[NDArray[np.int64], Rows, Rows]:
        """Of samples the number of contacts (n,), indices of shapes (m, 2), and numbers (m, 10): point [m],
        normal, force [N], depth [m]."""
        first, last, _ = slice(start, stop).indices(len(self))
        if not self.has("contact_counts"):
            return np.zeros(last - first, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros((0, 10))
        ends = self._contact_ends()
        begin, end = (int(ends[self._first + k]) for k in (first, last))
        tables = self._stored.tables
        counts = np.diff(ends[self._first + first : self._first + last + 1])
        return counts, tables["contact_shapes"].read(begin, end), tables["contact_numbers"].read(begin, end)

    def _contact_ends(self) -> NDArray[np.int64]:
        """Of each sample in the store the contact behind its last one, after a zero."""
        count = len(self._stored.tables["time"])
        if self._ends[0] != count:
            counts = self._stored.tables["contact_counts"].read(0, count)
            self._ends = count, np.concatenate([[0], np.cumsum(counts)])
        return self._ends[1]

    def row_forces(self, constraint: int) -> list[FloatArray]:
        """Forces of the rows of one of the constraints by rows, for each sample (m,) [N m, N]."""
        if not self.has("row_sizes"):
            return []
        sizes = self._stored.tables["row_sizes"].read(0, self.last)
        ends = np.concatenate([[0], np.cumsum(sizes)]).reshape(-1)
        forces = self._stored.tables["row_forces"].read(0, int(ends[-1]))
        width = sizes.shape[1]
        place = np.arange(self._first, self.last) * width + constraint
        return [forces[ends[k] : ends[k + 1]] for k in place]
