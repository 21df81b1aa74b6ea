"""Constraints of the user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kido.constraint._constraint import Constraint, Part, checked_softness
from kido.constraint._rows import CheckedRows, Rows, checked_rows
from kido.constraint._softness import Softness
from kido.errors import EditError
from kido.skeleton import Skeleton
from kido.values import checked_part

__all__ = ["RowConstraint"]


class RowConstraint(Constraint, ABC):
    """A constraint of the user's own between skeletons: a subclass that says its `rows`.

    A world asks for them once before every step, with the skeletons as they stand then; all that the step
    does with them is compiled code. Attributes of a subclass go along with clones and pickles of the world;
    parts of its skeletons among them become those of the clone.
    """

    __slots__ = ("_softness",)

    def __init__(self, *skeletons: Skeleton, softness: Softness | None = None) -> None:
        """Hold skeletons.

        Args:
            skeletons: one or several, in the order of the Jacobians.
            softness: of all rows but those of friction; None: rigid.

        Raises:
            TypeError: naming the argument.
            EditError: a skeleton twice, or none.
        """
        self._hold(*skeletons)
        self._softness = checked_softness(softness)

    def _hold(self, *parts: Part) -> None:
        for part in parts:
            checked_part("skeletons", Skeleton, part)
        if not parts or len({id(part) for part in parts}) < len(parts):
            raise EditError("skeletons: expected one or several different skeletons")
        super()._hold(*parts)

    @property
    def softness(self) -> Softness | None:
        """None: rigid."""
        return self._softness

    @abstractmethod
    def rows(self) -> Rows:
        """The rows of the next step, of the skeletons as they stand."""

    def checked_rows(self) -> CheckedRows:
        """`rows`, checked. Raises TypeError or ValueError naming class and argument."""
        return checked_rows(type(self), self.rows(), [skeleton.num_dofs for skeleton in self.skeletons])
