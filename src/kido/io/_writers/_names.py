"""Names of parts that a writer adds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

__all__ = ["Names"]


class Names:
    """Names that are taken in a file, and new ones beside them."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """`wanted`, or with the first number from 2 that makes it a new name; it is taken from then on."""
        numbered = (f"{wanted}_{number}" for number in count(2))
        name = wanted if wanted not in self._taken else next(n for n in numbered if n not in self._taken)
        self._taken.add(name)
        return name

    def has(self, name: str) -> bool:
        """Whether a name is taken."""
        return name in self._taken
