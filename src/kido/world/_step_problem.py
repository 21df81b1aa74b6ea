"""The constraints of a step as matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.lcp import BoxedLCP, FrictionCone
from kido.typing import FloatArray, read_only
from kido.world._compiled import CompiledWorld

__all__ = ["StepProblem", "island_problems"]

_KINDS = ("contact", "friction", "limit", "servo", "joint friction", "coupling", "constraint", "constraint")
"""Of rows, as native code counts them."""
_KIND, _NORMAL, _ISLAND, _PLACE = 0, 4, 5, 6
_LOWER, _UPPER, _CORRECTING, _KEEPING, _SOFTNESS, _IMPULSE = range(6)


@dataclass(frozen=True, eq=False)
class StepProblem:
    """The impulses x (n,) of one island in a step: w = A x + b are velocities along its rows.

    In each row lower <= x <= upper, w = 0 between the bounds, w >= 0 at the lower and w <= 0 at the upper.
    Bounds of friction are factors of the x of their contact. The rows of a contact's point are three: normal,
    and two tangents at right angles.

    A step has two problems of the same A: one whose impulses correct errors of positions, by which bodies are
    moved, and one whose impulses only keep what holds, by which velocities change. So what pushes bodies
    apart leaves no velocity.

    Attributes:
        A: (n, n), symmetric and positive semidefinite [1/kg, ...].
        b: (n,) velocities without impulses, and what is to be corrected [m/s, rad/s].
        lower, upper: (n,) [N s, N m s]; [-] in rows of friction.
        friction_index: (n,) the contact's row of rows of friction, -1 of others.
        kinds: (n,) what each row is: contact, friction, limit, servo, joint friction, coupling or constraint.
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
        """The problem for solvers of `kido.lcp`.

        Args:
            cones: Coulomb's cone for each contact; else bounds of friction for each tangent by itself.
            regularization: share of A's diagonal that is added to it in rows of contacts and friction, and a
                ten thousandth of it in others [-]; where the diagonal is less than its mean, of the mean, for
                rows along which nothing can move.
        """
        A, diagonal = self.A, self.A.diagonal()
        if regularization:
            shares = [1.0 if kind in ("contact", "friction") else 1e-4 for kind in self.kinds]
            A = A + np.diag(regularization * np.array(shares) * np.maximum(diagonal, diagonal.mean()))
        index = self.friction_index
        if not cones:
            return BoxedLCP(A, self.b, self.lower, self.upper, friction_index=index)
        tangents = np.flatnonzero(index >= 0)
        if any(self.kinds[i] != "friction" for i in tangents):
            raise ValueError("cones: rows of friction of a user's constraint are bounded one by one")
        found = [
            FrictionCone(int(index[i]), (int(i), int(i) + 1), float(self.upper[i])) for i in tangents[::2]
        ]
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[tangents], upper[tangents] = -np.inf, np.inf
        return BoxedLCP(A, self.b, lower, upper, cones=found)


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
