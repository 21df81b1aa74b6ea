"""Bases of constraints and costs of postures, and what each is by itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kido import _core
from kido.ik._posture._layout import Layout, checked_skeletons
from kido.ik._posture._native_term import NativeTerm
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value

__all__ = [
    "PostureConstraint",
    "PostureCostTerm",
    "PostureTerm",
    "TermBounds",
    "UserParts",
    "amount_beyond",
    "bounds_of",
    "look_at",
    "shown_values",
]


class TermBounds(NamedTuple):
    """Bounds (k,) of the value of a constraint, in its units."""

    lower: FloatArray
    upper: FloatArray


class PostureTerm(Value):
    """Base of constraints and costs: frozen values that know frames by the names of skeletons and bodies.

    One of your own is a FunctionConstraint or a FunctionCost.
    """

    __slots__ = ()

    @abstractmethod
    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """Terms for native code; `extra`: first of the numbers besides dofs, of forces.

        Raises ValueError or UnknownNameError for frames and dofs that the skeletons do not have.
        """

    @property
    def num_extras(self) -> int:
        """Unknowns besides positions: three for each contact force."""
        return 0

    def extra_unit(self, skeletons: tuple[Skeleton, ...]) -> float:
        """Unit of the unknowns besides positions [N]."""
        return 1.0

    def loads(self, skeletons: tuple[Skeleton, ...]) -> object:
        """Numbers of skeletons that decide about this, besides their trees."""
        return None

    @property
    def text(self) -> str:
        """The constraint or cost in a few words, for messages."""
        return type(self).__name__

    def _looked_at(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None,
        extras: ArrayLike | None,
        is_cost: bool,
    ) -> tuple[list[NativeTerm], tuple[FloatArray, ...]]:
        layout = Layout(checked_skeletons(skeletons), follows=False)
        q = layout.checked_positions("positions", positions)
        given = np.zeros(self.num_extras) if extras is None else extras
        e = frozen_array("forces", given, (self.num_extras,), "N") / self.extra_unit(layout.skeletons)
        terms = self.native_terms(layout, 0)
        unbounded = np.full(layout.num_dofs, np.inf)
        program = layout.program(
            lower=-unbounded,
            upper=unbounded,
            extras=self.num_extras,
            scale=np.ones(layout.num_dofs + self.num_extras),
        )
        for term in terms:
            replace(term, influence=np.inf).add_to(program, is_cost=is_cost)
        return terms, look_at(program, q, e, UserParts(layout, (self,)))


class UserParts:
    """Questions of native code to Python: joints and functions that users write."""

    def __init__(self, layout: Layout, terms: tuple[PostureTerm, ...]) -> None:
        self._layout = layout
        self._terms = terms

    @property
    def needed(self) -> bool:
        """Whether there is anything to ask for."""
        joints = any(tree._user_motion is not None for tree in self._layout.trees)
        return joints or any(getattr(term, "asks_python", False) for term in self._terms)

    def users(self, tree: int, q: FloatArray) -> FloatArray:
        """Numbers of user joints of a tree at positions (n,) of its dofs [rad, m]."""
        motion = self._layout.trees[tree]._user_motion
        assert motion is not None
        return np.asarray(motion(q[None], np.zeros((1, len(q))))).ravel()

    def custom(self, which: int, q: FloatArray, extra: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values and derivatives of a function at positions of all dofs [rad, m]."""
        term = self._terms[which]
        values, slopes = term.ask(self._layout, q)  # type: ignore[attr-defined]
        return values, np.hstack([slopes, np.zeros((len(values), len(extra)))])


def look_at(
    program: _core.PostureProgram, q: FloatArray, extra: FloatArray, parts: UserParts
) -> tuple[FloatArray, ...]:
    """Values, derivatives and bounds of rows, costs of terms, and the gradient of their sum."""
    return program.look(q, extra, parts if parts.needed else None)


