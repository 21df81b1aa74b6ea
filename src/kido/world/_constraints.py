"""The constraints of a world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from kido.constraint import BodyConstraint, Constraint, GearConstraint, RowConstraint
from kido.errors import EditError, UnknownNameError
from kido.skeleton import Skeleton
from kido.world._compiled_constraints import check_parts

__all__ = ["Constraints"]

C = TypeVar("C", bound=Constraint)


class Constraints:
    """The constraints of a world, in the order in which they came; they may come and go between steps."""

    __slots__ = ("_changed", "_items", "_require_idle", "_skeletons")

    def __init__(
        self,
        changed: Callable[[], None],
        require_idle: Callable[[str], None],
        skeletons: Callable[[], Sequence[Skeleton]],
    ) -> None:
        self._require_idle = require_idle
        self._items: list[Constraint] = []
        self._changed = changed
        self._skeletons = skeletons

    def add(self, constraint: C) -> C:
        """Add a constraint, and return it.

        Raises:
            TypeError: no constraint.
            EditError: it is there, or holds a part of a skeleton that is not in the world.
        """
        if not isinstance(constraint, BodyConstraint | GearConstraint | RowConstraint):
            raise TypeError(
                "constraint: expected a BodyConstraint, GearConstraint or RowConstraint, "
                f"got {type(constraint).__name__}"
            )
        self._require_idle("constraints.add")
        if constraint in self:
            raise EditError(f"constraint: {constraint!r} was added before")
        check_parts(constraint, self._skeletons())
        self._items.append(constraint)
        self._changed()
        return constraint

    def remove(self, constraint: Constraint) -> None:
        """Take a constraint away. Raises EditError where it is not there."""
        self._require_idle("constraints.remove")
        self.index(constraint)
        self._items = [item for item in self._items if item is not constraint]
        self._changed()

    def index(self, constraint: Constraint) -> int:
        """Place of a constraint. Raises EditError where it is not there."""
        for index, item in enumerate(self._items):
            if item is constraint:
                return index
        raise EditError(f"constraint: {constraint!r} is none of this world's")

    def refuse_removal(self, skeleton: Skeleton) -> None:
        """Raises EditError naming a constraint that holds a part of a skeleton."""
        for constraint in self._items:
            if any(owner is skeleton for owner in constraint.skeletons):
                raise EditError(
                    f"skeleton: {skeleton.name!r} is held by {constraint!r}; remove that constraint first"
                )

    def __getitem__(self, name: str) -> Constraint:
        """The first constraint of a name. Raises UnknownNameError."""
        for item in self._items:
            if item.name == name:
                return item
        raise UnknownNameError("constraint", name, [item.name for item in self._items if item.name])

    def __contains__(self, constraint: object) -> bool:
        return any(item is constraint for item in self._items)

    def __iter__(self) -> Iterator[Constraint]:
        return iter(tuple(self._items))

    def __len__(self) -> int:
        return len(self._items)
