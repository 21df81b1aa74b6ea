"""Constraints and costs as native code takes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kido import _core
from kido.typing import FloatArray

__all__ = ["WORLD_PLACE", "NativePlace", "NativeTerm", "across"]

NativePlace = tuple[int, int, FloatArray]
"""Index of the tree, of the body (-1: the world), pose (4, 4) on it [m]."""

WORLD_PLACE: NativePlace = (0, -1, np.eye(4))
_NONE, _ORIGIN = np.zeros(0), np.zeros(3)
_Z = np.array([0.0, 0.0, 1.0])
_ACROSS_Z = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0])


@dataclass(kw_only=True, slots=True, eq=False)
class NativeTerm:
    """Arguments of `_core.PostureProgram.add_term`, and which of its rows a user sees.

    Attributes:
        shown: rows of the value that a user sees.
        flipped: whether that is half a turn less the row [rad].
        unit: of the value.
        units: of each shown row, where they differ; empty: `unit`.
        factor: what a row of 1 is in its unit.
        names: of rows that have names of their own.
    """

    kind: str
    rows: int
    frame: NativePlace = WORLD_PLACE
    base: NativePlace = WORLD_PLACE
    points: FloatArray = field(default_factory=lambda: _NONE)
    matrix: FloatArray = field(default_factory=lambda: _NONE)
    axis: FloatArray = field(default_factory=lambda: _Z)
    target: FloatArray = field(default_factory=lambda: _ORIGIN)
    desired: FloatArray = field(default_factory=lambda: _NONE)
    least: float = -np.inf
    most: float = np.inf
    influence: float = np.inf
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    weight: FloatArray | None = None
    pairs: tuple[Any, ...] = ()
    tree: int = -1
    extra: tuple[int, ...] = ()
    places: tuple[NativePlace, ...] = ()
    custom: int = -1
    shown: slice = field(default_factory=lambda: slice(None))
    flipped: bool = False
    unit: str = "m"
    units: tuple[str, ...] = ()
    factor: float = 1.0
    names: tuple[str, ...] = ()

    def add_to(self, program: _core.PostureProgram, *, is_cost: bool) -> None:
        """Add this term to a native program."""
        program.add_term(
            self.kind,
            is_cost,
            self.rows,
            self.frame,
            self.base,
            self.points.ravel(),
            self.matrix.ravel(),
            self.axis,
            across(self.axis),
            self.target,
            self.desired,
            self.least,
            self.most,
            self.influence,
            self.lower,
            self.upper,
            None if self.weight is None else self.weight.ravel(),
            list(self.pairs),
            self.tree,
            list(self.extra),
            list(self.places),
            self.custom,
        )


def across(axis: FloatArray) -> FloatArray:
    """Two unit vectors (6,) that make a right-handed frame with a unit vector (3,) as z."""
    if axis is _Z:
        return _ACROSS_Z
    a, b, c = axis.tolist()
    k = min(range(3), key=lambda i: abs((a, b, c)[i]))
    x = [float(i == k) - (a, b, c)[i] * (a, b, c)[k] for i in range(3)]
    length = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    d, e, f = (part / length for part in x)
    return np.array([d, e, f, b * f - c * e, c * d - a * f, a * e - b * d])
