"""Numbers over time, with names and units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.description import degrees_of
from kido.errors import UnknownNameError
from kido.recording._part import PER_DOF, RecordingPart
from kido.typing import FloatArray, read_only

__all__ = ["QUANTITIES", "Series", "series_of"]

QUANTITIES = (*PER_DOF, "contact_forces", "contact_depths", "constraint_forces")
"""What every recording may have, beside signals."""

_ALWAYS = ("positions", "velocities", "commands")
_RATES = {"velocities": "/s", "accelerations": "/s^2"}


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers over time.

    Attributes:
        name: of the quantity.
        times: (n,) [s].
        values: (n, k); NaN where nothing is known, and in a row between two parts of a recording.
        columns: names (k,).
        units: of the columns (k,).
    """

    name: str
    times: FloatArray
    values: FloatArray
    columns: tuple[str, ...]
    units: tuple[str, ...]

    def column(self, name: str) -> FloatArray:
        """A column (n,) by its name. Raises UnknownNameError."""
        if name not in self.columns:
            raise UnknownNameError("column", name, self.columns, self.name)
        return self.values[:, self.columns.index(name)]

    def in_degrees(self) -> Series:
        """The same, angles and their rates in degrees."""
        shown = [degrees_of(unit) for unit in self.units]
        values = read_only(self.values * np.array([factor for factor, _ in shown]))
        return Series(self.name, self.times, values, self.columns, tuple(unit for _, unit in shown))


def series_of(recording: str, parts: Sequence[RecordingPart], quantity: str, skeleton: str | None) -> Series:
    """A quantity of all parts, one after the other, with a row of NaN between them.

    Raises UnknownNameError where no part has it.
    """
    found = [one for one in (_of_part(part, quantity, skeleton) for part in parts) if one is not None]
    if not found:
        known = {name for part in parts for name in _names(part)}
        raise UnknownNameError("quantity", quantity, sorted(known), recording)
    columns: dict[str, str] = {}
    for one in found:
        columns |= dict(zip(one.columns, one.units, strict=True))
    times, values = [], []
    for place, one in enumerate(found):
        if place:
            times.append(np.array([one.times[0]]) if len(one.times) else np.zeros(0))
            values.append(np.full((len(times[-1]), len(columns)), np.nan))
        rows = np.full((len(one.times), len(columns)), np.nan)
        rows[:, [list(columns).index(name) for name in one.columns]] = one.values
        times.append(one.times)
        values.append(rows)
    return Series(
        quantity,
        read_only(np.concatenate(times)),
        read_only(np.concatenate(values)),
        tuple(columns),
        tuple(columns.values()),
    )


def _names(part: RecordingPart) -> list[str]:
    """The quantities that a part has."""
    names = [name for name in PER_DOF if part.has(name) or name in _ALWAYS]
    if part.has("contact_counts"):
        names += ["contact_forces", "contact_depths"]
    if part.layout.between_bodies or part.layout.by_rows:
        names.append("constraint_forces")
    return names + [signal.name for signal in part.layout.signals]


def _of_part(part: RecordingPart, quantity: str, skeleton: str | None) -> Series | None:
    if quantity not in _names(part):
        return None
    if quantity in PER_DOF:
        return _of_dofs(part, quantity, skeleton)
    if quantity == "contact_forces":
        return _of_contacts(part, skeleton)
    if quantity == "contact_depths":
        return _depths(part, skeleton)
    if quantity == "constraint_forces":
        return _of_constraints(part)
    return _of_signal(part, quantity)


def _of_dofs(part: RecordingPart, quantity: str, skeleton: str | None) -> Series | None:
    dofs, own = part.layout.dofs, slice(None)
    if skeleton is not None:
        columns = part.layout.columns(skeleton)
        if columns is None:
            return None
        own = columns
    values = part.rows(quantity)
    units = [dof.unit + _RATES.get(quantity, "") for dof in dofs]
    if quantity.endswith("_forces"):
        units = ["N m" if dof.unit == "rad" else "N" for dof in dofs]
    elif quantity == "commands":
        units = ["" for _ in dofs]
    names = [dof.dof if skeleton is not None else f"{dof.skeleton}/{dof.dof}" for dof in dofs]
    return Series(quantity, part.times, values[:, own], tuple(names[own]), tuple(units[own]))


