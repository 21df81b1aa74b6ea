"""Cache in memory of files read a short while ago."""

from __future__ import annotations

import os
import time
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

__all__ = ["FileMark", "RecentFiles", "mark_of"]

T = TypeVar("T")

_SETTLED = 2_000_000_000
"""Age of a file at which its times tell every later change [ns]: on some file systems they are so coarse."""


class FileMark(NamedTuple):
    """Mark of a file, by which one that was changed or replaced is told."""

    device: int
    number: int
    size: int
    modified: int
    changed: int

    @property
    def is_settled(self) -> bool:
        """Whether the file is old enough that a change from now on would change this mark."""
        return time.time_ns() - max(self.modified, self.changed) > _SETTLED


def mark_of(path: str | Path) -> FileMark | None:
    """The mark of a file; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return FileMark(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class _Entry(NamedTuple, Generic[T]):
    value: T
    size: int
    marks: Mapping[str, FileMark]


class RecentFiles(Generic[T]):
    """Values that were read of files, by keys, as long as none of these files changes.

    All together take `max_bytes` at most; the ones used longest ago go first. Threads may share it.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: dict[Hashable, _Entry[T]] = {}

    def find(self, key: Hashable) -> T | None:
        """The value of a key; None if there is none, or a file that it was read of is another one now."""
        entry = self._entries.pop(key, None)
        if entry is None or any(mark_of(path) != mark for path, mark in entry.marks.items()):
            return None
        self._entries[key] = entry  # the one used last
        return entry.value

    def keep(self, key: Hashable, value: T, size: int, marks: Mapping[str, FileMark | None]) -> None:
        """Keep a value of a size [bytes] that was read of files after these marks were made of them.

        One that is too large is not kept, nor one of a file that was not there, or changed so recently that
        its mark would not tell another change.
        """
        settled = {path: mark for path, mark in marks.items() if mark is not None and mark.is_settled}
        if size > self._max_bytes or len(settled) < len(marks):
            return
        self._entries.pop(key, None)
        self._make_room(size, tuple(self._entries.items()))
        self._entries[key] = _Entry(value, size, settled)

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()

    def _make_room(self, needed: int, entries: Iterable[tuple[Hashable, _Entry[T]]]) -> None:
        total = needed + sum(entry.size for _, entry in entries)
        for key, entry in entries:
            if total <= self._max_bytes:
                return
            self._entries.pop(key, None)
            total -= entry.size
