"""Comparison of two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.recording._part import RecordingPart
from kido.typing import FloatArray

__all__ = ["ColumnDifference", "Comparison", "compare"]

_COMPARED = ("positions", "velocities", "commands")


@dataclass(frozen=True)
class ColumnDifference:
    """By how much a number of a dof differs.

    Attributes:
        quantity: "positions", "velocities" or "commands".
        name: of skeleton and dof.
        first_time: at which it first differs by more than the tolerance [s].
        largest: difference [in its unit].
        largest_time: at which it differs by that [s].
    """

    quantity: str
    name: str
    first_time: float
    largest: float
    largest_time: float


@dataclass(frozen=True)
class Comparison:
    """Differences of two runs, at the samples that both have.

    Attributes:
        samples: number of samples that were compared: those of one step number and part.
        first_time: at which anything first differs by more than the tolerance [s]; None: nothing does.
        columns: what differs, by the first time.
        notes: what could not be compared.
    """

    samples: int
    first_time: float | None
    columns: tuple[ColumnDifference, ...]
    notes: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether anything differs, or could not be compared."""
        return bool(self.columns or self.notes)


def compare(first: Sequence[RecordingPart], second: Sequence[RecordingPart], tolerance: float) -> Comparison:
    """Differences of the parts of two runs."""
    found: dict[tuple[str, str], ColumnDifference] = {}
    notes, samples = [], 0
    if len(first) != len(second):
        notes.append(f"the first run has {len(first)} parts, the second {len(second)}")
    for place, (one, other) in enumerate(zip(first, second, strict=False)):
        left, right, told = _common(one, other)
        notes += [f"part {place}: {note}" for note in told]
        samples += len(left)
        names = _columns(one)
        shared = [name for name in names if name in _columns(other)]
        missing = sorted(set(names) ^ set(_columns(other)))
        if missing:
            notes.append(
                f"part {place}: only one run has {', '.join(missing[:6])}{' ...' if len(missing) > 6 else ''}"
            )
        for quantity in _COMPARED:
            if not shared or not len(left):
                continue
            a = one.rows(quantity)[left][:, [names.index(name) for name in shared]]
            b = other.rows(quantity)[right][:, [_columns(other).index(name) for name in shared]]
            _add(found, quantity, shared, one.times[left], _distance(a, b), tolerance)
    columns = sorted(found.values(), key=lambda column: (column.first_time, column.name))
    return Comparison(samples, columns[0].first_time if columns else None, tuple(columns), tuple(notes))


def _columns(part: RecordingPart) -> list[str]:
    return [f"{dof.skeleton}/{dof.dof}" for dof in part.layout.dofs]


def _common(one: RecordingPart, other: RecordingPart) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Samples of both parts that are of one step, and what is to be said of the others."""
    notes = []
    if one.layout.time_step != other.layout.time_step:
        notes.append(f"time steps of {one.layout.time_step:g} and {other.layout.time_step:g} s")
    _, left, right = np.intersect1d(one.steps, other.steps, return_indices=True)
    for which, part, common in (("first", one, left), ("second", other, right)):
        if len(common) < len(part):
            notes.append(f"{len(part) - len(common)} samples of the {which} run have no counterpart")
    return left, right, notes


def _distance(a: FloatArray, b: FloatArray) -> FloatArray:
    """Differences (n, k); infinite where one alone is not a number."""
    distance = np.abs(a - b)
    distance[np.isnan(a) & np.isnan(b)] = 0.0
    distance[np.isnan(distance)] = np.inf
    return np.asarray(distance)


def _add(
    found: dict[tuple[str, str], ColumnDifference],
    quantity: str,
    names: Sequence[str],
    times: FloatArray,
    distance: FloatArray,
    tolerance: float,
) -> None:
    for k in np.flatnonzero((distance > tolerance).any(axis=0)).tolist():
        first = float(times[int(np.argmax(distance[:, k] > tolerance))])
        worst = int(np.argmax(distance[:, k]))
        largest, when = float(distance[worst, k]), float(times[worst])
        before = found.get((quantity, names[k]))
        if before is not None:
            first = min(first, before.first_time)
            if before.largest >= largest:
                largest, when = before.largest, before.largest_time
        found[quantity, names[k]] = ColumnDifference(quantity, names[k], first, largest, when)
