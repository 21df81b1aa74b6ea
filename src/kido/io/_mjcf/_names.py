"""Names that are still free."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

__all__ = ["FreeNames"]


class FreeNames:
    """Gives names that nothing else has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """The name itself, or with the first number that makes it free."""
        name = wanted
        if name in self._taken:
            number = self._next.get(wanted, 2)
            name = next(each for k in count(number) if (each := f"{wanted}_{k}") not in self._taken)
            self._next[wanted] = number + 1
        self._taken.add(name)
        return name
