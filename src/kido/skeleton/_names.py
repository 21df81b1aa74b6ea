"""Names of the parts of skeletons."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator

__all__ = ["FreeNames", "candidates", "checked_index", "first_free"]


class FreeNames:
    """Gives out different names: each wish itself, else the wish with the first number that is free."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._candidates: dict[str, Iterator[str]] = {}

    def take(self, name: str) -> str:
        """A name that nobody has from now on: "arm", "arm(1)", ..."""
        wishes = self._candidates.setdefault(name, candidates(name))
        free = next(other for other in wishes if other not in self._taken)
        self._taken.add(free)
        return free


def first_free(name: str, taken: Container[str]) -> str:
    """The name itself, else with the first number that is free: "arm(1)"."""
    return next(free for free in candidates(name) if free not in taken)


def candidates(name: str) -> Iterator[str]:
    """The name itself, then "arm(1)", "arm(2)", ..."""
    yield name
    for i in itertools.count(1):
        yield f"{name}({i})"


def checked_index(kind: str, index: int, count: int) -> int:
    """An index below `count`; raises TypeError or IndexError."""
    if isinstance(index, bool) or not hasattr(index, "__index__"):
        raise TypeError(f"{kind}: expected a name or an index, got {type(index).__name__}")
    if not 0 <= index < count:
        expected = f"an index from 0 to {count - 1}" if count else "none, for there are none"
        raise IndexError(f"{kind}: expected {expected}, got {index}")
    return int(index)
