"""The constraints of a world."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kido.constraint import BodyConstraint
from kido.errors import EditError

__all__ = ["Constraints"]


class Constraints:
    """The constraints of a world, in the order in which they came; they may come and go between steps."""

    __slots__ = ("_changed", "_items", "_require_idle")

    def __init__(self, changed: Callable[[], None], require_idle: Callable[[str], None]) -> None:
        self._require_idle = require_idle
        self._items: list[BodyConstraint] = []
        self._changed = changed

    def add(self, constraint: BodyConstraint) -> BodyConstraint:
        """Add a constraint, and return it.

        Raises:
            TypeError: no constraint.
            EditError: it is there.
        """
        if not isinstance(constraint, BodyConstraint):
            raise TypeError(f"constraint: expected a BodyConstraint, got {type(constraint).__name__}")
        self._require_idle("constraints.add")
        if constraint in self:
            raise EditError(f"constraint: {constraint!r} was added before")
        self._items.append(constraint)
        self._changed()
        return constraint

    def remove(self, constraint: BodyConstraint) -> None:
        """Take a constraint away. Raises EditError where it is not there."""
        self._require_idle("constraints.remove")
        self.index(constraint)
        self._items = [item for item in self._items if item is not constraint]
        self._changed()

    def index(self, constraint: BodyConstraint) -> int:
        """Place of a constraint. Raises EditError where it is not there."""
        for index, item in enumerate(self._items):
            if item is constraint:
                return index
        raise EditError(f"constraint: {constraint!r} is none of this world's")

    def __contains__(self, constraint: object) -> bool:
        return any(item is constraint for item in self._items)

    def __iter__(self) -> Iterator[BodyConstraint]:
        return iter(tuple(self._items))

    def __len__(self) -> int:
        return len(self._items)
