"""Rotation matrices in a mixed-integer program (Dai, Izatt and Tedrake 2019, section IV)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kido.ik._global._relaxation._options import (
    IntervalBinning,
    RelaxationApproach,
    RelaxationOptions,
)
from kido.ik._global._relaxation._program import Affine, MixedIntegerProgram
from kido.typing import FloatArray

__all__ = ["add_rotation", "unit_directions"]

_DIRECTIONS = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])


def unit_directions() -> FloatArray:
    """Directions (26, 3) of unit length, of the corners, edges and faces of a cube."""
    directions: FloatArray = _DIRECTIONS / np.linalg.norm(_DIRECTIONS, axis=1, keepdims=True)
    return directions


_NARROWEST = 1e-4
"""Width of the narrowest interval of an entry: narrower ones are near the tolerances of solvers."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """An entry of a rotation matrix: between breakpoints, chosen by binary variables.

    Attributes:
        value: sum of weights times breakpoints.
        weights: of the breakpoints; two neighbours alone are not 0.
        points: (k,) the breakpoints.
        chosen: at least 1 where an interval is chosen, at most 0 elsewhere.
    """

    value: Affine
    weights: Sequence[Affine]
    points: FloatArray
    chosen: Sequence[Affine]

    def negated(self) -> Entry:
        """The entry with the other sign, by the same variables."""
        value = Affine.sum_of([(-1.0, self.value)])
        return Entry(value, self.weights[::-1], -self.points[::-1], self.chosen[::-1])


def add_rotation(
    program: MixedIntegerProgram,
    lower: FloatArray,
    upper: FloatArray,
    options: RelaxationOptions,
    column: Sequence[Entry] | None = None,
) -> list[list[Entry]]:
    """Add a matrix (3, 3) within bounds (3, 3), with what the entries of a rotation satisfy; its last column
    may be one that is there already."""
    entries = [[_entry(program, lower[i, j], upper[i, j], options) for j in range(2)] for i in range(3)]
    for i, row in enumerate(entries):
        row.append(column[i] if column else _entry(program, lower[i, 2], upper[i, 2], options))
    for lines in (entries, [list(column) for column in zip(*entries, strict=True)]):
        for line in lines:
            _add_unit_length(program, line, options)
        if options.approach is not RelaxationApproach.BILINEAR_MCCORMICK:
            for k in range(3):
                _add_cells(program, lines[k], lines[(k + 1) % 3], lines[(k + 2) % 3])
    if options.approach is not RelaxationApproach.BOX_SPHERE_INTERSECTION:
        _add_products(program, entries)
    return entries


def _entry(program: MixedIntegerProgram, low: float, high: float, options: RelaxationOptions) -> Entry:
    if high - low < _NARROWEST:
        middle = 0.5 * (low + high)
        low, high = max(middle - _NARROWEST, -1.0), min(middle + _NARROWEST, 1.0)
    grid = np.linspace(-1.0, 1.0, 2 * options.num_intervals_per_half_axis + 1)
    inner = grid[(grid > low + _NARROWEST) & (grid < high - _NARROWEST)]
    points = np.array([low, *inner, high])
    weights = [program.variable(0.0, 1.0) for _ in points]
    program.add_row(Affine.sum_of((1.0, weight) for weight in weights), 1.0, 1.0)
    value = program.variable(points[0], points[-1])
    parts = [(float(point), weight) for point, weight in zip(points, weights, strict=True)]
    program.add_row(Affine.sum_of([*parts, (-1.0, value)]), 0.0, 0.0)
    chosen = _choose(program, weights, options.interval_binning)
    return Entry(value, weights, points, chosen)


def _choose(
    program: MixedIntegerProgram, weights: Sequence[Affine], binning: IntervalBinning
) -> list[Affine]:
    """Let two neighbouring weights alone be positive; what is 1 for the interval between them."""
    count = len(weights) - 1
    if count == 1:
        return [Affine(None, 1.0)]
    if binning is IntervalBinning.LINEAR:
        chosen = [program.variable(0.0, 1.0, binary=True) for _ in range(count)]
        program.add_row(Affine.sum_of((1.0, one) for one in chosen), 1.0, 1.0)
        for k, weight in enumerate(weights):
            near = [(-1.0, chosen[i]) for i in (k - 1, k) if 0 <= i < count]
            program.add_row(Affine.sum_of([(1.0, weight), *near]), -np.inf, 0.0)
        return chosen
    length = (count - 1).bit_length()
    bits = [program.variable(0.0, 1.0, binary=True) for _ in range(length)]
    codes = [[(k ^ (k >> 1)) >> bit & 1 for bit in range(length)] for k in range(count)]
    for bit, one in enumerate(bits):
        for which in (0, 1):
            inside = [
                weight
                for k, weight in enumerate(weights)
                if all(codes[i][bit] == which for i in (k - 1, k) if 0 <= i < count)
            ]
            total = Affine.sum_of((1.0, weight) for weight in inside)
            sign = 1.0 if which == 0 else -1.0  # sum <= 1 - bit, or <= bit
            program.add_row(Affine.sum_of([(1.0, total), (sign, one)]), -np.inf, 1.0 if which == 0 else 0.0)
    return [
        Affine.sum_of(
            [(1.0 if code[bit] else -1.0, one) for bit, one in enumerate(bits)], 1.0 - float(sum(code))
        )
        for code in codes
    ]


# ---- rows


def _add_unit_length(program: MixedIntegerProgram, line: Sequence[Entry], options: RelaxationOptions) -> None:
    """The sum of squares is 1: chords are above squares, tangents and cones below."""
    chords = [
        (float(point**2), weight)
        for entry in line
        for point, weight in zip(entry.points, entry.weights, strict=True)
    ]
    program.add_row(Affine.sum_of(chords), 1.0, np.inf)
    values = [entry.value for entry in line]
    if not options.linear_constraint_only:
        program.add_cone(values, Affine(None, 1.0))
        return
    program.add_rows(unit_directions(), values, -np.inf, 1.0)


def _add_products(program: MixedIntegerProgram, entries: list[list[Entry]]) -> None:
    """Rows and columns are orthogonal, and each is the cross product of the other two."""
    known: dict[frozenset[tuple[int, int]], Affine] = {}

    def product(a: tuple[int, int], b: tuple[int, int]) -> Affine:
        key = frozenset((a, b))
        if key not in known:
            known[key] = _product(program, entries[a[0]][a[1]], entries[b[0]][b[1]])
        return known[key]

    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        columns = Affine.sum_of((1.0, product((i, m), (i, n))) for i in range(3))
        rows = Affine.sum_of((1.0, product((m, j), (n, j))) for j in range(3))
        program.add_row(columns, 0.0, 0.0)
        program.add_row(rows, 0.0, 0.0)
        for i in range(3):
            p, q = (i + 1) % 3, (i + 2) % 3
            cross = [(1.0, product((p, m), (q, n))), (-1.0, product((q, m), (p, n)))]
            program.add_row(Affine.sum_of([*cross, (-1.0, entries[i][k].value)]), 0.0, 0.0)


def _product(program: MixedIntegerProgram, a: Entry, b: Entry) -> Affine:
    """A product of two entries, in the convex hull of the corners of their cell."""
    grid = [[program.variable(0.0, 1.0) for _ in b.points] for _ in a.points]
    for row, weight in zip(grid, a.weights, strict=True):
        program.add_row(Affine.sum_of([*((1.0, one) for one in row), (-1.0, weight)]), 0.0, 0.0)
    for column, weight in zip(zip(*grid, strict=True), b.weights, strict=True):
        program.add_row(Affine.sum_of([*((1.0, one) for one in column), (-1.0, weight)]), 0.0, 0.0)
    return Affine.sum_of(
        (float(x * y), grid[i][j]) for i, x in enumerate(a.points) for j, y in enumerate(b.points)
    )


def _add_cells(
    program: MixedIntegerProgram, axis: Sequence[Entry], second: Sequence[Entry], third: Sequence[Entry]
) -> None:
    """In each cell of its intervals an axis is in a cone about a direction: beyond a plane, and other axes
    are about normal to it."""
    for cell in itertools.product(*(range(len(entry.chosen)) for entry in axis)):
        low = tuple(float(entry.points[k]) for entry, k in zip(axis, cell, strict=True))
        high = tuple(float(entry.points[k + 1]) for entry, k in zip(axis, cell, strict=True))
        chosen = [entry.chosen[k] for entry, k in zip(axis, cell, strict=True)]
        missing = Affine.sum_of([(-1.0, one) for one in chosen], 3.0)  # 0 in the cell, 1 or more elsewhere
        meets, direction, least = _cone(low, high)
        if not meets:
            program.add_row(missing, 1.0, np.inf)
        if direction is None:
            continue
        along = Affine.sum_of(zip(direction.tolist(), [entry.value for entry in axis], strict=True))
        program.add_row(Affine.sum_of([(1.0, along), (2.0, missing)]), least, np.inf)
        _add_handedness(program, direction, np.sqrt(2.0 - 2.0 * least), missing, second, third)
        if least <= 0.0:
            continue
        most = np.sqrt(1.0 - least**2)  # of others along the direction: they are normal to the axis
        for other in (second, third):
            part = Affine.sum_of(zip(direction.tolist(), [entry.value for entry in other], strict=True))
            program.add_row(Affine.sum_of([(1.0, part), (-2.0, missing)]), -np.inf, most)
            program.add_row(Affine.sum_of([(1.0, part), (2.0, missing)]), -most, np.inf)


def _add_handedness(
    program: MixedIntegerProgram,
    direction: FloatArray,
    most: float,
    missing: Affine,
    second: Sequence[Entry],
    third: Sequence[Entry],
) -> None:
    """The third axis is the product of the first and the second: that of a direction and the second but for
    as much as the first differs from the direction."""
    x, y, z = direction.tolist()
    turned = np.array(
        [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    )  # rows: (direction x second)_i = turned_i . second
    parts = [*(entry.value for entry in (*third, *second)), missing]
    off = np.hstack([np.eye(3), -turned])
    program.add_rows(np.hstack([off, np.full((3, 1), -2.0)]), parts, -np.inf, most)
    program.add_rows(np.hstack([off, np.full((3, 1), 2.0)]), parts, -most, np.inf)


@lru_cache(maxsize=4096)
def _cone(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[bool, FloatArray | None, float]:
    """Whether a box meets the unit sphere; of the patch of the sphere in it a direction, None where there is
    none, and a lower bound of how far its points go along it."""
    ends = np.array([low, high])
    nearest, farthest = np.clip(0.0, *ends), np.abs(ends).max(axis=0)
    if np.linalg.norm(nearest) > 1.0 + 1e-9 or np.linalg.norm(farthest) < 1.0 - 1e-9:
        return False, None, 0.0
    direction = ends.mean(axis=0)
    length = np.linalg.norm(direction)
    if length < 1e-6:
        return True, None, 0.0
    direction /= length
    return True, direction, max(_least_projection(direction, *ends), -1.0)


def _least_projection(direction: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """A lower bound of direction . x for points of the unit sphere in a box.

    On the sphere x = direction (direction . x) + rest. The least is at the boundary of the patch, where some
    coordinate is at a side of the box: there the points are a circle, whose least projection is known.
    """
    least = 1.0
    for axis in range(3):
        for side in (low[axis], high[axis]):
            if abs(side) > 1.0:
                continue
            radius = np.sqrt(1.0 - side**2)
            others = [k for k in range(3) if k != axis]
            corners = _arc_ends(radius, low[others], high[others])
            for corner in corners:
                x = np.zeros(3)
                x[axis], x[others[0]], x[others[1]] = side, *corner
                least = min(least, float(direction @ x))
            worst = -direction[others]
            size = np.linalg.norm(worst)
            if size > 1e-12:
                point = radius * worst / size
                if (low[others] - 1e-9 <= point).all() and (point <= high[others] + 1e-9).all():
                    least = min(least, float(direction[axis] * side + direction[others] @ point))
    return least - 1e-9


def _arc_ends(radius: float, low: FloatArray, high: FloatArray) -> list[tuple[float, float]]:
    """Where a circle about the origin crosses the sides of a rectangle."""
    ends = []
    for axis in range(2):
        for side in (low[axis], high[axis]):
            square = radius**2 - side**2
            if square < -1e-12:
                continue
            for sign in (1.0, -1.0):
                other = sign * np.sqrt(max(square, 0.0))
                k = 1 - axis
                if low[k] - 1e-9 <= other <= high[k] + 1e-9:
                    ends.append((side, other) if axis == 0 else (other, side))
    return ends
