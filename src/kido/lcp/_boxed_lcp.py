"""Linear complementarity problems with bounds and friction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.lcp._friction_cone import FrictionCone
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.values import Array, Checked, Value, array, checked, items, value

__all__ = ["BoxedLCP"]

_NO_ROWS, _NO_FRICTION = np.zeros((0, 3), np.intc), np.zeros(0)
_ASYMMETRY = 1e-9
"""Relative to the roots of the two diagonals: what rounding leaves of a symmetric matrix, and more."""


def _bounds(name: str, given: ArrayLike | None) -> FloatArray | None:
    return None if given is None else frozen_array(name, given, None, finite=False)


def _indices(name: str, given: ArrayLike | None) -> NDArray[np.intc] | None:
    if given is None:
        return None
    if isinstance(given, np.ndarray) and given.dtype == np.intc and given.ndim == 1:
        return _read_only(given.copy())
    numbers = frozen_array(name, given, (-1,))
    if not np.array_equal(numbers, np.trunc(numbers)):
        raise TypeError(f"{name}: expected whole numbers, got {_core.brief(numbers.tolist())}")
    return _read_only(numbers.clip(-(2**31), 2**31 - 1).astype(np.intc))


def _read_only(rows: NDArray[np.intc]) -> NDArray[np.intc]:
    rows.flags.writeable = False
    return rows


@value
class BoxedLCP(Value):
    """Find x (n,) and w = A x + b such that in each row lower <= x <= upper, and

    * w = 0 where x is strictly between its bounds,
    * w >= 0 where x is at the lower one, w <= 0 where it is at the upper one.

    Bounds may be infinite: lower 0 and upper inf is the standard problem x >= 0, w >= 0, x w = 0; both
    infinite an equation w = 0; equal ones fix x. In contact, x are impulses [N s] and w velocities [m/s].

    Friction couples bounds to a normal row, in one of two ways:

    * `friction_index[i] = j`: row i has the bounds `lower[i] * x[j]` and `upper[i] * x[j]`, as with `findex`
      of ODE and DART: for two tangents, a pyramid along their directions.
    * `cones`: Coulomb's law, the same in all directions. Its tangents have no bounds beside: those given for
      them become infinite.

    Attributes:
        A: (n, n) in units of w per unit of x. Solvers say whether it has to be symmetric.
        b: (n,) in units of w.
        lower, upper: (n,) in units of x, or [-] in rows with a friction index. One number stands for all.
        friction_index: (n,) the normal row of each row, -1 where bounds are constant. None: all are.
        cones: contacts with Coulomb's friction.

    Raises TypeError or ValueError naming the argument: numbers that are NaN, or infinite but for constant
    bounds; shapes that do not fit; lower above upper; a normal row that does not exist, that has bounds of
    friction itself (a cycle included), or a lower bound below 0; a row in two cones, or in a cone and with a
    friction index.

    Source: R. W. Cottle, J.-S. Pang, R. E. Stone, "The linear complementarity problem", 1992.
    """

    A: Array = array(-1, -1)
    b: Array = array(-1)
    lower: Array = checked(_bounds, default=0.0)
    upper: Array = checked(_bounds, default=math.inf)
    friction_index: Checked[ArrayLike | None, NDArray[np.intc]] = checked(
        _indices, default=None, kw_only=True
    )
    cones: Checked[Sequence[FrictionCone], tuple[FrictionCone, ...]] = items(
        FrictionCone, default=(), kw_only=True
    )

    def _check(self) -> None:
        n = len(self.b)
        if self.A.shape != (n, n):
            raise ValueError(f"A: expected shape {(n, n)} for b of {n} numbers, got {self.A.shape}")
        for name in ("lower", "upper"):
            self._assign_row(name, getattr(self, name), n)
        if self.friction_index is None:
            object.__setattr__(self, "friction_index", _read_only(np.full(n, -1, np.intc)))
        if len(self.friction_index) != n:
            raise ValueError(f"friction_index: expected shape {(n,)}, got {self.friction_index.shape}")
        if not _core.lcp_bounds_fit(self.lower, self.upper, self.friction_index):
            self._refuse_bounds()
        if self.cones:
            self._check_cones()
            self._free_tangents()

    def _assign_row(self, name: str, given: FloatArray, n: int) -> None:
        if given.shape not in ((), (n,)):
            raise ValueError(f"{name}: expected shape {(n,)} or one number, got {given.shape}")
        row = read_only(np.full(n, given)) if given.shape != (n,) else given
        object.__setattr__(self, name, row)

    def _refuse_bounds(self) -> None:
        """Raises ValueError naming the first bound or index that does not fit."""
        _require(self.lower <= self.upper, "lower", "at most upper", self.lower)
        _require(self.lower < math.inf, "lower", "below infinity", self.lower)
        _require(self.upper > -math.inf, "upper", "above -infinity", self.upper)
        index, n = self.friction_index, len(self.b)
        coupled = index >= 0
        _require((index >= -1) & (index < n), "friction_index", f"-1 or a row below {n}", index)
        normal = np.where(coupled, index, 0)
        _require(~(coupled & coupled[normal]), "friction_index", "a row whose own bounds are constant", index)
        _require(
            ~coupled | (self.lower[normal] >= 0.0),
            "friction_index",
            "a row whose lower bound is 0 or above",
            index,
        )
        for name in ("lower", "upper"):
            bounds = getattr(self, name)
            _require(~coupled | np.isfinite(bounds), name, "a finite number in a row of friction", bounds)

    def _check_cones(self) -> None:
        n, taken = len(self.b), set(np.flatnonzero(self.friction_index >= 0).tolist())
        tangents = {row for cone in self.cones for row in cone.tangents}
        for k, cone in enumerate(self.cones):
            place = f"cones[{k}]"
            if max(cone.normal, *cone.tangents) >= n:
                raise ValueError(f"{place}: expected rows below {n}, got {(cone.normal, *cone.tangents)}")
            for row in cone.tangents:
                if row in taken:
                    raise ValueError(
                        f"{place}: expected tangents of its own, got row {row}, which has friction"
                    )
                taken.add(row)
            if cone.normal in tangents or self.friction_index[cone.normal] >= 0:
                raise ValueError(f"{place}: expected a normal row without friction, got row {cone.normal}")
            if self.lower[cone.normal] < 0.0:
                least = self.lower[cone.normal]
                raise ValueError(
                    f"{place}: expected a normal row with a lower bound of 0 or above, got {least}"
                )
        for row, normal in enumerate(self.friction_index.tolist()):
            if normal in tangents:
                raise ValueError(
                    f"friction_index[{row}]: expected a normal row, got tangent {normal} of a cone"
                )

    def _free_tangents(self) -> None:
        rows = [row for cone in self.cones for row in cone.tangents]
        if rows:
            for name, bound in (("lower", -math.inf), ("upper", math.inf)):
                bounds = getattr(self, name).copy()
                bounds[rows] = bound
                object.__setattr__(self, name, read_only(bounds))

    @classmethod
    def contacts(cls, A: ArrayLike, b: ArrayLike, friction: ArrayLike, *, pyramid: bool = False) -> BoxedLCP:
        """The problem of k contacts, each with three rows: normal, first and second tangent.

        Args:
            A: (3 k, 3 k) in units of w per unit of x.
            b: (3 k,) in units of w.
            friction: (k,) coefficients [-], or one number for all.
            pyramid: bounds of friction for each tangent by itself, as DART has them, instead of cones.

        Raises TypeError or ValueError naming the argument.
        """
        rows = frozen_array("b", b, (-1,))
        if len(rows) % 3:
            raise ValueError(f"b: expected three rows a contact, got {len(rows)}")
        k = len(rows) // 3
        given = frozen_array("friction", friction, None)
        if given.shape not in ((), (k,)):
            raise ValueError(f"friction: expected shape {(k,)} or one number, got {given.shape}")
        _require(given >= 0.0, "friction", "0 or above", given)
        cones = [
            FrictionCone(3 * i, (3 * i + 1, 3 * i + 2), mu) for i, mu in enumerate(np.full(k, given).tolist())
        ]
        lower = np.tile([0.0, -math.inf, -math.inf], k)
        problem = cls(A, rows, lower, cones=cones)
        return problem.with_pyramids() if pyramid else problem

    def with_pyramids(self) -> BoxedLCP:
        """The same problem with a pyramid in place of each cone: |x| <= friction * normal in each tangent."""
        index, lower, upper = self.friction_index.copy(), self.lower.copy(), self.upper.copy()
        for cone in self.cones:
            for row in cone.tangents:
                index[row], lower[row], upper[row] = cone.normal, -cone.friction, cone.friction
        return BoxedLCP(self.A, self.b, lower, upper, friction_index=index)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.b)

    @property
    def is_symmetric(self) -> bool:
        """Whether A is symmetric, but for rounding."""
        return _core.lcp_is_symmetric(self.A, _ASYMMETRY)

    def w(self, x: ArrayLike) -> FloatArray:
        """A x + b (n,), in units of w, at x (n,). Raises TypeError or ValueError."""
        return self._at(x)[0]

    def bounds(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds (n,) in units of x, where those of friction are those at x (n,); in the
        tangents of cones the radius of the disc. Raises TypeError or ValueError."""
        at = frozen_array("x", x, (self.size,))
        factor = np.where(self.friction_index >= 0, np.maximum(at[self.friction_index], 0.0), 1.0)
        lower, upper = self.lower * factor, self.upper * factor
        for cone in self.cones:
            radius = cone.friction * max(at[cone.normal], 0.0)
            lower[list(cone.tangents)], upper[list(cone.tangents)] = -radius, radius
        return lower, upper

    def natural_residual(self, x: ArrayLike) -> FloatArray:
        """x - P(x - w) (n,) at x (n,), in units of x, where P moves a number to the nearest one within its
        bounds, and the two of a cone to the nearest ones in its disc: zero at solutions and nowhere else.
        Raises TypeError or ValueError."""
        return self._at(x)[1]

    def residual(self, x: ArrayLike) -> float:
        """Largest natural residual at x (n,), without a unit [-]: rows are scaled until the diagonal of A is
        near 1, and the result is divided by the largest |b|, where constant bounds keep x away from zero
        with what A makes of these, but by no less than 1e-292, below which numbers lose digits. Rounding
        leaves about 1e-16. Infinite where numbers are.

        Raises TypeError or ValueError.
        """
        return self._at(x)[2]

    def _at(self, x: ArrayLike) -> tuple[FloatArray, FloatArray, float]:
        return _core.lcp_residual(self._native(), frozen_array("x", x, (self.size,)))

    def _native(self) -> _core.LcpProblem:
        rows, friction = _NO_ROWS, _NO_FRICTION
        if self.cones:
            rows = np.array([(cone.normal, *cone.tangents) for cone in self.cones], np.intc)
            friction = np.array([cone.friction for cone in self.cones])
        return _core.LcpProblem(self.A, self.b, self.lower, self.upper, self.friction_index, rows, friction)


def _require(holds: NDArray[Any], name: str, expected: str, values: NDArray[Any]) -> None:
    """Raises ValueError naming the first element that does not fit."""
    if not holds.all():
        at = int(np.argmin(holds)) if holds.shape else None
        place, got = (name, values) if at is None else (f"{name}[{at}]", values[at])
        raise ValueError(f"{place}: expected {expected}, got {got}")
