"""Quadratic programs, one or many of one shape."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.optimize._quadratic_peers import Arguments, solve_by_peer
from kido.optimize._quadratic_result import QuadraticResult
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.values import Array, Checked, Value, checked, checked_whole, value

__all__ = ["QuadraticProgram"]

_ASYMMETRY = 1e-9
"""Relative to the roots of the two diagonals: what rounding leaves of a symmetric matrix, and more."""

QuadraticMethod = Literal["native", "daqp", "proxsuite"]


def _bounds(name: str, given: ArrayLike) -> FloatArray:
    return frozen_array(name, given, None, finite=False)


def _rows(name: str, given: ArrayLike | None) -> FloatArray | None:
    return None if given is None else frozen_array(name, given, None)


@value
class QuadraticProgram(Value):
    """Minimise ½ x·H x + g·x such that lower <= x <= upper and row_lower <= A x <= row_upper.

    H is positive semidefinite. Bounds may be infinite; where both are equal, they are an equation. Equations
    may depend on each other. Leading axes are programs of one shape, which are solved side by side: every
    argument has the same ones, or broadcasts to them. One and many give the same bits.

    Attributes:
        H: (..., n, n), symmetric [-].
        g: (..., n) [-].
        A: (..., m, n) [-]. Given as None: no rows.
        row_lower, row_upper: (..., m) [-]. A number stands for all rows.
        lower, upper: (..., n) [-]. A number stands for all unknowns.

    Raises TypeError or ValueError naming the argument: numbers that are NaN, or infinite but for bounds;
    shapes that do not fit; an H that is not symmetric; a lower bound above the upper one, or at infinity.
    """

    H: Array = checked(_rows)
    g: Array = checked(_rows)
    A: Checked[ArrayLike | None, FloatArray] = checked(_rows, default=None)
    row_lower: Array = checked(_bounds, default=-math.inf, kw_only=True)
    row_upper: Array = checked(_bounds, default=math.inf, kw_only=True)
    lower: Array = checked(_bounds, default=-math.inf, kw_only=True)
    upper: Array = checked(_bounds, default=math.inf, kw_only=True)

    def _check(self) -> None:
        if self.g is None or self.g.ndim < 1:
            raise ValueError("g: expected shape (..., n), got a number")
        n = self.g.shape[-1]
        if self.A is None:
            self._assign(A=read_only(np.zeros((0, n))))
        if self.H is None or self.H.shape[-2:] != (n, n):
            raise ValueError(f"H: expected shape (..., {n}, {n}) as of g, got {np.shape(self.H)}")
        if self.A.ndim < 2 or self.A.shape[-1] != n:
            raise ValueError(f"A: expected shape (..., m, {n}) as of g, got {self.A.shape}")
        _require_symmetric(self.H)
        self._assign(H=read_only(0.5 * (self.H + np.swapaxes(self.H, -1, -2))))
        m = self.A.shape[-2]
        for name, size in (("row_lower", m), ("row_upper", m), ("lower", n), ("upper", n)):
            self._assign(**{name: _spread(name, getattr(self, name), size)})
        for low, high in (("row_lower", "row_upper"), ("lower", "upper")):
            _require_order(low, getattr(self, low), getattr(self, high))
        _ = self.shape  # raises where leading axes do not fit

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes: () for one program. Raises ValueError where those of the arguments do not fit."""
        named = {"H": 2, "g": 1, "A": 2, "row_lower": 1, "row_upper": 1, "lower": 1, "upper": 1}
        leading = {name: getattr(self, name).shape[:-axes] for name, axes in named.items()}
        try:
            return np.broadcast_shapes(*leading.values())
        except ValueError:
            told = ", ".join(f"{name} {shape}" for name, shape in leading.items())
            raise ValueError(f"leading axes: expected shapes that broadcast, got {told}") from None

    def solve(
        self,
        *,
        start: ArrayLike | None = None,
        method: QuadraticMethod = "native",
        max_iterations: int | None = None,
    ) -> QuadraticResult:
        """Solve by the dual active-set method of Goldfarb and Idnani (1983).

        A singular H is dealt with by proximal points (Rockafellar 1976). The number of iterations is bounded,
        and nothing is repeated.

        Args:
            start: `active` (..., n + m) of an earlier result of a similar program, which the search begins
                with [-]: -1 and 1 are constraints at their lower and upper bounds. The answer is the same up
                to rounding.
            method: "daqp" and "proxsuite" use these libraries, one program after the other.
            max_iterations: changes of the active set; None: 20 for each constraint and unknown, and 100.

        Raises:
            TypeError, ValueError: an argument of another kind or shape.
            MissingDependencyError: a library that is not installed.
        """
        n, m = self.g.shape[-1], self.A.shape[-2]
        most = 0 if max_iterations is None else checked_whole("max_iterations", max_iterations)
        if max_iterations is not None and most < 1:
            raise ValueError(f"max_iterations: expected 1 or above, got {most}")
        begin = None if start is None else frozen_array("start", start, None)
        if begin is not None and (begin.ndim < 1 or begin.shape[-1] != n + m):
            raise ValueError(f"start: expected shape (..., {n + m}), got {begin.shape}")
        if method not in ("native", "daqp", "proxsuite"):
            raise ValueError(f"method: expected 'native', 'daqp' or 'proxsuite', got {method!r}")
        if method == "native":
            return self._solve(begin, most)
        bounds = self.row_lower, self.row_upper, self.lower, self.upper
        return solve_by_peer(method, Arguments(self.shape, self.H, self.g, self.A, *bounds))

    def _solve(self, start: FloatArray | None, max_iterations: int) -> QuadraticResult:
        shape, n, m = self.shape, self.g.shape[-1], self.A.shape[-2]
        x, force, side, status, iterations, residual = _core.solve_quadratic_programs(
            _flat(self.H, shape, 2),
            _flat(self.g, shape, 1),
            _flat(self.A, shape, 2),
            _flat(self.row_lower, shape, 1),
            _flat(self.row_upper, shape, 1),
            _flat(self.lower, shape, 1),
            _flat(self.upper, shape, 1),
            None if start is None else _flat(start, shape, 1),
            math.prod(shape),
            n,
            m,
            max_iterations,
        )
        return QuadraticResult(
            x.reshape(*shape, n),
            force.reshape(*shape, n + m),
            side.reshape(*shape, n + m),
            status.reshape(shape),
            iterations.reshape(shape),
            residual.reshape(shape),
        )

    def value(self, x: ArrayLike) -> FloatArray:
        """½ x·H x + g·x (...) at `x` (..., n) [-]."""
        point = self._point(x)
        return np.asarray(np.einsum("...i,...i->...", point, 0.5 * self._times_H(point) + self.g))

    def violation(self, x: ArrayLike) -> FloatArray:
        """Largest amount (...) by which `x` (..., n) breaks a bound [-]: 0 where all hold."""
        point = self._point(x)
        rows = np.einsum("...ij,...j->...i", self.A, point)
        parts = (self.lower - point, point - self.upper, self.row_lower - rows, rows - self.row_upper)
        most = [part.max(axis=-1, initial=0.0) for part in np.broadcast_arrays(*parts[:2])]
        most += [part.max(axis=-1, initial=0.0) for part in np.broadcast_arrays(*parts[2:])]
        return np.asarray(np.maximum.reduce(np.broadcast_arrays(*most)))

    def gradient(self, x: ArrayLike, multipliers: ArrayLike) -> FloatArray:
        """Gradient (..., n) of the Lagrangian, H x + g less multipliers (..., n + m) times normals [-]."""
        point, force = self._point(x), np.asarray(multipliers, dtype=float)
        n = point.shape[-1]
        rows = np.einsum("...ij,...i->...j", self.A, force[..., n:])
        return np.asarray(self._times_H(point) + self.g - force[..., :n] - rows)

    def _times_H(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("...ij,...j->...i", self.H, x))

    def _point(self, x: ArrayLike) -> FloatArray:
        point = np.asarray(x, dtype=float)
        if point.ndim < 1 or point.shape[-1] != self.g.shape[-1]:
            raise ValueError(f"x: expected shape (..., {self.g.shape[-1]}), got {point.shape}")
        return point