class PostureConstraint(PostureTerm):
    """Base of constraints: values between bounds, in units of their own.

    Positions are those of all dofs of the skeletons, one skeleton after the other; None: where they stand.
    Derivatives are by velocities of dofs, as Jacobians are: those of ball and free joints are in axes of the
    moved body.
    """

    __slots__ = ()

    def value(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> FloatArray:
        """Value (k,) at positions (num_dofs,) [rad, m], in units of the constraint.

        Raises TypeError or ValueError naming the argument, for frames that the skeletons do not have too.
        """
        terms, found = self._looked_at(skeletons, positions, forces, False)
        return _shown(terms, found[0], 1.0)

    def jacobian(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> FloatArray:
        """Derivative (k, num_dofs) of the value by velocities [per rad, m]; by forces in columns behind.

        Raises as `value` does.
        """
        terms, found = self._looked_at(skeletons, positions, forces, False)
        slopes = _shown(terms, found[1], 0.0)
        if self.num_extras:
            slopes[:, -self.num_extras :] /= self.extra_unit(checked_skeletons(skeletons))
        return slopes

    def bounds(self, skeletons: Skeleton | Iterable[Skeleton]) -> TermBounds:
        """Least and largest value (k,), in units of the constraint. Raises as `value` does."""
        terms = self.native_terms(Layout(checked_skeletons(skeletons), follows=False), 0)
        return bounds_of(terms)

    def violation(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> float:
        """By how much the value at positions (num_dofs,) is outside of its bounds at most [m, rad].

        It is in the units of the constraint; 0: satisfied.

        Raises as `value` does.
        """
        terms, found = self._looked_at(skeletons, positions, forces, False)
        low, high = bounds_of(terms)
        return float(amount_beyond(_shown(terms, found[0], 1.0), low, high).max(initial=0.0))


def amount_beyond(values: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """By how much values (k,) are outside of bounds (k,)."""
    return np.maximum(np.maximum(lower - values, values - upper), 0.0)


def _shown(terms: list[NativeTerm], rows: FloatArray, turn: float) -> FloatArray:
    """The rows that users see, of those of all terms."""
    parts, first = [], 0
    for term in terms:
        part = term.factor * rows[first : first + term.rows][term.shown]
        parts.append(turn * np.pi - part if term.flipped else part)
        first += term.rows
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def shown_values(term: NativeTerm, rows: FloatArray) -> FloatArray:
    """The values that users see, of the rows of one term."""
    return _shown([term], rows, 1.0)


def bounds_of(terms: list[NativeTerm]) -> TermBounds:
    """Bounds of the values that users see."""
    parts = [_shown_bounds(term) for term in terms]
    if len(parts) == 1:
        return parts[0]
    return TermBounds(*(np.concatenate(side) for side in zip(*parts, strict=True)))


def _shown_bounds(term: NativeTerm) -> TermBounds:
    low, high = _term_bounds(term)
    if term.flipped:
        low, high = np.pi - high, np.pi - low
    return TermBounds(term.factor * low, term.factor * high)


def _term_bounds(term: NativeTerm) -> tuple[FloatArray, FloatArray]:
    if term.kind == "friction":
        return np.array([term.least, 0.0]), np.full(2, np.inf)
    if term.kind in ("orientation", "direction", "sight", "distance"):
        return np.array([term.least]), np.array([term.most])
    low = np.full(term.rows, -np.inf) if term.lower is None else term.lower
    high = np.full(term.rows, np.inf) if term.upper is None else term.upper
    return np.asarray(low[term.shown]), np.asarray(high[term.shown])


class PostureCostTerm(PostureTerm):
    """Base of costs."""

    __slots__ = ()

    def value(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> float:
        """Cost at positions (num_dofs,) of all skeletons [rad, m]; None: where they stand.

        Raises TypeError or ValueError naming the argument, for frames that the skeletons do not have too.
        """
        return float(self._looked_at(skeletons, positions, forces, True)[1][4].sum())

    def gradient(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> FloatArray:
        """Derivative (num_dofs,) of the cost by velocities [per rad, m]. Raises as `value` does."""
        return self._looked_at(skeletons, positions, forces, True)[1][5]