def _of_contacts(part: RecordingPart, skeleton: str | None) -> Series:
    """Sizes of the sums of forces between each two bodies that touch."""
    counts, shapes, numbers = part.contact_rows()
    samples = np.repeat(np.arange(len(counts)), counts)
    names = [str(shape) for shape in part.layout.shapes]
    pairs = sorted(
        {(min(a, b), max(a, b)) for a, b in shapes.tolist()}, key=lambda p: (names[p[0]], names[p[1]])
    )
    sums: dict[str, FloatArray] = {}
    for first, second in pairs:
        if skeleton not in (None, part.layout.shapes[first].skeleton, part.layout.shapes[second].skeleton):
            continue
        forward = (shapes[:, 0] == first) & (shapes[:, 1] == second)
        backward = (shapes[:, 0] == second) & (shapes[:, 1] == first)
        total = sums.setdefault(f"{names[first]} - {names[second]}", np.zeros((len(counts), 3)))
        for which, sign in ((forward, 1.0), (backward, -1.0)):
            if first != second or sign > 0.0:
                np.add.at(total, samples[which], sign * numbers[which, 6:9])
    values = [np.linalg.norm(total, axis=1) for total in sums.values()]
    return _stacked("contact_forces", part, list(sums), values, "N")


def _depths(part: RecordingPart, skeleton: str | None) -> Series:
    """The deepest overlap of each sample; 0 where nothing touches."""
    counts, shapes, numbers = part.contact_rows()
    samples = np.repeat(np.arange(len(counts)), counts)
    deepest = np.zeros(len(counts))
    wanted = [skeleton in (None, shape.skeleton) for shape in part.layout.shapes] or [False]
    own = np.asarray(wanted)[shapes].any(axis=1)
    np.maximum.at(deepest, samples[own], numbers[own, 9])
    return _stacked("contact_depths", part, ["deepest"], [deepest], "m")


def _of_constraints(part: RecordingPart) -> Series:
    """Sizes of the forces and torques of constraints between bodies, and forces of rows."""
    names, values, units = [], [], []
    wrenches = part.rows("constraint_wrenches") if part.has("constraint_wrenches") else None
    for place, constraint in enumerate(part.layout.between_bodies):
        assert wrenches is not None
        for what, unit, own in (("force", "N", slice(3, 6)), ("torque", "N m", slice(0, 3))):
            names.append(f"{place}: {constraint} ({what})")
            values.append(np.linalg.norm(wrenches[:, place, own], axis=1))
            units.append(unit)
    for place, constraint in enumerate(part.layout.by_rows):
        rows = part.row_forces(place)
        width = max((len(row) for row in rows), default=0)
        table = np.full((len(rows), width), np.nan)
        for sample, row in enumerate(rows):
            table[sample, : len(row)] = row
        number = len(part.layout.between_bodies) + place
        names += [f"{number}: {constraint} (row {k})" for k in range(width)]
        values += list(table.T)
        units += ["N m, N"] * width
    stacked = np.stack(values, axis=1) if values else np.zeros((len(part), 0))
    return Series("constraint_forces", part.times, stacked, tuple(names), tuple(units))


def _of_signal(part: RecordingPart, name: str) -> Series:
    signal = next(one for one in part.layout.signals if one.name == name)
    values = part.rows(f"signals/{name}")
    flat = values.reshape(len(part), -1)
    columns = [name] if not signal.shape else [f"{name}[{k}]" for k in range(flat.shape[1])]
    return Series(name, part.times, flat, tuple(columns), (signal.unit,) * len(columns))


def _stacked(
    quantity: str, part: RecordingPart, names: Sequence[str], values: Sequence[FloatArray], unit: str
) -> Series:
    stacked = np.stack(values, axis=1) if values else np.zeros((len(part), 0))
    return Series(quantity, part.times, stacked, tuple(names), (unit,) * len(names))
