"""A posture problem compiled: native program, its rows, and what each of them belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from kido.ik._posture._attempt import Attempt
from kido.ik._posture._layout import Layout
from kido.ik._posture._native_term import NativeTerm
from kido.ik._posture._result import ConstraintViolation
from kido.ik._posture._term import (
    PostureConstraint,
    PostureCostTerm,
    PostureTerm,
    UserParts,
    amount_beyond,
    bounds_of,
    look_at,
    shown_values,
)
from kido.typing import FloatArray

__all__ = ["Program", "Row"]

_PULLS = 1e-3
"""Share of a multiplier from which on a constraint takes part in a conflict [-]."""

_NOTHING: Mapping[int, list[NativeTerm]] = MappingProxyType({})


class Row:
    """Rows of one native term of a constraint; index -1: limits of joints."""

    __slots__ = ("first", "index", "term", "text")

    def __init__(self, index: int, text: str, term: NativeTerm, first: int) -> None:
        self.index, self.text, self.term, self.first = index, text, term, first

    @property
    def part(self) -> slice:
        """Rows of a part."""
        return slice(self.first, self.first + self.term.rows)

    @property
    def texts(self) -> tuple[str, ...]:
        """Of each row."""
        return tuple(f"{self.text}, {name}" for name in self.term.names) or (self.text,) * self.term.rows


class Program:
    """Constraints and costs of skeletons for native code.

    Attributes:
        layout: the dofs.
        lower, upper: limits of positions (dofs,) [rad, m].
        extras: unknowns besides dofs.
        rows: of the constraints.
        force_units: (extras,) a force of 1 of each [N].
        first_forces: (extras,) forces to begin with.
    """

    def __init__(
        self,
        layout: Layout,
        constraints: tuple[PostureConstraint, ...],
        costs: tuple[PostureCostTerm, ...],
        *,
        with_limits: bool,
        seed: FloatArray | None = None,
        made: Mapping[int, list[NativeTerm]] = _NOTHING,
    ) -> None:
        """Pinned dofs stay where they are in `seed` (dofs,) [rad, m].

        `made`: native terms of this layout, by the ids of constraints and costs that were asked before.

        Raises what terms raise for frames and dofs that the skeletons do not have.
        """
        self.layout, self.constraints, self.costs = layout, constraints, costs
        self.lower, self.upper = layout.limits if with_limits else layout.no_limits
        self.extras = sum(term.num_extras for term in constraints)
        self._set_forces()
        self.num_unknowns = len(layout.moving) + self.extras
        terms: tuple[PostureTerm, ...] = (*constraints, *costs)
        self.parts = UserParts(layout, terms)
        self.asked = self.parts if self.parts.needed else None
        self.native = layout.program(
            lower=self.lower, upper=self.upper, extras=self.extras, scale=np.ones(self.num_unknowns)
        )
        self.rows: list[Row] = []
        self._add(terms, len(constraints), made)
        if with_limits:
            self._add_group_limits()
        if seed is not None:
            for i in layout.pinned:
                at = seed[i : i + 1]
                self._add_position_row(i, at, at, f"{layout.dofs[i].name} stands still")

    def _set_forces(self) -> None:
        self.force_units, self.first_forces = np.ones(self.extras), np.zeros(self.extras)
        if not self.extras:
            return
        at = 0
        for term in self.constraints:
            count = term.num_extras
            if not count:
                continue
            part = slice(at, at + count)
            self.force_units[part] = term.extra_unit(self.layout.skeletons)
            skeleton = self.layout.skeletons[self.layout.skeleton_index(term.skeleton)]  # type: ignore[attr-defined]
            up = -np.asarray(skeleton.gravity) / np.linalg.norm(skeleton.gravity)
            self.first_forces[part] = np.tile(up / (count // 3), count // 3)
            at += count

    def _add(
        self, terms: tuple[PostureTerm, ...], constraints: int, made: Mapping[int, list[NativeTerm]]
    ) -> None:
        first, extra = 0, 0
        for i, term in enumerate(terms):
            for native in made.get(id(term)) or term.native_terms(self.layout, extra):
                placed = replace(native, custom=i) if native.kind == "custom" else native
                placed.add_to(self.native, is_cost=i >= constraints)
                if i < constraints:
                    self.rows.append(Row(i, term.text, placed, first))
                    first += native.rows
            extra += term.num_extras

    def _add_group_limits(self) -> None:
        """Rows for limits of rotation vectors and of translations of free joints."""
        for i in self.layout.grouped:
            if np.isfinite(self.lower[i]) or np.isfinite(self.upper[i]):
                text = f"limits of {self.layout.dofs[i].name}"
                self._add_position_row(i, self.lower[i : i + 1], self.upper[i : i + 1], text)

    def _add_position_row(self, i: int, lower: FloatArray, upper: FloatArray, text: str) -> None:
        row = np.zeros(self.layout.num_dofs)
        row[i] = 1.0
        unit = self.layout.dofs[i].coordinate.unit
        term = NativeTerm(kind="positions", rows=1, matrix=row, lower=lower, upper=upper, unit=unit)
        term.add_to(self.native, is_cost=False)
        first = self.rows[-1].part.stop if self.rows else 0
        self.rows.append(Row(-1, text, term, first))

    def look(self, q: FloatArray, extra: FloatArray) -> tuple[FloatArray, ...]:
        """Values of the rows, derivatives by unknowns, bounds, costs, gradient of their sum."""
        return look_at(self.native, q, extra, self.parts)

    def violations(self, q: FloatArray, extra: FloatArray) -> tuple[list[ConstraintViolation], float]:
        """Constraints that are broken at all, and the cost; limits are of the dofs that move."""
        values, _, low, high, costs, _ = self.look(q, extra)
        worst: dict[tuple[int, str], ConstraintViolation] = {}
        for row, native in self._rows_beyond(amount_beyond(values, low, high)):
            amounts = self._shown_amounts(row, native, values)
            for unit in dict.fromkeys(row.term.units) or (row.term.unit,):
                counted = amounts
                if row.term.units:
                    counted = np.where([one == unit for one in row.term.units], amounts, 0.0)
                amount = float(counted.max(initial=0.0))
                key = (row.index, row.text if row.index < 0 else unit)
                if not amount <= (worst[key].amount if key in worst else 0.0):
                    text = self._broken_text(row, counted)
                    worst[key] = ConstraintViolation(row.index, text, amount, unit, row.term.factor)
        return [*worst.values(), *self._broken_limits(q)], float(costs.sum())

    def _rows_beyond(self, amounts: FloatArray) -> Iterator[tuple[Row, FloatArray]]:
        """Rows of which a number is out of bounds, and their amounts, as native code counts them."""
        if not amounts.max(initial=0.0) <= 0.0:
            for row in self.rows:
                part = amounts[row.first : row.first + row.term.rows]
                if not part.max(initial=0.0) <= 0.0:
                    yield row, part

    @staticmethod
    def _shown_amounts(row: Row, amounts: FloatArray, values: FloatArray) -> FloatArray:
        """By how much the values that users see are out of bounds, of amounts and values of native rows."""
        if row.term.kind in ("points", "shapes"):
            return amounts
        lower, upper = bounds_of([row.term])
        return amount_beyond(shown_values(row.term, values[row.part]), lower, upper)

    def _broken_text(self, row: Row, amounts: FloatArray) -> str:
        """Text of the row of a constraint that is broken most."""
        if row.term.kind == "shapes" and row.term.rows > 1:
            return f"{row.text}, {self._nearest(row.index, amounts)}"
        return row.texts[int(np.argmax(amounts))] if row.term.names else row.text

    def _nearest(self, index: int, amounts: FloatArray) -> str:
        """The pair of shapes that breaks a constraint most."""
        constraint: Any = self.constraints[index]
        first, second = constraint.pairs[int(np.argmax(amounts))]
        return f"{constraint.shapes[first]} and {constraint.shapes[second]}"

    def keeps_limits(self, q: FloatArray) -> bool:
        """Whether positions are within the limits of their dofs."""
        return not ((q < self.lower) | (q > self.upper)).any()

    def _broken_limits(self, q: FloatArray) -> list[ConstraintViolation]:
        if self.keeps_limits(q):
            return []
        beyond = amount_beyond(q, self.lower, self.upper)
        found = []
        for i in np.flatnonzero(beyond > 0.0):
            dof = self.layout.dofs[i]
            if dof.coordinate.is_additive and self.layout.unknown[i] >= 0:
                text = f"limits of {dof.name}"
                found.append(ConstraintViolation(-1, text, float(beyond[i]), dof.coordinate.unit))
        return found

    def conflict(self, found: Attempt) -> tuple[str, ...]:
        """Constraints and limits whose multipliers count, the strongest first; none where there are none."""
        if found.multipliers is None or found.limit_multipliers is None:
            return ()
        pulls: dict[str, float] = {}
        for row in self.rows:
            for text, size in zip(row.texts, np.abs(found.multipliers[row.part]).tolist(), strict=True):
                pulls[text] = max(pulls.get(text, 0.0), size)
        for j, size in enumerate(np.abs(found.limit_multipliers[: len(self.layout.moving)]).tolist()):
            name = f"limits of {self.layout.dofs[self.layout.moving[j]].name}"
            pulls[name] = max(pulls.get(name, 0.0), size)
        most = max(pulls.values(), default=0.0)
        kept = [(size, text) for text, size in pulls.items() if size > _PULLS * most]
        return tuple(text for _, text in sorted(kept, key=lambda pair: -pair[0]))

    # ---- what other solvers are told

    def unknown_limits(self) -> tuple[FloatArray, FloatArray]:
        """Limits of the positions that move, by those of their followers too."""
        n = len(self.layout.moving)
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
        leaders = self.layout.leader.astype(int)
        for i in range(self.layout.num_dofs):
            j, factor = int(self.layout.unknown[i]), self.layout.factor[i]
            if j < 0 or factor == 0.0:
                continue
            follows = leaders[i] != i
            offset = self.layout.offset[i] if follows else 0.0
            ends = sorted(((self.lower[i] - offset) / factor, (self.upper[i] - offset) / factor))
            lower[j], upper[j] = max(lower[j], ends[0]), min(upper[j], ends[1])
        return lower, upper

    def solver_bounds(self, row: Row) -> tuple[FloatArray, FloatArray]:
        """Bounds of rows that do not change with the posture: of a length or an angle, or, where that is to
        be 0, of its components, for a length has no derivative there."""
        term = row.term
        low, high = np.full(term.rows, -np.inf), np.full(term.rows, np.inf)
        if term.kind in ("orientation", "direction", "sight", "distance"):
            if term.most == 0.0:
                low[:-1] = high[:-1] = 0.0
                if term.kind in ("direction", "sight"):
                    high[-1] = 0.5 * np.pi  # the opposite has no sine either
            else:
                low[-1], high[-1] = (term.least if term.least > 0.0 else -np.inf), term.most
        elif term.kind == "friction":
            low[:] = 0.0
            low[0] = term.least
        else:
            low = low if term.lower is None else np.array(term.lower)
            high = high if term.upper is None else np.array(term.upper)
        return low, high

    def unknown_slopes(self, slopes: FloatArray) -> FloatArray:
        """A derivative (dofs,) by velocities of all dofs, as one by those that move."""
        out = np.zeros(len(self.layout.moving))
        for i, slope in enumerate(slopes.tolist()):
            if self.layout.unknown[i] >= 0:
                out[int(self.layout.unknown[i])] += slope * self.layout.factor[i]
        return out

    def start(self, seed: FloatArray) -> FloatArray:
        """Positions with followers where their leaders say [rad, m]."""
        followers = self.layout.followers
        if not len(followers):
            return seed
        leaders = self.layout.leader[followers].astype(int)
        q = seed.copy()
        q[followers] = seed[leaders] * self.layout.factor[followers] + self.layout.offset[followers]
        return q

    def random_start(self, seed: FloatArray, random: np.random.Generator) -> FloatArray:
        """Positions drawn within the limits.

        Where there are none: angles from a whole turn, lengths and rotation vectors around the seed.
        """
        q = seed.copy()
        for i in self.layout.moving:
            if i in self.layout.pinned:
                continue
            dof = self.layout.dofs[i]
            low, high = float(self.lower[i]), float(self.upper[i])
            draw = float(random.random())
            if np.isfinite(low) and np.isfinite(high) and high - low < 1e6:
                q[i] = low + draw * (high - low)
            elif dof.coordinate.name == "ANGLE":
                q[i] = np.clip(seed[i] + (2.0 * draw - 1.0) * np.pi, low, high)
            else:
                q[i] = np.clip(seed[i] + (2.0 * draw - 1.0) * 0.5, low, high)
        return self.start(q)