def _flat(array: FloatArray, shape: tuple[int, ...], axes: int) -> FloatArray:
    """Programs along the first axis; one row where all have the same."""
    trailing = array.shape[-axes:]
    if math.prod(array.shape[:-axes]) == 1:
        return array.reshape(1, *trailing)
    spread = np.broadcast_to(array, (*shape, *trailing))
    return np.ascontiguousarray(spread).reshape(math.prod(shape), *trailing)


def _spread(name: str, given: FloatArray, size: int) -> FloatArray:
    """Bounds (..., size), of which a number may have been given."""
    if given.ndim == 0:
        return read_only(np.full(size, given))
    if given.shape[-1] != size:
        raise ValueError(f"{name}: expected shape (..., {size}) or one number, got {given.shape}")
    return given


def _require_symmetric(H: FloatArray) -> None:
    diagonal = np.abs(np.einsum("...ii->...i", H))
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    apart = np.abs(H - np.swapaxes(H, -1, -2)) > _ASYMMETRY * scale[..., :, None] * scale[..., None, :]
    if apart.any():
        place = tuple(int(i) for i in np.argwhere(apart)[0])
        raise ValueError(f"H: expected a symmetric matrix, got {H[place]:.6g} at {list(place)}")


def _require_order(name: str, lower: FloatArray, upper: FloatArray) -> None:
    other = name.replace("lower", "upper")
    fine: NDArray[np.bool_] = (lower <= upper) & (lower < math.inf) & (upper > -math.inf)
    if not np.all(fine):
        place = tuple(int(i) for i in np.argwhere(~fine)[0])
        low, high = (float(np.broadcast_to(x, fine.shape)[place]) for x in (lower, upper))
        raise ValueError(
            f"{name}: expected at most {other} and below infinity, got {low:.6g} above or at {high:.6g} "
            f"at {list(place)}"
        )
