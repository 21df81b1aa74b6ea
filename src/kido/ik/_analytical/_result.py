"""Results of analytical methods: all solutions for one target, and for many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from kido.ik._analytical._solution import AnalyticalSolution, Validity
from kido.typing import FloatArray
from kido.values import Value, read_only, value

__all__ = ["AnalyticalResult", "AnalyticalResults"]


@value
class AnalyticalResult(Value, Sequence[AnalyticalSolution]):
    """All solutions for one target, the best first: a sequence of `AnalyticalSolution`, kept as arrays, which
    are read-only.

    Attributes:
        positions: (k, n) of the method's dofs [rad, m].
        validity: (k,) flags of what each violates, as those of `Validity`.
        dof_names: names of the dofs (n,).
    """

    positions: FloatArray = read_only()
    validity: NDArray[np.uint8] = read_only()
    dof_names: tuple[str, ...]

    @property
    def success(self) -> bool:
        """Whether there is a valid solution, which then is the first."""
        return len(self.validity) > 0 and int(self.validity[0]) == 0

    @property
    def valid(self) -> FloatArray:
        """Positions (v, n) of the valid solutions [rad, m]."""
        return np.asarray(self.positions[self.validity == 0])

    def __len__(self) -> int:
        return len(self.validity)

    @overload
    def __getitem__(self, index: int) -> AnalyticalSolution: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AnalyticalSolution, ...]: ...
    def __getitem__(self, index: int | slice) -> AnalyticalSolution | tuple[AnalyticalSolution, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        return AnalyticalSolution(self.positions[index], Validity(int(self.validity[index])))

    def __iter__(self) -> Iterator[AnalyticalSolution]:
        return (self[i] for i in range(len(self)))


@value
class AnalyticalResults(Value, Sequence[AnalyticalResult]):
    """All solutions for many targets: a sequence of `AnalyticalResult`, kept as arrays, which are read-only.

    The solutions of one target stand together, the best first, one target after the other.

    Attributes:
        positions: (total, n) of the method's dofs [rad, m].
        validity: (total,) flags of what each violates, as those of `Validity`.
        counts: (m,) number of solutions of each target [-].
        dof_names: names of the dofs (n,).
    """

    positions: FloatArray = read_only()
    validity: NDArray[np.uint8] = read_only()
    counts: NDArray[np.intp] = read_only()
    dof_names: tuple[str, ...]

    def _check(self) -> None:
        if int(self.counts.sum()) != len(self.positions) or len(self.validity) != len(self.positions):
            raise ValueError(
                f"counts: expected numbers that add up to {len(self.positions)} rows, got {self.counts}"
            )

    @classmethod
    def of(cls, dof_names: tuple[str, ...], results: Iterable[AnalyticalResult]) -> AnalyticalResults:
        """Many results for the same dofs as one."""
        found = list(results)
        empty = np.zeros((0, len(dof_names)))
        return cls(
            np.concatenate([empty, *(one.positions for one in found)]),
            np.concatenate([np.zeros(0, dtype=np.uint8), *(one.validity for one in found)]),
            np.array([len(one) for one in found], dtype=np.intp),
            dof_names,
        )

    @property
    def offsets(self) -> NDArray[np.intp]:
        """Row of the first solution of each target, and the number of rows last (m + 1,)."""
        return np.concatenate([np.zeros(1, dtype=np.intp), np.cumsum(self.counts)])

    @property
    def target(self) -> NDArray[np.intp]:
        """The target that each row is a solution for (total,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def success(self) -> NDArray[np.bool_]:
        """Whether there is a valid solution for each target (m,)."""
        return np.bincount(self.target[self.validity == 0], minlength=len(self.counts)) > 0

    @property
    def best(self) -> FloatArray:
        """Positions (m, n) of the first solution of each target [rad, m]; NaN where there is none."""
        return self.padded(1)[:, 0]

    def padded(self, most: int | None = None) -> FloatArray:
        """Positions (m, most, n) of the best solutions of each target [rad, m], NaN where there are fewer.

        Args:
            most: number of solutions of a target; None: as many as any has.
        """
        widest = int(self.counts.max(initial=0)) if most is None else most
        filled = np.full((len(self.counts), widest, len(self.dof_names)), np.nan)
        place = np.arange(len(self.positions)) - self.offsets[self.target]
        kept = place < widest
        filled[self.target[kept], place[kept]] = self.positions[kept]
        return filled

    def __len__(self) -> int:
        return len(self.counts)

    @overload
    def __getitem__(self, index: int) -> AnalyticalResult: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AnalyticalResult, ...]: ...
    def __getitem__(self, index: int | slice) -> AnalyticalResult | tuple[AnalyticalResult, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        begin, count = int(self.counts[:index].sum()), int(self.counts[index])
        if index < 0:
            begin = len(self.positions) - int(self.counts[index:].sum())
        rows = slice(begin, begin + count)
        return AnalyticalResult(self.positions[rows], self.validity[rows], self.dof_names)

    def __iter__(self) -> Iterator[AnalyticalResult]:
        return (self[i] for i in range(len(self)))
