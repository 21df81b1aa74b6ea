"""Rotation matrices in a mixed-integer program (Dai, Izatt and Tedrake 2019, section IV)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

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
    are about normal to it; the third is the product of the first and the second, that of the direction and
    the second but for as much as the first differs from the direction."""
    cones = _cones(tuple(tuple(entry.points.tolist()) for entry in axis))
    parts = [entry.value for entry in (*axis, *second, *third)]
    parts += [one for entry in axis for one in entry.chosen]
    d, least, chosen = cones.direction, cones.least, cones.chosen
    near = np.sqrt(np.maximum(2.0 - 2.0 * least, 0.0))  # how far the axis is from the direction at most
    across = np.sqrt(
        np.maximum(1.0 - least**2, 0.0)
    )  # of others along the direction: they are normal to the axis
    directed, acute = cones.meets & cones.is_directed, cones.meets & cones.is_directed & (least > 0.0)
    turned = np.cross(np.eye(3)[None], d[:, None])  # (turned @ second)_i = (direction x second)_i
    off = np.concatenate([np.zeros_like(turned), -turned, np.broadcast_to(np.eye(3), turned.shape)], axis=2)
    blocks = [(np.zeros((len(d), 9)), np.full(len(d), np.inf), np.full(len(d), -1.0), ~cones.meets)]
    blocks.append((_placed(-d, 0), -least, np.ones(len(d)), directed))
    for i, sign in itertools.product(range(3), (1.0, -1.0)):
        blocks.append((sign * off[:, i], near, np.full(len(d), 2.0), directed))
    for k, sign in itertools.product((1, 2), (1.0, -1.0)):
        blocks.append((_placed(sign * d, k), across, np.ones(len(d)), acute))
    # Each row: at most `bound` in its cell, at most `most` elsewhere, where one of three is not chosen.
    rows, bounds = [], []
    for row, bound, most, needed in blocks:
        slack = np.where(np.isfinite(bound), np.maximum(most - bound, 0.0), 1.0)
        rows.append(np.hstack([row, slack[:, None] * chosen])[needed])
        bounds.append(np.where(np.isfinite(bound), bound + 3.0 * slack, 2.0)[needed])
    upper = np.concatenate(bounds)
    program.add_rows(np.concatenate(rows), parts, -np.inf, upper)


def _placed(rows: FloatArray, k: int) -> FloatArray:
    """Rows (m, 3) as those of one of three axes (m, 9)."""
    placed = np.zeros((len(rows), 9))
    placed[:, 3 * k : 3 * k + 3] = rows
    return placed


@dataclass(frozen=True, slots=True, eq=False)
class Cones:
    """Patches of the unit sphere in cells of intervals.

    Attributes:
        meets: (c,) whether a cell meets the sphere.
        is_directed: (c,) whether the patch has a direction.
        direction: (c, 3) of unit length.
        least: (c,) a lower bound of how far points of the patch go along it.
        chosen: (c, intervals) 1 for each interval of the three entries in which a cell is.
    """

    meets: NDArray[np.bool_]
    is_directed: NDArray[np.bool_]
    direction: FloatArray
    least: FloatArray
    chosen: FloatArray


@lru_cache(maxsize=1024)
def _cones(points: tuple[tuple[float, ...], ...]) -> Cones:
    """Of the cells between breakpoints of three entries."""
    counts = [len(one) - 1 for one in points]
    cells = np.array(list(itertools.product(*map(range, counts))))
    low, high = (
        np.stack([np.array(one)[cells[:, k] + shift] for k, one in enumerate(points)], axis=1)
        for shift in (0, 1)
    )
    chosen = np.zeros((len(cells), sum(counts)))
    for k in range(3):
        chosen[np.arange(len(cells)), sum(counts[:k]) + cells[:, k]] = 1.0
    nearest, farthest = np.clip(0.0, low, high), np.maximum(np.abs(low), np.abs(high))
    meets = (np.linalg.norm(nearest, axis=1) <= 1.0 + 1e-9) & (np.linalg.norm(farthest, axis=1) >= 1.0 - 1e-9)
    middle = 0.5 * (low + high)
    length = np.linalg.norm(middle, axis=1)
    is_directed = length >= 1e-6
    direction = middle / np.where(is_directed, length, 1.0)[:, None]
    least = np.maximum(_least_projection(direction, low, high), -1.0)
    return Cones(meets, is_directed, direction, least, chosen)


_OTHERS = np.array([[1, 2], [2, 0], [0, 1]])
"""The axes beside each one."""


def _least_projection(direction: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Lower bounds (c,) of direction . x for points of the unit sphere in boxes (c, 3).

    On the sphere x = direction (direction . x) + rest. The least is at the boundary of the patch, where some
    coordinate is at a side of the box: there the points are a circle, whose least projection is known.
    """
    ends = np.stack([low, high], axis=2)  # (c, axis, side)
    square = 1.0 - ends**2
    radius = np.sqrt(np.maximum(square, 0.0))
    along = direction[:, :, None] * ends
    across = direction[:, _OTHERS]  # (c, axis, other)
    # Where the circle of an axis and a side crosses the sides of the rectangle of the others:
    # (c, axis, side, other, end, sign).
    end = ends[:, _OTHERS][:, :, None]
    rest = square[:, :, :, None, None] - end**2
    offset = np.sqrt(np.maximum(rest, 0.0))[..., None] * np.array([1.0, -1.0])
    within = ends[:, _OTHERS[:, ::-1]][:, :, None, :, None]  # sides of the coordinate that is left
    inside = (within[..., :1] - 1e-9 <= offset) & (offset <= within[..., 1:] + 1e-9)
    inside &= ((square >= 0.0)[:, :, :, None, None] & (rest >= -1e-12))[..., None]
    value = along[:, :, :, None, None] + (across[:, :, None, :, None] * end)
    corners = value[..., None] + across[:, :, None, ::-1, None, None] * offset
    # The point of the circle that goes least along the direction, where it is in the rectangle.
    size = np.linalg.norm(across, axis=2)[:, :, None]
    point = -across[:, :, None] * (radius / np.maximum(size, 1e-300))[..., None]
    bottom, top = ends[:, _OTHERS, 0][:, :, None], ends[:, _OTHERS, 1][:, :, None]
    holds = ((bottom - 1e-9 <= point) & (point <= top + 1e-9)).all(axis=3) & (size > 1e-12) & (square >= 0.0)
    lowest = np.where(holds, along - radius * size, 1.0).min(axis=(1, 2))
    crossing: FloatArray = np.where(inside, corners, 1.0).min(axis=(1, 2, 3, 4, 5))
    found: FloatArray = np.minimum(np.minimum(lowest, crossing), 1.0) - 1e-9
    return found
