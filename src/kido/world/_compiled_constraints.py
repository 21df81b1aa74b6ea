"""Constraints as the native world takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kido import _core
from kido.constraint import BodyConstraint, Constraint, GearConstraint, RowConstraint, Softness
from kido.errors import EditError, RemovedError
from kido.skeleton import BodyNode, Skeleton
from kido.typing import FloatArray
from kido.world._unmet import UnmetConstraint

__all__ = ["CompiledConstraints", "check_parts"]

_RIGID = (0.0, 0.0, 0.0, 0.0)


def check_parts(constraint: Constraint, skeletons: Sequence[Skeleton]) -> None:
    """Raises EditError where a constraint holds a part of none of these skeletons."""
    try:
        owners: Sequence[Skeleton] = constraint.skeletons
    except RemovedError as error:
        raise EditError(f"constraint: {constraint!r}: {error}") from error
    for owner in owners:
        if not any(owner is skeleton for skeleton in skeletons):
            raise EditError(
                f"constraint: {constraint!r} holds a part of {owner.name!r}, no skeleton of this world"
            )


class _Asked(NamedTuple):
    """A constraint that is asked for its rows: the index of its rows; of its skeletons that move,
    which they are among its own, and their indices in the native world."""

    constraint: RowConstraint
    rows: int
    moving: tuple[tuple[int, int], ...]


class CompiledConstraints:
    """The constraints of a native world.

    Attributes:
        all: those of the world, in its order.
        asked: those that Python is asked for before every step.
    """

    __slots__ = ("_index_of", "_native", "_numbers", "_skeletons", "all", "asked")

    def __init__(
        self,
        native: _core.World,
        skeletons: Sequence[Skeleton],
        index_of: Callable[[Skeleton], int],
        constraints: Sequence[Constraint],
    ) -> None:
        """Add constraints to a native world; `index_of` gives the native index of a skeleton, -1 where it
        does not move."""
        self._native = native
        self._skeletons = skeletons
        self._index_of = index_of
        self.all = tuple(constraints)
        self._numbers: dict[int, int] = {}
        self.asked: list[_Asked] = []
        for constraint in constraints:
            self._numbers[id(constraint)] = self._add(constraint)

    def _add(self, constraint: Constraint) -> int:
        if isinstance(constraint, BodyConstraint):
            return self._add_bodies(constraint)
        if isinstance(constraint, GearConstraint):
            return self._add_gear(constraint)
        assert isinstance(constraint, RowConstraint)
        return self._add_rows(constraint)

    def _add_bodies(self, constraint: BodyConstraint) -> int:
        own = constraint.components
        first = self._frame(constraint.first, own.first_frame)
        second = self._frame(constraint.second, own.second_frame)
        return self._native.add_constraint(
            *first, *second, own.held, own.length, own.softness, own.pulls, own.pushes
        )

    def _frame(self, body: BodyNode | None, T: FloatArray) -> tuple[int, int, FloatArray]:
        """Index of the native skeleton (-1: the world), of the body, and a frame on it (12,)."""
        if body is None:
            return -1, 0, _row_of(T)
        index = self._index_of(body.skeleton)
        return (index, body.index, _row_of(T)) if index >= 0 else (-1, 0, _row_of(body.transform() @ T))

    def _add_gear(self, gear: GearConstraint) -> int:
        terms, offset = [], -gear.offset
        for dof, factor, gives in (
            (gear.follower, 1.0, True),
            (gear.leader, -gear.ratio, not gear.one_way),
        ):
            index = self._index_of(dof.skeleton)
            if index >= 0:
                terms.append((index, dof.index, factor, gives))
            else:
                offset += factor * dof.position
        largest = gear.max_force
        return self._native.add_gear(terms, offset, -largest, largest, _numbers_of(gear.softness))

    def _add_rows(self, constraint: RowConstraint) -> int:
        indices = [self._index_of(skeleton) for skeleton in constraint.skeletons]
        moving = tuple((place, index) for place, index in enumerate(indices) if index >= 0)
        index = self._native.add_rows([index for _, index in moving])
        self.asked.append(_Asked(constraint, index, moving))
        return index

    def ask(self) -> None:
        """Ask the user's constraints for the rows of the next step.

        Raises what they raise; TypeError or ValueError naming class and argument.
        """
        rows = [asked.constraint.checked_rows() for asked in self.asked]
        for asked, checked in zip(self.asked, rows, strict=True):
            jacobians = [(index, checked.jacobians[place]) for place, index in asked.moving]
            softness = _numbers_of(asked.constraint.softness)
            self._native.set_rows(asked.rows, checked.numbers, jacobians, softness)

    def owners(self, number: int, *, between_bodies: bool) -> tuple[Skeleton, ...]:
        """Skeletons of a constraint, by its native index among those between bodies, or among others."""
        for one in self.all:
            if self._numbers[id(one)] == number and isinstance(one, BodyConstraint) is between_bodies:
                return one.skeletons
        return ()

    # ---- after a step

    def wrench(self, constraint: BodyConstraint) -> FloatArray:
        """Torque and force (6,) on the first body [N m, N]."""
        return self._native.constraint_wrench(self._numbers[id(constraint)])

    def force(self, constraint: Constraint) -> FloatArray:
        """Forces of the rows (m,) [N or N m]."""
        return self._native.row_numbers(self._numbers[id(constraint)])[0]

    def error(self, constraint: Constraint) -> FloatArray:
        """Remaining error [m or rad]."""
        index = self._numbers[id(constraint)]
        if isinstance(constraint, BodyConstraint):
            return self._native.constraint_error(index)
        return self._native.row_numbers(index)[1]

    def unmet(self, constraints: Sequence[Constraint]) -> list[UnmetConstraint]:
        """Those that could not be met."""
        return [UnmetConstraint(one, self.error(one)) for one in constraints if self._is_unmet(one)]

    def _is_unmet(self, constraint: Constraint) -> bool:
        index = self._numbers[id(constraint)]
        if isinstance(constraint, BodyConstraint):
            return self._native.constraint_unmet(index)
        return self._native.row_numbers(index)[2]


def _numbers_of(softness: Softness | None) -> tuple[float, float, float, float]:
    return _RIGID if softness is None else softness.numbers


def _row_of(T: FloatArray) -> FloatArray:
    return np.concatenate([T[:3, 3], T[:3, :3].T.ravel()])
