"""The constraints of a step as matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.lcp import BoxedLCP, FrictionCone
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.world._compiled import CompiledWorld

__all__ = ["StepProblem", "island_problems"]

_KINDS = (
    *("contact", "friction", "limit", "servo", "joint friction", "coupling", "constraint", "constraint"),
    *("torsional friction", "rolling friction"),
)
"""Of rows, as native code counts them."""
_OF_CONTACTS = frozenset(("contact", "friction", "torsional friction", "rolling friction"))
_IN_PAIRS = ("friction", "rolling friction")
"""Along two tangents, one row after the other."""
_KIND, _NORMAL, _ISLAND, _PLACE = 0, 4, 5, 6
_LOWER, _UPPER, _CORRECTING, _KEEPING, _SOFTNESS, _IMPULSE = range(6)


@dataclass(frozen=True, eq=False)
class StepProblem:
    """The impulses x (n,) of one island in a step: w = A x + b are velocities along its rows.

    In each row lower <= x <= upper, w = 0 between the bounds, w >= 0 at the lower and w <= 0 at the upper.
    Bounds of friction are factors of the x of their contact. The rows of a contact's point are three: normal,
    and two tangents at right angles, the first along the direction of friction where the surfaces have one.
    Surfaces with torsional friction have another row for each point, a torque about the normal; those with
    rolling friction two, about the tangents, one after the other. What surfaces move with is in b, what they
    slip with in the diagonal of A.

    A step has two problems of the same A: one whose impulses correct errors of positions, by which bodies are
    moved, and one whose impulses only keep what holds, by which velocities change. So what pushes bodies
    apart leaves no velocity.

    Attributes:
        A: (n, n), symmetric and positive semidefinite [1/kg, ...].
        b: (n,) velocities without impulses, and what is to be corrected [m/s, rad/s].
        lower, upper: (n,) [N s, N m s]; [-] in rows of friction.
        friction_index: (n,) the contact's row of rows of friction, -1 of others.
        kinds: (n,) what each row is: contact, friction, torsional friction, rolling friction, limit, servo,
            joint friction, coupling or constraint.
        start: (n,) the impulses of the last step.
        corrects: whether impulses correct errors of positions.
        time_step: [s].
        skeletons: names of those that the island consists of.
    """

    A: FloatArray
    b: FloatArray
    lower: FloatArray
    upper: FloatArray
    friction_index: NDArray[np.intc]
    kinds: tuple[str, ...]
    start: FloatArray
    corrects: bool
    time_step: float
    skeletons: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.b)

    def as_lcp(self, *, cones: bool = False, regularization: float = 0.0) -> BoxedLCP:
        """The problem for solvers of `kido.lcp`; `impulses` are those of its answer.

        Args:
            cones: Coulomb's cone for each contact; else bounds of friction for each tangent by itself.
            regularization: share of A's diagonal that is added to it in rows of contacts and friction, and a
                ten thousandth of it in others [-]; where the diagonal is less than its mean, of the mean, for
                rows along which nothing can move.
        """
        A, diagonal = self.A, self.A.diagonal()
        if regularization:
            shares = [1.0 if kind in _OF_CONTACTS else 1e-4 for kind in self.kinds]
            A = A + np.diag(regularization * np.array(shares) * np.maximum(diagonal, diagonal.mean()))
        index = self.friction_index
        if not cones:
            return BoxedLCP(A, self.b, self.lower, self.upper, friction_index=index)
        if any(self.kinds[i] not in _OF_CONTACTS for i in np.flatnonzero(index >= 0)):
            raise ValueError("cones: rows of friction of a user's constraint are bounded one by one")
        lower, upper, index = self.lower.copy(), self.upper.copy(), index.copy()
        found = []
        for first in self._first_tangents():
            both, normal = [first, first + 1], int(index[first])
            circular = self.upper[first] == self.upper[first + 1]
            found.append(FrictionCone(normal, (first, first + 1), self.upper[first] if circular else 1.0))
            lower[both], upper[both], index[both] = -np.inf, np.inf, -1
        scale = self._scale()
        return BoxedLCP(
            A * np.outer(scale, scale), self.b * scale, lower, upper, friction_index=index, cones=found
        )

    def impulses(self, x: ArrayLike, *, cones: bool = False) -> FloatArray:
        """Impulses (n,) [N s, N m s] of an answer x (n,) of `as_lcp` with the same `cones`.

        They are its x, but for tangents of ellipses: where friction along a direction is another than across
        it, these are in units of their coefficients, in which the ellipse is a cone.
        """
        given = frozen_array("x", x, (self.size,))
        return read_only(given * self._scale()) if cones else given

    def unknowns(self, impulses: ArrayLike, *, cones: bool = False) -> FloatArray:
        """The x (n,) of `as_lcp` with the same `cones` that stands for impulses (n,) [N s, N m s]: to start
        a solver with."""
        given = frozen_array("impulses", impulses, (self.size,))
        if not cones:
            return given
        scale = self._scale()
        return read_only(np.where(scale > 0.0, given / np.where(scale > 0.0, scale, 1.0), 0.0))

    def _first_tangents(self) -> list[int]:
        """The first of each two rows of friction along tangents."""
        rows = np.array([kind in _IN_PAIRS for kind in self.kinds], dtype=bool)
        return [int(row) for row in np.flatnonzero(rows)[::2]]

    def _scale(self) -> FloatArray:
        """Of ellipses: their coefficients in rows of tangents; else 1 (n,)."""
        scale = np.ones(self.size)
        for first in self._first_tangents():
            if self.upper[first] != self.upper[first + 1]:
                scale[first : first + 2] = self.upper[first : first + 2]
        return scale


def island_problems(
    compiled: CompiledWorld, whole: NDArray[np.int64], numbers: FloatArray, islands: int
) -> Iterator[tuple[NDArray[np.int64], tuple[StepProblem, StepProblem]]]:
    """For each island its rows, and the problems that correct and that keep."""
    order = np.argsort(whole[:, _ISLAND], kind="stable")
    edges = np.searchsorted(whole[order, _ISLAND], np.arange(islands + 1))
    for island in range(islands):
        rows = order[edges[island] : edges[island + 1]]
        yield rows, _problems(compiled, whole, numbers, island, rows)


def _problems(
    compiled: CompiledWorld,
    whole: NDArray[np.int64],
    numbers: FloatArray,
    island: int,
    rows: NDArray[np.int64],
) -> tuple[StepProblem, StepProblem]:
    own, values = whole[rows], numbers[rows]
    normal = own[:, _NORMAL]
    index = np.where(normal >= 0, whole[normal, _PLACE], -1).astype(np.intc)
    A = read_only(compiled.native.step_matrix(island))
    kinds = tuple(_KINDS[kind] for kind in own[:, _KIND].tolist())
    names = compiled.names_of_rows(own)
    correcting, keeping = (
        StepProblem(
            A,
            read_only(values[:, b].copy()),
            read_only(values[:, _LOWER].copy()),
            read_only(values[:, _UPPER].copy()),
            index,
            kinds,
            read_only(values[:, _IMPULSE].copy()),
            b == _CORRECTING,
            compiled.time_step,
            names,
        )
        for b in (_CORRECTING, _KEEPING)
    )
    return correcting, keeping
